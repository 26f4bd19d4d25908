"""Outbox of mails to students. A mail is stored in the same transaction as the event that it reports.

    event (graded, answered, extended) -> MailRow -> serve/mailer.py sends it

A mail contains the name of an assignment and the address of a page, but no result. Therefore it is the same whether or
not results are held back.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.service.db.tables.outbox import MailChoiceRow, MailRow
from grader.service.db.tables.submissions import AttemptRow, ShareRow


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
