"""Parameters of the API for staff: the caller, by the scope that a request needs, and the page of a list. A page begins
after a cursor, which is the number of the last row of the page before. Therefore the pages do not shift when rows are
added or removed while a program reads.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import Field
from starlette.requests import Request

from grader.common.record import Record
from grader.service.people.auth.api_tokens import INSTRUCTOR_SCOPES, TokenScope
from grader.service.web.auth import Caller, Credentials, TokenNeededError, with_scope

PREFIX = "/api/v1/course"
"""Prefix of all paths of the API for staff."""

MAX_PAGE_ROWS, USUAL_PAGE_ROWS = 500, 100
"""Maximum and default number of rows on a page."""


def staff_with(scope: TokenScope) -> Callable[[Request, Credentials], Caller]:
    """A dependency that finds the owner of a token with this scope. The owner's current role must allow the scope."""
    found_with_token = with_scope(scope)

    def found(request: Request, credentials: Credentials) -> Caller:
        caller = found_with_token(request, credentials)
        if not caller.teaches:
            raise TokenNeededError("The owner of this token does not teach in this course; use a token of the staff.")
        if scope in INSTRUCTOR_SCOPES and not caller.is_instructor:
            raise TokenNeededError(f"The scope {scope} needs a token of an instructor; ask an instructor for one.")
        return caller

    return found


RosterReader = Annotated[Caller, Depends(staff_with(TokenScope.ROSTER_READ))]
AssignmentsReader = Annotated[Caller, Depends(staff_with(TokenScope.ASSIGNMENTS_READ))]
AttemptsReader = Annotated[Caller, Depends(staff_with(TokenScope.ATTEMPTS_READ))]
ResultsReader = Annotated[Caller, Depends(staff_with(TokenScope.RESULTS_READ))]
GradesReader = Annotated[Caller, Depends(staff_with(TokenScope.GRADES_READ))]
ExtensionsReader = Annotated[Caller, Depends(staff_with(TokenScope.EXTENSIONS_READ))]
ExtensionsWriter = Annotated[Caller, Depends(staff_with(TokenScope.EXTENSIONS_WRITE))]
OverridesReader = Annotated[Caller, Depends(staff_with(TokenScope.OVERRIDES_READ))]
OverridesWriter = Annotated[Caller, Depends(staff_with(TokenScope.OVERRIDES_WRITE))]
RegradesReader = Annotated[Caller, Depends(staff_with(TokenScope.REGRADES_READ))]
RegradesWriter = Annotated[Caller, Depends(staff_with(TokenScope.REGRADES_WRITE))]


class PageRequest(Record):
    """Query of a list: `cursor` is `next` of the previous page, and `limit` the number of rows on a page."""

    cursor: int = Field(default=0, ge=0, lt=2**31)
    limit: int = Field(default=USUAL_PAGE_ROWS, ge=1, le=MAX_PAGE_ROWS)


AnyPage = Annotated[PageRequest, Query()]

Row = TypeVar("Row")
Item = TypeVar("Item")


class ListPage(Record, Generic[Item]):
    """A page of a list. `next` is the cursor of the next page, or null on the last page."""

    items: tuple[Item, ...]
    next: int | None


def page_of(
    rows: Sequence[Row], asked: PageRequest, number: Callable[[Row], int], item: Callable[[Row], Item]
) -> ListPage[Item]:
    """A page from its rows and, if another page follows, one more row. `number` is the position of a row in the list,
    and `item` converts a row.
    """
    shown = rows[: asked.limit]
    following = number(shown[-1]) if len(rows) > asked.limit else None
    return ListPage(items=tuple(map(item, shown)), next=following)
