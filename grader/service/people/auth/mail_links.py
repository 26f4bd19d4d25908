"""Mail by SMTP, or printed in the demo, and sign-in links by mail. Anyone may request a link for any person. The answer
does not reveal anything about the person.

The answer is sent before the person is looked up, so neither its text nor its time reveals who is on the roster. A
person has at most three open links, so requests by others cannot flood the mailbox. They do not lock the person out
either, because all open links work.
"""

import logging
import smtplib
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from smtplib import SMTPException
from threading import BoundedSemaphore

from sqlalchemy.exc import SQLAlchemyError

from grader.common.sign_in import MailRules
from grader.service.db.keys import is_same_key
from grader.service.db.session import Database
from grader.service.people.auth.sessions import MAIL_LINK_LIFETIME, end_link, mail_link, person_named

SMTP_TIMEOUT_SECONDS = 20.0
"""Seconds to wait for each answer of the mail server."""

Mailer = Callable[[EmailMessage], None]
"""Sends a message; raises OSError or SMTPException."""

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


def email_message(sender: str, to: str, subject: str, text: str) -> EmailMessage:
    """Build a message. Raises ValueError if an address is not valid in a header."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=sender.rpartition("@")[2] or None)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message


@dataclass(frozen=True, kw_only=True)
class Smtp:
    """A mailer that sends messages through a mail server. Its `repr` does not contain the password."""

    rules: MailRules
    password: str

    def __repr__(self) -> str:
        return f"Smtp({self.rules.host})"

    def __call__(self, message: EmailMessage) -> None:
        """Send a message. The connection uses TLS unless the operator's settings disable it."""
        context, where = ssl.create_default_context(), (self.rules.host, self.rules.port)
        if self.rules.security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(*where, timeout=SMTP_TIMEOUT_SECONDS, context=context)
        else:
            server = smtplib.SMTP(*where, timeout=SMTP_TIMEOUT_SECONDS)
        with server:
            if self.rules.security == "starttls":
                server.starttls(context=context)
            if self.rules.user:
                server.login(self.rules.user, self.password)
            server.send_message(message)


def printing_mailer(say: Callable[[str], None]) -> Mailer:
    """A mailer for the demo that prints messages to the terminal, where everyone who sees it can read them."""

    def printed(message: EmailMessage) -> None:
        say(f"mail to {message['To']}: {message.get_content().strip()}")

    return printed


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
