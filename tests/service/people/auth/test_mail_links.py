"""mail_links.py and its form: sign-in links are sent only to their owner's mailbox, and the answer reveals nothing."""

import socketserver
import threading
from contextlib import contextmanager
from smtplib import SMTPException

import pytest
from services import parts
from sign_in_methods import enter, mailbox, token_in

from grader.common.sign_in import MailRules, SignInRules
from grader.service.db.tables.access import InvitationRow
from grader.service.db.tables.people import CourseRole
from grader.service.network.throttle import RateLimiter
from grader.service.people.auth import mail_links
from grader.service.people.auth.mail_links import LinkContext, Smtp, email_message, printing_mailer
from grader.service.people.auth.methods import sign_in_methods
from grader.service.people.auth.sessions import MAIL_LINK_LIFETIME, MAX_MAIL_LINKS

ANSWERS = {"EHLO": "250 here", "MAIL": "250 ok", "RCPT": "250 ok", "DATA": "354 go on", "QUIT": "221 bye"}


def ask(service, who, client=None):
    said = (client or service.browser()).post("/sign-in/mail", files=parts(who=who))
    service.app_state.sign_in.mail.wait()
    return said


def join(client, token):
    return client.post("/join", files=parts(token=token)).status_code


def test_a_link_comes_by_mail_and_signs_in_once_by_a_click(service):
    """A mailed link signs in once, after a click. Opening the page of the link does not use it up."""
    sent, client = mailbox(service), service.browser()
    assert "By mail" in client.get("/sign-in").text
    assert ask(service, "ada", client).status_code == 200
    (message,) = sent
    assert (message["To"], message["From"]) == ("ada@example.org", "course@example.org")
    token = token_in(message)
    assert client.get(f"/join/{token}").status_code == 200
    assert join(client, token) == 303
    assert "Ada" in client.get("/").text
    assert join(service.browser(), token) == 403


@pytest.mark.parametrize("who", ["ADA@example.org", "  ada ", "Ada"])
def test_people_are_found_however_they_type_their_address(service, who):
    """A person is found by key or by mail address, in upper or lower case."""
    sent = mailbox(service)
    ask(service, who)
    assert [each["To"] for each in sent] == ["ada@example.org"]


def test_nobody_learns_who_is_on_the_roster(service):
    """The answer for an unknown person is byte-identical to the answer for a known one, which keeps the
    roster secret.
    """
    sent, said = mailbox(service), []
    for who in ("ada", "nobody", "", "x" * 300, "a\r\nBcc: b@example.org", "ada@example.com"):
        answer = ask(service, who)
        said.append((answer.status_code, answer.content, dict(answer.headers)))
    assert all(each == said[0] for each in said)
    assert [each["To"] for each in sent] == ["ada@example.org"]


def test_a_key_that_is_an_address_needs_no_domain(service):
    """A roster key that is a mail address gets mail even if no domain is configured. Other keys then get no mail."""
    service.person("cleo@example.net", CourseRole.STUDENT)
    sent = mailbox(service, domain="")
    for who in ("cleo@example.net", "ada"):
        ask(service, who)
    assert [each["To"] for each in sent] == ["cleo@example.net"]


def test_a_mailbox_is_not_filled_and_its_owner_not_kept_out(service):
    """A person has at most three open links, and each of them works. After a sign-in or when they have expired, new
    links are sent again.
    """
    sent = mailbox(service)
    for _ in range(MAX_MAIL_LINKS + 2):
        ask(service, "ada")
    assert len(sent) == MAX_MAIL_LINKS
    assert join(service.browser(), token_in(sent[0])) == 303
    assert join(service.browser(), token_in(sent[1])) == 403
    ask(service, "ada")
    assert len(sent) == MAX_MAIL_LINKS + 1
    service.passes(seconds=MAIL_LINK_LIFETIME.total_seconds())
    assert join(service.browser(), token_in(sent[-1])) == 403
    for _ in range(MAX_MAIL_LINKS + 2):
        ask(service, "ada")
    assert len(sent) == 2 * MAX_MAIL_LINKS + 1


def test_a_link_of_an_instructor_outlives_requests_by_mail(service):
    """A link from an instructor stays valid, even if links by mail are requested for the same person."""
    mailbox(service)
    staff = service.browser("staff")
    form = staff.get("/course/people").text.split('name="form_token" value="')[1].split('"')[0]
    page = staff.post(f"/course/people/{service.ada}/invitation", files=parts(form_token=form)).text
    token = page.split("/join/")[1].split("<")[0]
    for _ in range(MAX_MAIL_LINKS + 1):
        ask(service, "ada")
    assert join(service.browser(), token) == 303


def test_a_network_that_asks_too_often_waits(service):
    """The number of links that a network may request is limited. Requests for all names count together."""
    mailbox(service)
    enter(service, mail=service.app_state.sign_in.mail, link_requests=RateLimiter(2, 600))
    assert [ask(service, who).status_code for who in ("ada", "nobody", "ben")] == [200, 200, 409]


@pytest.mark.parametrize("error", [SMTPException("to ada@example.org"), OSError("ada@example.org"), ValueError("ada")])
def test_what_cannot_be_sent_takes_no_link_and_tells_no_address(service, caplog, error):
    """A message that cannot be sent does not count as one of the three links, and its log entry does not contain the
    address.
    """
    mailbox(service, fails=error)
    for _ in range(MAX_MAIL_LINKS + 1):
        ask(service, "ada")
    with service.database.reading() as session:
        assert session.query(InvitationRow).count() == 0
    assert "could not be sent" in caplog.text
    assert "ada" not in caplog.text


def test_so_many_requests_wait_at_most(service, monkeypatch, caplog):
    """If too many requests are waiting, a further one is dropped and logged. The browser gets the usual answer."""
    monkeypatch.setattr(mail_links, "MAX_WAITING_REQUESTS", 0)
    sent = mailbox(service)
    assert ask(service, "ada").status_code == 200
    assert sent == []
    assert "too many" in caplog.text


def test_a_demo_prints_the_link_and_nobody_else_does(service):
    """The demo prints the link. Without a configured mail server, sign-in by mail is not available."""
    context = LinkContext(database=service.database, origin=service.origin, now=lambda: service.now)
    lines = []
    enter(service, mail=sign_in_methods(SignInRules(mail="printed"), context, lines.append).mail)
    ask(service, "ada")
    assert "mail to ada@localhost" in lines[0]
    assert "/join/" in lines[0]
    assert sign_in_methods(SignInRules(), context, print).mail is None


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
