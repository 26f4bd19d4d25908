"""notifier.py: staff are notified once of each open question and each fault, without the names of students."""

import json
import threading
import time
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from types import SimpleNamespace

import pytest
from processes import wait_for
from services import Service, field, graded, parts, post
from sqlalchemy import select

from grader.common.errors import InputError
from grader.common.notices import NoticeRules
from grader.common.secret import Secret
from grader.service.db.session import utc_now
from grader.service.db.tables.outbox import MailRow
from grader.service.db.tables.people import PersonRow
from grader.service.serve import notifier
from grader.service.serve.notifier import (
    RETRY_AFTER,
    STORAGE_PERIOD,
    mail_thread,
    notice_thread,
    send_due,
    send_notices,
    webhook,
)
from grader.service.submissions.queue import give_up


@pytest.fixture
def waiting(service):
    """Record an open question by Ada and a failed grading of Ben's attempt. Return the page that the
    question is about.
    """
    asked = service.page_of(service.graded(service.hand_in()))
    assert post(service.browser("ada"), f"{asked}/request", asked, text="Why, says Ada?").status_code == 303
    service.hand_in(person=service.ben)
    claimed = service.claim()
    with service.database.writing() as session:
        assert give_up(session, claimed, "the disk of node7 is full", service.now)
    return asked


def told(service, hook=None):
    """Send the notices that are due now, and return them."""
    said = []
    send_notices(service.database, service.origin, hook or said.append, service.now)
    return said


def test_what_waits_for_somebody_is_told_once_and_names_nobody(service, waiting):
    """A question and a fault are each announced once, with an address but without names of people, the text of the
    question or names of machines.
    """
    question, fault = told(service)
    assert question == f"A student asks about a grading of small: {service.origin}{waiting}"
    words = "An attempt at small was not graded because of a fault of the service"
    assert fault == f"{words}: {service.origin}/course/system#faults"
    assert told(service) == []
    service.passes(days=30)
    assert told(service) == []


@pytest.mark.usefixtures("waiting")
def test_what_the_hook_did_not_take_is_told_again(service):
    """A notice that could not be delivered is sent again after a pause, in which another process may send it. A
    delivered notice is not sent again.
    """
    taken = []

    def breaks(text):
        if taken:
            raise OSError("no route")
        taken.append(text)

    with pytest.raises(OSError, match="no route"):
        told(service, breaks)
    service.passes(seconds=RETRY_AFTER.total_seconds() - 1)
    assert told(service) == []
    service.now += timedelta(seconds=2)
    (again,) = told(service)
    assert [again] != taken


def test_what_was_answered_or_graded_meanwhile_is_not_told(service, waiting):
    """A question that was answered before its notice was sent is not announced."""
    staff = service.browser("staff")
    assert post(staff, "/course/requests/1/answer", "/course/requests", answer="Because.").status_code == 303
    (fault,) = told(service)
    assert "because of a fault of the service" in fault
    assert waiting not in fault


class Chat(BaseHTTPRequestHandler):
    """Webhook server that fails the first request and accepts all others."""

    def do_POST(self):
        self.server.came.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(500 if len(self.server.came) == 1 else 200)
        self.end_headers()

    def log_message(self, *_):
        """Do not log requests."""


@pytest.mark.whole
@pytest.mark.usefixtures("waiting")
def test_a_service_tells_its_hook_and_says_when_that_fails(service, monkeypatch):
    """Notices are posted to the webhook as JSON. A failure is reported without the webhook's address, which is a
    secret.
    """
    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.05)
    monkeypatch.setattr(notifier, "RETRY_AFTER", timedelta(0))
    said, done = [], threading.Event()
    with HTTPServer(("127.0.0.1", 0), Chat) as chat:
        chat.came = []
        threading.Thread(target=chat.serve_forever, daemon=True).start()
        hook = webhook(f"http://127.0.0.1:{chat.server_port}/secret")
        with notice_thread(service.database, service.origin, hook, said.append):
            for _ in range(200):
                if len(chat.came) >= 3:
                    break
                done.wait(0.05)
        chat.shutdown()
    assert {each["text"].partition(":")[0] for each in chat.came} == {
        "A student asks about a grading of small",
        "An attempt at small was not graded because of a fault of the service",
    }
    assert said == ["the webhook did not accept a notice (answered 500); it is sent again every 5 minutes."]


