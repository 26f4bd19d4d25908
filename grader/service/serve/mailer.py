"""Sends each mail in the outbox once. A mail that cannot be sent does not delay others, and is tried
again for a day.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from grader.service.db.outbox import MailKind, begin, delete_older, is_free
from grader.service.db.session import Database
from grader.service.db.tables.outbox import MailChoiceRow, MailRow
from grader.service.db.tables.people import PersonRow
from grader.service.people.auth.mail_links import MailLinks, email_message

RETRY_PERIOD, STORAGE_PERIOD = timedelta(days=1), timedelta(days=7)
"""Time for which failed mails are tried again, and time after which all mails are deleted."""

RETRY_AFTER = timedelta(minutes=5)
"""Time after which a mail that could not be sent is tried again."""

MAX_SENT_AT_ONCE = 20
"""Maximum number of mails that are sent at a time."""

SUBJECTS = {
    MailKind.GRADED: "Your attempt at {} was graded",
    MailKind.REGRADED: "Your attempt at {} was graded again",
    MailKind.ANSWERED: "Your question about {} was answered",
    MailKind.EXTENDED: "You have an extension for {}",
}

TEXT = """\
{subject}. Read it here:

{origin}{path}

You can switch such mails off: {origin}/mails
"""


@dataclass(frozen=True, kw_only=True)
class _DueMail:
    """A mail to send."""

    row: int
    key: str
    subject: str
    path: str


def send_due(database: Database, origin: str, mail: MailLinks, now: datetime) -> None:
    """Send the mails that are due. If some cannot be sent, raises OSError for the last of them after all have been
    tried.
    """
    delete_old(database, now)
    with database.reading() as session:
        due = _due(session, now)
    if due:
        with database.writing() as session:
            due = [each for each in due if begin(session, MailRow, each.row, _is_due(now), {"begun": now})]
    failure = ""
    for each in due:
        text = TEXT.format(subject=each.subject, origin=origin, path=each.path)
        address = each.key if "@" in each.key or not mail.domain else f"{each.key}@{mail.domain}"
        try:
            if "@" in address:
                mail.send(email_message(mail.sender, address, each.subject, text))
        except (ValueError, SMTPRecipientsRefused):
            pass  # the address is wrong, so a retry would fail, too
        except (OSError, SMTPException) as error:
            failure = type(error).__name__  # the text of the error may quote an address
            continue
        with database.writing() as session:
            session.execute(update(MailRow).where(MailRow.id == each.row).values(sent=now))
    if failure:
        raise OSError(failure)


def delete_old(database: Database, now: datetime) -> None:
    """Delete all mails that are older than a week. Unsent ones accumulate if no mail server is configured."""
    delete_older(database, MailRow, now - STORAGE_PERIOD)


def _due(session: Session, now: datetime) -> Sequence[_DueMail]:
    """Unsent mails to active people who want them, except mails that a process has just begun to send."""
    off = select(MailChoiceRow.id).where(
        MailChoiceRow.person_id == MailRow.person_id, MailChoiceRow.kind == MailRow.kind
    )
    wanted = (
        select(MailRow, PersonRow.key)
        .join(PersonRow, PersonRow.id == MailRow.person_id)
        .where(MailRow.at > now - RETRY_PERIOD, *_is_due(now))
        .where(PersonRow.deactivated.is_(None), ~off.exists())
    )
    found = session.execute(wanted.order_by(MailRow.id).limit(MAX_SENT_AT_ONCE))
    return [
        _DueMail(row=row.id, key=key, subject=SUBJECTS[MailKind(row.kind)].format(row.assignment), path=row.path)
        for row, key in found
    ]


def _is_due(now: datetime) -> tuple[ColumnElement[bool], ...]:
    """SQL conditions for a mail that was not sent and that no process is sending."""
    return MailRow.sent.is_(None), is_free(MailRow.begun, now, RETRY_AFTER)
