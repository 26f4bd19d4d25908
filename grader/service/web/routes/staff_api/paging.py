"""Paging of lists by cursor. A cursor is the number of the last row of a page. Therefore the pages do not shift
when rows are added or removed while a program reads.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import Field

from grader.common.record import Record

MAX_PAGE_ROWS, USUAL_PAGE_ROWS = 500, 100
"""Maximum and default number of rows on a page."""


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