class Elsewhere(Chat):
    """Webhook server that redirects each request, sometimes to an invalid address."""

    def do_POST(self):
        self.server.came.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(302 + len(self.server.came) % 2)
        self.send_header("location", ("http://[strange", "file:///etc/passwd", "/there")[len(self.server.came) % 3])
        self.end_headers()

    def do_GET(self):
        self.server.came.append("followed")


@pytest.mark.whole
@pytest.mark.usefixtures("waiting")
def test_a_redirect_is_not_followed_and_ends_no_notices(service, monkeypatch):
    """A redirect from the webhook is not followed, because the text of the notice would be lost. The notice is sent
    again instead.
    """
    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.05)
    monkeypatch.setattr(notifier, "RETRY_AFTER", timedelta(0))
    said, done = [], threading.Event()
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as chat:
        chat.came = []
        threading.Thread(target=chat.serve_forever, daemon=True).start()
        with notice_thread(
            service.database, service.origin, webhook(f"http://127.0.0.1:{chat.server_port}/x"), said.append
        ):
            for _ in range(200):
                if len(chat.came) >= 4:
                    break
                done.wait(0.05)
        chat.shutdown()
    assert len(chat.came) >= 4
    assert "followed" not in chat.came
    assert all("(answered 30" in each for each in said)


@pytest.mark.usefixtures("waiting")
def test_no_fault_in_a_notice_ends_the_others(service, monkeypatch):
    """An unexpected error in one notice does not stop the others and is reported once."""
    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(notifier, "RETRY_AFTER", timedelta(0))
    said, came = [], threading.Event()

    def hook(_text):
        if not said:
            raise RuntimeError
        came.set()

    with notice_thread(service.database, service.origin, hook, said.append):
        assert came.wait(20)
    assert len(said) == 1
    assert "RuntimeError" in said[0]


@pytest.mark.usefixtures("waiting")
def test_a_hook_that_does_not_answer_delays_no_end(service, monkeypatch):
    """A webhook that does not answer does not delay the end of the service. Its notices are sent again later."""
    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(notifier, "END_SECONDS", 0.05)
    asked, over = threading.Event(), threading.Event()

    def hook(_text):
        asked.set()
        over.wait(60)
        raise OSError("no answer")

    with notice_thread(service.database, service.origin, hook, [].append):
        assert asked.wait(20)
    assert not over.is_set()
    over.set()
    service.passes(seconds=RETRY_AFTER.total_seconds() + 1)
    service.now = max(service.now, utc_now() + RETRY_AFTER + timedelta(seconds=1))
    assert len(told(service)) == 2


def test_an_address_is_read_and_never_quoted(tmp_path):
    """The webhook's address comes from a file or a variable and has no default. Error messages never contain it."""
    assert NoticeRules().address is None
    (tmp_path / "hook").write_text("https://chat.example.org/hush\n")
    assert NoticeRules(webhook=Secret(file=tmp_path / "hook")).address == "https://chat.example.org/hush"
    for secret in (Secret(value="ftp://hush"), Secret(file=tmp_path / "none")):
        with pytest.raises(InputError, match=r"notices\.webhook") as refused:
            _ = NoticeRules(webhook=secret).address
        assert "hush" not in str(refused.value)


@pytest.fixture
def attempt(service):
    """Return a graded attempt by Ada. A mail about it is due."""
    return service.graded(service.hand_in(), graded(service.course))


def sent(service, send=None, domain="example.org"):
    """Send the mails that are due now, and return them."""
    taken = []
    mail = SimpleNamespace(send=send or taken.append, sender="course@example.org", domain=domain)
    send_due(service.database, service.origin, mail, service.now)
    return taken


