"""The page before an action that cannot be undone: it says what will happen, and has the only button that does it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from grader.service.web.auth import Member
from grader.service.web.pages import page


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """A question, a sentence for each thing that will happen, and the form that does it. The form sends `fields`;
    `back` is the address of the page before.
    """

    question: str
    says: tuple[str, ...]
    action: str
    button: str
    back: str
    fields: Mapping[str, str] = field(default_factory=dict)


def confirmation_page(request: Request, member: Member, asked: Confirmation) -> Response:
    """The page that asks this question."""
    return page(request, "confirm.html.jinja", member, asked=asked)
