"""The entries of the navigation, and the entry of each page."""

from collections.abc import Mapping
from dataclasses import dataclass

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
    section = next((name for start, name in SECTIONS.items() if _is_under(path, start)), "Course")
    return tuple(_entry(name, page, section, path) for name, page in entries.items())


def _entry(name: str, page: str, section: str, path: str) -> NavigationEntry:
    current = "page" if path == page else "true" if name == section else ""
    return NavigationEntry(name=name, page=page, current=current)


def _is_under(path: str, start: str) -> bool:
    return path == start or path.startswith(f"{start}/")