def with_mail(service):
    """Make the service behave as if mail were configured."""
    entry = replace(service.app_state.sign_in, mail=SimpleNamespace(ask=lambda _who: None))
    service.app.state.app_state = replace(service.app_state, sign_in=entry)


def words(mails):
    return [(each["To"], each["Subject"]) for each in mails]


def test_a_graded_attempt_is_told_once_without_points(service, attempt):
    """A graded attempt leads to exactly one mail. The mail contains no points, but the addresses of the attempt's page
    and of the mail settings.
    """
    (mail,) = sent(service)
    assert words([mail]) == [("ada@example.org", "Your attempt at small was graded")]
    text = mail.get_content()
    assert f"{service.origin}{service.page_of(attempt)}\n" in text
    assert f"{service.origin}/mails\n" in text
    assert "points" not in text
    assert "15" not in text.replace(service.attempt(attempt).public, "")
    service.passes(hours=1)
    assert sent(service) == []


def test_an_extension_of_one_is_told_to_the_group(tmp_path):
    """An extension for one member of a group is announced to all members, because it also applies to them."""
    service = Service(tmp_path, policies="timezone: Europe/Berlin\ngroups: 2\nattempts: {most: 2}\n")
    with service.database.writing() as session:
        for number in (service.ada, service.ben):
            session.get_one(PersonRow, number).team = "7"
    extension = {"students": "ben", "assignment": "small", "attempts": "1", "reason": "ill"}
    post(service.browser("staff"), "/course/extensions", "/course/extensions", **extension)
    assert words(sent(service)) == [(f"{key}@example.org", "You have an extension for small") for key in ("ada", "ben")]
    service.database.close()


def test_each_event_has_its_mail(service, attempt):
    """A regrading, an answer and an extension each lead to one mail without points. Trial runs of staff
    lead to none.
    """
    sent(service)
    service.regrade(attempt)
    service.graded(attempt, graded(service.course, passed=False))
    page = service.page_of(attempt)
    post(service.browser("ada"), f"{page}/request", page, text="Why?")
    post(service.browser("staff"), "/course/requests/1/answer", "/course/requests", answer="6.5 points are right.")
    extension = {"students": "ben", "assignment": "small", "attempts": "1", "reason": "ill"}
    post(service.browser("staff"), "/course/extensions", "/course/extensions", **extension)
    service.graded(service.hand_in(person=service.staff), graded(service.course))
    mails = sent(service)
    assert words(mails) == [
        ("ada@example.org", "Your attempt at small was graded again"),
        ("ada@example.org", "Your question about small was answered"),
        ("ben@example.org", "You have an extension for small"),
    ]
    assert not any("6.5" in each.get_content() for each in mails)


def test_the_mail_of_a_result_that_is_held_back_is_the_same(service):
    """A held-back result leads to the usual mail, because mails never contain results."""
    hold = "/course/assignments/small/hold"
    post(service.browser("staff"), hold, hold)
    service.graded(service.hand_in(), graded(service.course, passed=False))
    (mail,) = sent(service)
    assert mail["Subject"] == "Your attempt at small was graded"
    assert "fail" not in mail.get_content()


def test_a_student_switches_kinds_off_and_on(service):
    """A student can switch each kind of mail off and on. At first, all kinds are on. The choice does not affect other
    students.
    """
    with_mail(service)
    ada = service.browser("ada")
    assert ada.get("/mails").text.count(" checked>") == 4
    assert 'href="/mails"' in ada.get("/data").text
    token = field(ada.get("/mails"), "form_token")
    assert ada.post("/mails", files=parts(form_token=token, kind="answered")).status_code == 303
    assert ada.get("/mails").text.count(" checked>") == 1
    service.graded(service.hand_in(), graded(service.course))
    service.graded(service.hand_in(person=service.ben), graded(service.course))
    assert [each["To"] for each in sent(service)] == ["ben@example.org"]


