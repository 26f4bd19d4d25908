"""notifier.py: staff are notified once of each open question and each fault, without the names of students."""

import json
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from services import post

from grader.common.errors import InputError
from grader.common.notices import NoticeRules
from grader.common.secret import Secret
from grader.service.db.session import utc_now
from grader.service.serve import notifier
from grader.service.serve.notifier import RETRY_AFTER, notice_thread, send_notices, webhook
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
