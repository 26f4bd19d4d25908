"""Rules for rows that are sent to other services: mails, events for webhooks, and scores for learning platforms.

    to send --begin()--> on its way --accepted--> sent
       ^                     |
       +--- after a pause ---+---- too many ----> refused

Before a process sends a row, it marks the row as begun, so that no other process sends it at the same time. The process
may end before it stores the answer. Therefore, the mark expires after some minutes.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from grader.service.db.session import Database
from grader.service.db.tables.lti import LtiScoreRow
from grader.service.db.tables.outbox import DeliveryRow, MailRow

MAX_DELETED_AT_ONCE = 200
"""Maximum number of rows that are deleted at a time."""


class SendState(StrEnum):
    """State of a row. A refused row is not sent again unless an instructor asks for it or the row changes."""

    TO_SEND = "to send"
    SENT = "sent"
    REFUSED = "refused"


def doubled(first: timedelta, longest: timedelta, number: int) -> tuple[timedelta, ...]:
    """A number of pauses, each twice as long as the one before, but not longer than `longest`."""
    return tuple(min(longest, first * 2**each) for each in range(number))


def is_free(begun: InstrumentedAttribute[datetime | None], now: datetime, after: timedelta) -> ColumnElement[bool]:
    """SQL condition for a row that no process is sending: none has begun, or it began so long ago that it must have
    ended.
    """
    return or_(begun.is_(None), begun <= now - after)


def begin(
    session: Session,
    row: type[DeliveryRow | LtiScoreRow | MailRow],
    number: int,
    is_due: Sequence[ColumnElement[bool]],
    values: Mapping[str, Any],
) -> bool:
    """Store these values, which mark the row as begun. Returns False if another process has begun to send it."""
    begun = update(row).where(row.id == number, *is_due).values(**values).returning(row.id)
    return session.scalar(begun) is not None


def note_failure(row: DeliveryRow | LtiScoreRow, pauses: Sequence[timedelta], now: datetime) -> None:
    """Schedule a row to be sent again after the pause for its last try. If no pause is left, refuse the row."""
    if row.tries > len(pauses):
        row.state = SendState.REFUSED
    else:
        row.not_before = now + pauses[row.tries - 1]


def delete_older(database: Database, row: type[DeliveryRow | MailRow], time: datetime) -> None:
    """Delete some of the rows that are older than this time."""
    with database.reading() as session:
        old = session.scalars(select(row.id).where(row.at < time).limit(MAX_DELETED_AT_ONCE)).all()
    if old:
        with database.writing() as session:
            session.execute(delete(row).where(row.id.in_(old)))
