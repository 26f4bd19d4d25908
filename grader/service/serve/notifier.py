"""Sends notices to the people who teach through a webhook, when a student has asked a question or a grading has failed
because of a fault of the service, and each mail in the outbox once.

Notices are found by a query over stored data. Therefore a notice that fails, because the service ends or the webhook
does not answer, is sent again later. Notices do not contain names of people because the chat behind the webhook may
belong to another organization. A mail that cannot be sent does not delay others, and is tried again for a day.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from grader.common.record import Record
from grader.service.db.outbox import MailKind, begin, delete_older, is_free
from grader.service.db.session import Database, utc_now
from grader.service.db.tables.outbox import MailChoiceRow, MailRow, NoticeRow
from grader.service.db.tables.people import PersonRow
from grader.service.grades.decisions.questions import open_requests
from grader.service.grades.views import faulted
from grader.service.network.addresses import ANY_NETWORK
from grader.service.network.client import HttpClient
from grader.service.people.auth.mail_links import MailLinks, email_message

RETRY_PERIOD, STORAGE_PERIOD = timedelta(days=1), timedelta(days=7)
"""Time for which failed mails are tried again, and time after which all mails are deleted."""

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

QUESTION, FAULT = "question", "fault"

RETRY_AFTER = timedelta(minutes=5)
"""Time after which a notice or a mail that did not arrive is sent again."""

MAX_SENT_AT_ONCE = 20
"""Maximum number of notices, and of mails, that are sent at a time."""

INTERVAL_SECONDS = 10.0
"""Seconds between two runs of a job."""

HOOK_TIMEOUT_SECONDS, MAX_ANSWER_BYTES = 20.0, 300
"""Seconds within which the webhook must answer, and the maximum number of bytes of the answer that are read."""

END_SECONDS = 1.0
"""Seconds that the service waits for a running job when it ends. A notice that did not arrive is sent again later."""

Hook = Callable[[str], None]
"""Function that sends a text. Raises OSError if the webhook does not accept it."""


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


class Notice(Record):
    """A notice to the people who teach. `about` is the number of the question or grading that it concerns."""

    kind: str
    about: int
    text: str


def due_notices(session: Session, origin: str, now: datetime) -> list[Notice]:
    """Notices to send now."""
    rows = session.scalars(select(NoticeRow))
    settled = {(row.kind, row.about) for row in rows if _is_settled(row, now)}
    return [each for each in _open(session, origin) if (each.kind, each.about) not in settled][:MAX_SENT_AT_ONCE]


def begin_notices(session: Session, notices: Sequence[Notice], now: datetime) -> list[Notice]:
    """Mark that sending these notices has begun, and return those that no other process has begun to send in the
    meantime.
    """
    found = []
    for each in notices:
        row = session.scalars(select(NoticeRow).filter_by(kind=each.kind, about=each.about)).one_or_none()
        if row is not None and _is_settled(row, now):
            continue
        found.append(each)
        if row is None:
            session.add(NoticeRow(kind=each.kind, about=each.about, at=now))
        else:
            row.at = now
    return found


def _is_settled(row: NoticeRow, now: datetime) -> bool:
    """True if a notice has arrived, or if its sending began a moment ago."""
    return row.sent is not None or row.at > now - RETRY_AFTER


def _open(session: Session, origin: str) -> Iterator[Notice]:
    for asked in open_requests(session):
        where = f"{origin}/attempts/{asked.attempt.public}"
        text = f"A student asks about a grading of {asked.attempt.assignment}: {where}"
        yield Notice(kind=QUESTION, about=asked.id, text=text)
    for grading in faulted(session):
        text = (
            f"An attempt at {grading.attempt.assignment} was not graded because of a fault of the service: "
            f"{origin}/course/system#faults"
        )
        yield Notice(kind=FAULT, about=grading.id, text=text)


def note_arrival(session: Session, notice: Notice, now: datetime) -> None:
    """Mark a notice as sent."""
    row = session.scalars(select(NoticeRow).filter_by(kind=notice.kind, about=notice.about)).one()
    row.sent = now


def send_notices(database: Database, origin: str, hook: Hook, now: datetime) -> None:
    """Send the notices that are due. Raises OSError if the webhook does not accept one, which is sent again later."""
    with database.reading() as session:
        notices = due_notices(session, origin, now)
    if notices:
        with database.writing() as session:
            notices = begin_notices(session, notices, now)
    for each in notices:
        hook(each.text)
        with database.writing() as session:
            note_arrival(session, each, now)


def webhook(address: str) -> Hook:
    """Create a hook that sends a POST request to this address. The address is a secret, so errors do not contain it."""
    client = HttpClient(
        private=ANY_NETWORK,
        read_seconds=HOOK_TIMEOUT_SECONDS,
        seconds=HOOK_TIMEOUT_SECONDS,
        max_bytes=MAX_ANSWER_BYTES,
    )

    def post(text: str) -> None:
        headers = {"content-type": "application/json"}
        answer = client.send("POST", address, headers, json.dumps({"text": text}).encode())
        if not answer.is_accepted:
            raise OSError(f"answered {answer.status}")

    return post


@dataclass(frozen=True, kw_only=True)
class RepeatedJob:
    """A job that a thread repeats. When it starts to fail, `failure_message` is printed with the reason."""

    name: str
    run: Callable[[], None]
    failure_message: str


@contextmanager
def notice_thread(database: Database, origin: str, hook: Hook | None, say: Callable[[str], None]) -> Iterator[None]:
    """Send notices during the block. `say` prints a line when sending starts to fail. No-op without a hook."""
    if hook is None:
        yield
        return
    failure_message = "the webhook did not accept a notice ({}); it is sent again every 5 minutes."
    job = RepeatedJob(
        name="notices", run=lambda: send_notices(database, origin, hook, utc_now()), failure_message=failure_message
    )
    with job_thread(job, say):
        yield


@contextmanager
def mail_thread(database: Database, origin: str, mail: MailLinks | None, say: Callable[[str], None]) -> Iterator[None]:
    """Send mails to students during the block. Without a mail server, only delete mails after a week."""

    def send() -> None:
        if mail is None:
            delete_old(database, utc_now())
        else:
            send_due(database, origin, mail, utc_now())

    failure_message = "the mail server refused a mail to a student ({}); it is sent again every 5 minutes for a day."
    with job_thread(RepeatedJob(name="mails", run=send, failure_message=failure_message), say):
        yield


@contextmanager
def job_thread(job: RepeatedJob, say: Callable[[str], None]) -> Iterator[None]:
    """Repeat a job in a thread during the block. A job that waits for a server delays the end of the block by at most a
    second.
    """
    over = threading.Event()
    thread = threading.Thread(target=_keep_doing, args=(job, over, say), name=job.name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(END_SECONDS)


def _keep_doing(job: RepeatedJob, over: threading.Event, say: Callable[[str], None]) -> None:
    failed = ""
    while not over.wait(INTERVAL_SECONDS):
        try:
            job.run()
            failed = ""
        except Exception as error:  # noqa: BLE001 - a failed run must not end all later ones
            reason = str(error) if isinstance(error, OSError) else type(error).__name__
            if reason != failed:
                say(job.failure_message.format(reason))
            failed = reason
