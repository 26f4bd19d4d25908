"""Sends mail by SMTP, or prints it in the demo."""

import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from grader.common.sign_in import MailRules

SMTP_TIMEOUT_SECONDS = 20.0
"""Seconds to wait for each answer of the mail server."""

Mailer = Callable[[EmailMessage], None]
"""Sends a message; raises OSError or SMTPException."""


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
