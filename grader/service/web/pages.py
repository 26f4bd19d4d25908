"""Renders pages from templates, with the entries of the navigation. Templates escape all text, after invisible
characters have been replaced.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from grader.common.phrases import count
from grader.reports.groups import SIGNS, STATES
from grader.reports.html.workspace import STYLE, inline_code, printable
from grader.results.findings import LINES
from grader.service.db.tokens import fresh_token
from grader.service.grades.wording import late_in_words, number, score_in_words
from grader.service.submissions.versions import is_older
from grader.service.web.auth import Member
from grader.service.web.state import state_of

STAFF = {
    "Course": "/course",
    "People": "/course/people",
    "Questions": "/course/requests",
    "System": "/course/system",
}
"""Entries for people who teach, with the paths of their pages. The page "Your data" links to their personal pages."""

STUDENT = {"Course": "/", "Reading a report": "/guide", "Terminals": "/tokens", "Your data": "/data"}
"""Entries for students, with the paths of their pages."""

SECTIONS = {
    "/course/people": "People",
    "/course/invitations": "People",
    "/course/repositories": "People",
    "/course/platforms": "People",
    "/course/requests": "Questions",
    "/course/system": "System",
    "/course/audit": "System",
    "/guide": "Reading a report",
    "/tokens": "Terminals",
    "/device": "Terminals",
    "/data": "Your data",
    "/repositories": "Terminals",
    "/mails": "Your data",
    "/password": "Your data",
}
"""The entry to which a page belongs, by the prefix of its path. All other pages belong to the entry "Course"."""

STATIC_FOLDER = files("grader.service.web").joinpath("static")

STATIC = {
    path.name: path.read_bytes()
    for folder in (STATIC_FOLDER, STATIC_FOLDER / "vendor")
    for path in folder.iterdir()
    if path.name.endswith((".css", ".js", ".svg"))
} | {"workspace.css": STYLE.encode()}
"""The static files of pages, by name. Files in vendor/ are unchanged files of other projects, and workspace.css is the
style of reports.
"""

STATIC_VERSION = hashlib.sha256(b"".join(data for _, data in sorted(STATIC.items()))).hexdigest()[:12]
"""Hash of all static files. It changes if a file changes, so that browsers fetch the files again."""


@dataclass(frozen=True, kw_only=True)
class NavigationEntry:
    """An entry with the address of its page. `current` is the value of aria-current: "page" on that page, "true" on
    another page of the entry, and otherwise empty.
    """

    name: str
    page: str
    current: str


def navigation_of(entries: Mapping[str, str], path: str) -> tuple[NavigationEntry, ...]:
    """The entries in the form in which a page with this path shows them."""
    section = next((name for start, name in SECTIONS.items() if f"{path}/".startswith(f"{start}/")), "Course")
    return tuple(
        NavigationEntry(name=name, page=page, current="page" if path == page else "true" if name == section else "")
        for name, page in entries.items()
    )


def page(
    request: Request, template: str, member: Member | None = None, status_code: int = 200, **values: Any
) -> HTMLResponse:
    """Render a page. `values` are the variables of its template."""
    state = state_of(request)
    text = ENVIRONMENT.get_template(template).render(
        member=member,
        navigation=() if member is None else navigation_of(STAFF if member.teaches else STUDENT, request.url.path),
        stamp=STATIC_VERSION,
        zone=state.cache.zone,
        **values,
    )
    return HTMLResponse(text, status_code)


def _time(value: datetime | None, zone: tzinfo) -> str:
    return "" if value is None else f"{value.astimezone(zone):%a %d %b %Y, %H:%M} {value.astimezone(zone).tzname()}"


LINE, LINE_LINK = re.compile(r"(?:\bline )?(\d+)"), r'<a href="#text" data-line="\1">\g<0></a>'


def _by_line(text: str) -> Markup:
    """Convert a text to markup in which each line number is a link to that line in the editor."""
    return Markup(LINES.sub(lambda named: LINE.sub(LINE_LINK, named[0]), inline_code(text)))  # noqa: S704


def _environment() -> Environment:
    environment = Environment(
        auto_reload=False,
        loader=PackageLoader("grader.service.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "plural": count, "time": _time, "markup": Markup, "code": inline_code}
    environment.filters["by_line"] = _by_line
    words = {"late_words": late_in_words, "score_words": score_in_words, "is_older": is_older}
    environment.globals |= {"fresh_token": fresh_token, **words}
    environment.globals["STATES"] = {str(verdict): (SIGNS[word], word) for verdict, word in STATES.items()}
    return environment


ENVIRONMENT = _environment()


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """A question, a sentence for each consequence, and the form that confirms the action and sends `fields`. `back` is
    the address of the previous page.
    """

    question: str
    says: tuple[str, ...]
    action: str
    button: str
    back: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class NewSecret:
    """A secret that is shown once, with a sentence about its use and the previous page."""

    title: str
    says: str
    secret: str
    back: str
    back_to: str


def confirmation_page(request: Request, member: Member, asked: Confirmation) -> Response:
    """Render the page that asks for this confirmation."""
    return page(request, "confirm.html.jinja", member, asked=asked)
