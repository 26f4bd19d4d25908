"""email.py: messages reach a mail server, and a password is never sent without TLS."""

import socketserver
import threading
from contextlib import contextmanager

import pytest

from grader.common.sign_in import MailRules
from grader.service.people.auth.email import Smtp, email_message, printing_mailer

ANSWERS = {"EHLO": "250 here", "MAIL": "250 ok", "RCPT": "250 ok", "DATA": "354 go on", "QUIT": "221 bye"}


class _Server(socketserver.StreamRequestHandler):
    """A mail server that supports only the SMTP commands that one message needs. It has no TLS or other extensions."""

    def handle(self):
        self._say("220 here")
        for line in self.rfile:
            self.server.heard.append(line.decode().strip())
            word = line[:4].decode().upper()
            self._say(ANSWERS.get(word, "502 no"))
            if word == "DATA":
                while (more := self.rfile.readline().decode().strip()) != ".":
                    self.server.heard.append(more)
                self._say("250 ok")
            if word == "QUIT":
                return

    def _say(self, words):
        self.wfile.write(f"{words}\r\n".encode())


@contextmanager
def _serving():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Server) as server:
        server.heard = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _rules(server, security):
    host, port = server.server_address
    return MailRules(host=host, port=port, security=security, sender="course@example.org", user="u")


MESSAGE = email_message("course@example.org", "ada@example.org", "Your sign-in link", "a link\n")


def test_a_message_reaches_its_server():
    """A message reaches its mail server with the sender, recipient, subject and text."""
    with _serving() as server:
        rules = MailRules.model_validate({**_rules(server, "none").model_dump(), "user": ""})
        Smtp(rules=rules, password="")(MESSAGE)
        heard = "\n".join(server.heard)
    for each in ("MAIL FROM:<course@example.org>", "RCPT TO:<ada@example.org>", "Subject: Your sign-in link", "a link"):
        assert each.lower() in heard.lower()


def test_a_server_without_tls_is_told_no_password():
    """A server without STARTTLS receives neither the password nor the message, because an attacker may be
    in between.
    """
    with _serving() as server:
        with pytest.raises(OSError, match="STARTTLS"):
            Smtp(rules=_rules(server, "starttls"), password="hush")(MESSAGE)
        heard = "\n".join(server.heard)
    assert "AUTH" not in heard
    assert "MAIL" not in heard


def test_an_address_cannot_add_lines_to_a_message():
    """An address with a line break, for example from a malicious roster key, cannot add headers to a message."""
    with pytest.raises(ValueError, match="linefeed"):
        email_message("course@example.org", "ada@example.org\r\nBcc: b@example.org", "link", "words")


def test_the_demo_prints_what_would_be_sent():
    """The demo prints each message to the terminal instead of sending it."""
    lines = []
    printing_mailer(lines.append)(MESSAGE)
    assert lines == ["mail to ada@example.org: a link"]
