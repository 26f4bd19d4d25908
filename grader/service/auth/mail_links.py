"""Links by mail: anybody may ask for one, for anybody, and learns nothing by it.

Who asks is answered before anything is looked up, so neither words nor time tell who is on the roster. A person has
three links that are open at most: nobody fills a mailbox, and nobody is kept out, since those links work.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from smtplib import SMTPException
from threading import BoundedSemaphore

from sqlalchemy.exc import SQLAlchemyError

from grader.service.auth.email import Mailer, letter
from grader.service.auth.sessions import MAIL_LASTS, end_link, mail_link, person_named
from grader.service.db.keys import is_same_key
from grader.service.db.session import Database

WAITING = 1000
"""Requests that wait to be answered; one more is dropped."""

LONGEST = 254
"""Characters of an address."""

LOG = logging.getLogger(__name__)

SUBJECT = "Your sign-in link"
TEXT = """\
Somebody, probably you, has asked for a link to sign in to the course at {origin}.

{origin}/join/{token}

It works once, within {minutes} minutes. If you have not asked for it, do nothing.
"""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What links are made with: the database, the address that browsers use, and the time."""

    database: Database
    origin: str
    now: Callable[[], datetime]


@dataclass(frozen=True, kw_only=True)
class MailLinks:
    """Sends links: `sender` is whom they come from, `domain` makes addresses of keys that are none."""

    around: Surroundings
    send: Mailer
    sender: str
    domain: str
    _worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "mail"))
    _waiting: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(WAITING))

    def ask(self, typed: str) -> None:
        """Have a link sent to whoever this key or address names, if anybody; returns at once."""
        if not self._waiting.acquire(blocking=False):
            LOG.warning("too many ask for sign-in links; one was not sent")
            return
        self._worker.submit(self._answer, typed)

    def wait(self) -> None:
        """Until all that was asked for before has been answered."""
        self._worker.submit(int).result()

    def _answer(self, typed: str) -> None:
        try:
            self._send(typed.strip())
        except (SQLAlchemyError, SMTPException, OSError, ValueError) as error:
            LOG.warning("a sign-in link could not be sent: %s", type(error).__name__)  # its text may quote an address
        finally:
            self._waiting.release()

    def _send(self, typed: str) -> None:
        if not 0 < len(typed) <= LONGEST:
            return
        local, _, domain = typed.rpartition("@")
        keys = {typed, local} if self.domain and is_same_key(domain, self.domain) else {typed}
        with self.around.database.reading() as session:
            person = person_named(session, keys)
        if person is None or not ("@" in person.key or self.domain):
            return
        with self.around.database.writing() as session:
            token = mail_link(session, person.id, self.around.now())
        if token is None:
            return
        to = person.key if "@" in person.key else f"{person.key}@{self.domain}"
        words = TEXT.format(origin=self.around.origin, token=token, minutes=int(MAIL_LASTS.total_seconds() // 60))
        try:
            self.send(letter(self.sender, to, SUBJECT, words))
        except BaseException:
            with self.around.database.writing() as session:
                end_link(session, token)
            raise
