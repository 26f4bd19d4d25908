"""Sign-in links by mail. Anyone may request a link for any person. The answer does not reveal anything about the
person.

The answer is sent before the person is looked up, so neither its text nor its time reveals who is on the roster. A
person has at most three open links, so requests by others cannot flood the mailbox. They do not lock the person out
either, because all open links work.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from smtplib import SMTPException
from threading import BoundedSemaphore

from sqlalchemy.exc import SQLAlchemyError

from grader.service.db.keys import is_same_key
from grader.service.db.session import Database
from grader.service.people.auth.email import Mailer, email_message
from grader.service.people.auth.sessions import MAIL_LINK_LIFETIME, end_link, mail_link, person_named

MAX_WAITING_REQUESTS = 1000
"""Maximum number of requests in the queue. Further requests are dropped."""

MAX_ADDRESS_LENGTH = 254
"""Maximum length of a mail address."""

LOG = logging.getLogger(__name__)

SUBJECT = "Your sign-in link"
TEXT = """\
Someone, probably you, has asked for a link to sign in to the course at {origin}.

{origin}/join/{token}

It works once, within {minutes} minutes. If you have not asked for it, do nothing.
"""


@dataclass(frozen=True, kw_only=True)
class LinkContext:
    """The objects needed to create links: the database, the address of the service in browsers, and the clock."""

    database: Database
    origin: str
    now: Callable[[], datetime]


@dataclass(frozen=True, kw_only=True)
class MailLinks:
    """Sends links by mail from the address `sender`. `domain` completes keys that are not mail addresses."""

    context: LinkContext
    send: Mailer
    sender: str
    domain: str
    _worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "mail"))
    _waiting: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(MAX_WAITING_REQUESTS))

    def ask(self, typed: str) -> None:
        """Queue a link for the person with this key or address, and return at once. No-op for an unknown person."""
        if not self._waiting.acquire(blocking=False):
            LOG.warning("a sign-in link was not sent because too many requests for links are waiting")
            return
        self._worker.submit(self._answer, typed)

    def wait(self) -> None:
        """Wait until all earlier requests have been handled."""
        self._worker.submit(int).result()

    def _answer(self, typed: str) -> None:
        try:
            self._send(typed.strip())
        except (SQLAlchemyError, SMTPException, OSError, ValueError) as error:
            LOG.warning("a sign-in link could not be sent: %s", type(error).__name__)  # its text may quote an address
        finally:
            self._waiting.release()

    def _send(self, typed: str) -> None:
        if not 0 < len(typed) <= MAX_ADDRESS_LENGTH:
            return
        local, _, domain = typed.rpartition("@")
        keys = {typed, local} if self.domain and is_same_key(domain, self.domain) else {typed}
        with self.context.database.reading() as session:
            person = person_named(session, keys)
        if person is None or not ("@" in person.key or self.domain):
            return
        with self.context.database.writing() as session:
            token = mail_link(session, person.id, self.context.now())
        if token is None:
            return
        to = person.key if "@" in person.key else f"{person.key}@{self.domain}"
        words = TEXT.format(
            origin=self.context.origin, token=token, minutes=int(MAIL_LINK_LIFETIME.total_seconds() // 60)
        )
        try:
            self.send(email_message(self.sender, to, SUBJECT, words))
        except BaseException:
            with self.context.database.writing() as session:
                end_link(session, token)
            raise
