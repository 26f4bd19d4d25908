"""Mail: by SMTP or, in the demo, printed."""

import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from grader.common.sign_in import MailRules

PATIENCE = 20.0
"""Seconds that a mail server has for each answer."""

Mailer = Callable[[EmailMessage], None]
"""Sends a message; raises OSError or SMTPException."""


def letter(sender: str, to: str, subject: str, text: str) -> EmailMessage:
    """A message; raises ValueError for an address that cannot stand in one."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=sender.rpartition("@")[2] or None)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message


@dataclass(frozen=True, kw_only=True)
class Smtp:
    """A mail server; `password` stands in no text that is made of this."""

    rules: MailRules
    password: str

    def __repr__(self) -> str:
        return f"Smtp({self.rules.host})"

    def __call__(self, message: EmailMessage) -> None:
        """Send it, by TLS unless the operator has said otherwise."""
        context, where = ssl.create_default_context(), (self.rules.host, self.rules.port)
        if self.rules.security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(*where, timeout=PATIENCE, context=context)
        else:
            server = smtplib.SMTP(*where, timeout=PATIENCE)
        with server:
            if self.rules.security == "starttls":
                server.starttls(context=context)
            if self.rules.user:
                server.login(self.rules.user, self.password)
            server.send_message(message)


def printing(say: Callable[[str], None]) -> Mailer:
    """The demo's: whoever sees the terminal may read it."""

    def printed(message: EmailMessage) -> None:
        say(f"mail to {message['To']}: {message.get_content().strip()}")

    return printed
