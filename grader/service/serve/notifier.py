"""Whoever teaches is told by a webhook that a student asks, and that something was not graded by our fault.

What is to be told is a query over what is stored, so a notice is lost neither where the service ends nor where the hook
does not answer: then it is told again. No name goes to the hook, whose chat may be somebody else's.
"""

import json
import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from http.client import HTTPException
from typing import Any
from urllib.request import HTTPRedirectHandler

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.record import Record
from grader.service.auth.mail_links import MailLinks
from grader.service.db.clock import utc_now
from grader.service.db.models import NoticeRow
from grader.service.db.session import Database
from grader.service.decisions.questions import open_requests
from grader.service.grades.views import faulted
from grader.service.serve.mailer import delete_old, send_due

QUESTION, FAULT = "question", "fault"

AGAIN = timedelta(minutes=5)
"""After which a notice that did not arrive is told again."""

AT_ONCE = 20
"""Notices that are told one after the other."""

EVERY = 10.0
"""Seconds between two looks."""

PATIENCE = 20.0
"""Seconds that the hook has to answer."""

LEAVE = 1.0
"""Seconds that the end of the service waits for a notice in progress; a notice that did not arrive is sent again."""

Hook = Callable[[str], None]
"""Takes a text; raises OSError."""


class Notice(Record):
    """A sentence, and what it is about."""

    kind: str
    about: int
    text: str


def due(session: Session, origin: str, now: datetime) -> list[Notice]:
    """Notices to send now."""
    rows = session.scalars(select(NoticeRow))
    settled = {(row.kind, row.about) for row in rows if _is_settled(row, now)}
    return [each for each in _open(session, origin) if (each.kind, each.about) not in settled][:AT_ONCE]


def begun(session: Session, notices: Sequence[Notice], now: datetime) -> list[Notice]:
    """Notices that no other process has begun in the meantime. They count as begun, so no other process sends them."""
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
    """True if a notice has arrived, or was begun a moment ago."""
    return row.sent is not None or row.at > now - AGAIN


def _open(session: Session, origin: str) -> Iterator[Notice]:
    for asked in open_requests(session):
        where = f"{origin}/attempts/{asked.attempt.public}"
        text = f"A student asks about a grading of {asked.attempt.assignment}: {where}"
        yield Notice(kind=QUESTION, about=asked.id, text=text)
    for grading in faulted(session):
        text = f"An attempt at {grading.attempt.assignment} was not graded, by our fault: {origin}/course/faults"
        yield Notice(kind=FAULT, about=grading.id, text=text)


def arrived(session: Session, notice: Notice, now: datetime) -> None:
    """Note that it need not be told again."""
    row = session.scalars(select(NoticeRow).filter_by(kind=notice.kind, about=notice.about)).one()
    row.sent = now


class NoRedirects(HTTPRedirectHandler):
    """Follows no redirects: the text would be lost, and the new address is unknown."""

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> None:
        """Treat a redirect as an error."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def tell(database: Database, origin: str, hook: Hook, now: datetime) -> None:
    """Tell what is due; raises OSError when the hook does not take one, which is told again later."""
    with database.reading() as session:
        notices = due(session, origin, now)
    if notices:
        with database.writing() as session:
            notices = begun(session, notices, now)
    for each in notices:
        hook(each.text)
        with database.writing() as session:
            arrived(session, each, now)


def webhook(address: str) -> Hook:
    """What a POST to this address does, which stands in no message."""
    opener = urllib.request.build_opener(NoRedirects)

    def post(text: str) -> None:
        headers = {"content-type": "application/json", "user-agent": "grader"}
        asked = urllib.request.Request(address, json.dumps({"text": text}).encode(), headers)  # noqa: S310 - it is http
        try:
            with opener.open(asked, timeout=PATIENCE):
                return
        except (HTTPException, ValueError) as error:  # an answer that is not HTTP
            raise OSError(type(error).__name__) from error

    return post


@dataclass(frozen=True, kw_only=True)
class RepeatedJob:
    """Work that a thread repeats, its name, and the line that is printed with the reason when it begins to fail."""

    name: str
    does: Callable[[], None]
    complaint: str


@contextmanager
def telling(database: Database, origin: str, hook: Hook | None, say: Callable[[str], None]) -> Iterator[None]:
    """In the block, notices are told; `say` prints a line when that begins to fail. Nothing is done without a hook."""
    if hook is None:
        yield
        return
    complaint = "the webhook of notices took nothing ({}); it is told again every 5 minutes."
    job = RepeatedJob(name="notices", does=lambda: tell(database, origin, hook, utc_now()), complaint=complaint)
    with repeating(job, say):
        yield


@contextmanager
def mailing(database: Database, origin: str, mail: MailLinks | None, say: Callable[[str], None]) -> Iterator[None]:
    """In the block, mails to students are sent. Where no mail is set up, they are only deleted after a week."""

    def send() -> None:
        if mail is None:
            delete_old(database, utc_now())
        else:
            send_due(database, origin, mail, utc_now())

    complaint = "the mail server refused a mail to a student ({}); it is sent again every 5 minutes, for a day."
    with repeating(RepeatedJob(name="mails", does=send, complaint=complaint), say):
        yield


@contextmanager
def repeating(job: RepeatedJob, say: Callable[[str], None]) -> Iterator[None]:
    """In the block, a thread repeats this job. A job that waits for a server delays the end by a second at most."""
    over = threading.Event()
    thread = threading.Thread(target=_keep_doing, args=(job, over, say), name=job.name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(LEAVE)


def _keep_doing(job: RepeatedJob, over: threading.Event, say: Callable[[str], None]) -> None:
    failed = ""
    while not over.wait(EVERY):
        try:
            job.does()
            failed = ""
        except Exception as error:  # noqa: BLE001 - what ends this thread ends all notices
            reason = str(error) if isinstance(error, OSError) else type(error).__name__
            if reason != failed:
                say(job.complaint.format(reason))
            failed = reason