def test_without_mail_there_is_no_page(service):
    """If no mail is configured, the page of mail settings does not exist and is not linked."""
    ada = service.browser("ada")
    assert ada.get("/mails").status_code == 404
    assert "/mails" not in ada.get("/data").text


@pytest.mark.usefixtures("attempt")
def test_a_deactivated_person_gets_no_mail(service):
    """A deactivated person gets no mail. The event stays in the outbox until it expires."""
    with service.database.writing() as session:
        session.get_one(PersonRow, service.ada).deactivated = service.now
    assert sent(service) == []


@pytest.mark.usefixtures("attempt")
def test_a_server_that_fails_is_tried_again_and_stops_nothing(service):
    """A mail that could not be sent is tried again every five minutes for a day. It does not delay other mails."""
    service.graded(service.hand_in(person=service.ben), graded(service.course))
    taken = []

    def breaks(mail):
        if mail["To"] == "ada@example.org":
            raise SMTPServerDisconnected("secret address")
        taken.append(mail)

    with pytest.raises(OSError, match=r"^SMTPServerDisconnected$"):
        sent(service, breaks)
    assert [each["To"] for each in taken] == ["ben@example.org"]
    assert sent(service) == []
    service.now += RETRY_AFTER
    assert [each["To"] for each in sent(service)] == ["ada@example.org"]


@pytest.mark.usefixtures("attempt")
def test_an_address_that_is_refused_is_not_tried_again(service):
    """A mail to an address that the server refuses, or to a key without an address, is not tried again."""

    def refuses(mail):
        raise SMTPRecipientsRefused({mail["To"]: (550, b"no")})

    sent(service, refuses)
    service.now += RETRY_AFTER
    assert sent(service) == []
    service.graded(service.hand_in(), graded(service.course))
    assert sent(service, domain="") == []


@pytest.mark.usefixtures("attempt")
def test_old_mails_are_dropped_and_deleted(service):
    """A mail that is a day old is no longer sent, because it is no longer useful. It is deleted a week later."""
    service.passes(days=1, seconds=1)
    assert sent(service) == []
    service.now += STORAGE_PERIOD
    sent(service)
    with service.database.reading() as session:
        assert session.scalars(select(MailRow.id)).all() == []


@pytest.mark.usefixtures("attempt")
def test_no_transaction_is_open_while_a_mail_is_sent(service):
    """No transaction is open while a mail is being sent, so that a slow mail server does not block other writers."""
    sent(service, lambda _mail: service.passes(seconds=service.hand_in(person=service.ben)))
    assert len(service.gradings(2)) == 1


def test_the_thread_sends_and_survives_failures(service, attempt, monkeypatch):
    """The mail thread reports its first failure in one line and continues. The service can end without waiting for the
    mail server.
    """
    assert attempt
    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(notifier, "utc_now", lambda: service.now)
    said = []

    def fails(_mail):
        raise OSError("refused")

    mail = SimpleNamespace(send=fails, sender="course@example.org", domain="example.org")
    with mail_thread(service.database, service.origin, mail, said.append):
        while not said:
            time.sleep(0.01)
    (line,) = said
    assert line == "the mail server refused a mail to a student (OSError); it is sent again every 5 minutes for a day."
    with mail_thread(service.database, service.origin, None, said.append):
        pass


@pytest.mark.whole
@pytest.mark.usefixtures("attempt")
def test_mails_are_deleted_where_no_mail_is_set_up(service, monkeypatch):
    """Old events are deleted even if no mail is configured. They are recorded in that case too, but would never be
    sent.
    """
    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(notifier, "utc_now", lambda: service.now)
    service.now += STORAGE_PERIOD + STORAGE_PERIOD

    def left():
        with service.database.reading() as session:
            return session.scalars(select(MailRow.id)).all()

    assert left()
    with mail_thread(service.database, service.origin, None, pytest.fail):
        assert wait_for(lambda: not left())
