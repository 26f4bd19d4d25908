"""Reads the audit trail, page by page, filtered or as a whole, and writes the lines of stations. Lines of stations are
shown separately from lines of people because a single regrading adds a line for each attempt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from grader.common.record import Record
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.submissions import AttemptRow

LINES_PER_PAGE = 100
"""Number of lines on a page."""

LINES_PER_QUERY = 1000
"""Number of lines per query when the whole audit trail is read."""

By = Literal["people", "stations", "all"]


class AuditFilter(Record):
    """Filter in the query string: lines that contain all of these words, by people or stations, and before the line
    `before`.
    """

    find: str = Field(default="", max_length=200)
    by: By = "people"
    before: int | None = Field(default=None, ge=1, lt=2**31)


@dataclass(frozen=True, kw_only=True)
class AuditPage:
    """Lines of the audit trail, the latest first. If earlier lines follow, `before` is the number of the last line."""

    lines: tuple[AuditRow, ...]
    before: int | None


def note_by_station(session: Session, attempt: AttemptRow, words: str, now: datetime) -> None:
    """Write a line by a station about an attempt. Students do not see it because it may reveal a hidden outcome."""
    what = f"{attempt.in_words}: {words}"
    session.add(AuditRow(at=now, who="a station", about=attempt.person.key, what=what, by_station=True))


def audit_page(session: Session, wanted: AuditFilter) -> AuditPage:
    """The lines that match a filter."""
    query = select(AuditRow).where(*_conditions(wanted)).order_by(AuditRow.id.desc())
    found = session.scalars(query.limit(LINES_PER_PAGE + 1)).all()
    lines = tuple(found[:LINES_PER_PAGE])
    return AuditPage(lines=lines, before=lines[-1].id if len(found) > LINES_PER_PAGE else None)


def audit_after(session: Session, number: int) -> Sequence[AuditRow]:
    """The next lines after the line with this number, the earliest first."""
    return session.scalars(
        select(AuditRow).where(AuditRow.id > number).order_by(AuditRow.id).limit(LINES_PER_QUERY)
    ).all()


def _conditions(wanted: AuditFilter) -> list[ColumnElement[bool]]:
    text = AuditRow.who + " " + AuditRow.about + " " + AuditRow.what
    conditions = [text.icontains(word, autoescape=True) for word in wanted.find.split()]
    if wanted.by != "all":
        conditions.append(AuditRow.by_station.is_(wanted.by == "stations"))
    if wanted.before is not None:
        conditions.append(AuditRow.id < wanted.before)
    return conditions
