"""Outbox of mails to students and of events for webhooks, and the rules by which rows are sent to others: mails, events
and scores for learning platforms. A row is stored in the same transaction as the event that it reports.

    event (graded, regrade ended) -> a DeliveryRow for each webhook -> serve/deliveries.py sends it
    event (graded, answered, extended) -> MailRow -> serve/notifier.py sends it

An event identifies attempts and students, but does not contain points. A receiver asks the API for them, with a token
whose scopes decide what it may see. A mail contains the name of an assignment and the address of a page, but no result.
Therefore it is the same whether or not results are held back.

    to send --begin()--> on its way --accepted--> sent
       ^                     |
       +--- after a pause ---+---- too many ----> refused

Before a process sends a row, it marks the row as begun, so that no other process sends it at the same time. The process
may end before it stores the answer. Therefore, the mark expires after some minutes.
"""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from grader.service.db.session import Database
from grader.service.db.tables.lti import LtiScoreRow
from grader.service.db.tables.outbox import DeliveryRow, MailChoiceRow, MailRow, WebhookRow
from grader.service.db.tables.submissions import AttemptRow, ShareRow

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


class WebhookEvent(StrEnum):
    """Event that a webhook reports."""

    GRADED = "attempt.graded"
    REGRADE_ENDED = "regrade.ended"


_WEBHOOKS = select(WebhookRow.id).with_for_update(read=True, key_share=True)
"""Query for the webhooks. On PostgreSQL, it locks them. Without the lock, a webhook could be removed before its event
is stored. The event and the result of the grading would then be lost.
"""


def put_event(session: Session, event: WebhookEvent, path: str, data: Mapping[str, object], now: datetime) -> None:
    """Put an event about the page at `path` in the outbox, for each webhook of the course."""
    for webhook_id in session.scalars(_WEBHOOKS):
        session.add(
            DeliveryRow(
                webhook_id=webhook_id,
                public=secrets.token_urlsafe(16),
                event=event,
                path=path,
                data=json.dumps(data),
                at=now,
                state=SendState.TO_SEND,
                tries=0,
                not_before=now,
                words="",
            )
        )


def put_graded(session: Session, attempt: AttemptRow, now: datetime, *, complete: bool) -> None:
    """Report that an attempt was graded. It is `complete` unless its hidden cases have not run yet. No-op for a trial
    run.
    """
    if attempt.trial or not session.scalars(_WEBHOOKS).all():
        return
    about = {
        "attempt": attempt.public,
        "assignment": attempt.assignment,
        "student": attempt.person.key,
        "number": attempt.number,
        "complete": complete,
    }
    put_event(session, WebhookEvent.GRADED, f"/attempts/{attempt.public}", about, now)


class MailKind(StrEnum):
    """Event that a mail to a student reports."""

    GRADED = "graded"
    REGRADED = "regraded"
    ANSWERED = "answered"
    EXTENDED = "extended"


@dataclass(frozen=True, kw_only=True)
class Mail:
    """A mail: its event, the assignment, and the address of the page to read."""

    kind: MailKind
    assignment: str
    path: str


def put_mail(session: Session, person_id: int, mail: Mail, now: datetime) -> None:
    """Put a mail to a person in the outbox."""
    values = {"kind": mail.kind, "assignment": mail.assignment, "path": mail.path}
    session.add(MailRow(person_id=person_id, at=now, **values))


def put_mails_about(session: Session, kind: MailKind, attempt: AttemptRow, now: datetime) -> None:
    """Put a mail in the outbox for each owner of an attempt. No-op for a trial run."""
    if attempt.trial:
        return
    mail = Mail(kind=kind, assignment=attempt.assignment, path=f"/attempts/{attempt.public}")
    sharing = session.scalars(select(ShareRow.person_id).where(ShareRow.attempt_id == attempt.id))
    for person_id in (attempt.person_id, *sharing):
        put_mail(session, person_id, mail, now)


def switched_off(session: Session, person_id: int) -> frozenset[MailKind]:
    """Kinds of mail that a person has switched off."""
    found = session.scalars(select(MailChoiceRow.kind).where(MailChoiceRow.person_id == person_id))
    return frozenset(map(MailKind, found))


def choose_mails(session: Session, person_id: int, wanted: Collection[MailKind]) -> None:
    """Send a person only these kinds of mail from now on."""
    session.execute(delete(MailChoiceRow).where(MailChoiceRow.person_id == person_id))
    off = (each for each in MailKind if each not in wanted)
    session.add_all(MailChoiceRow(person_id=person_id, kind=each) for each in off)
