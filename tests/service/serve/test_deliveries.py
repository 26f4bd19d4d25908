"""deliveries.py: each event is signed and sent to each webhook until the webhook accepts it."""

import hashlib
import hmac
import json
from datetime import timedelta

from services import graded, post

from grader.service.course.webhooks import add_webhook
from grader.service.db.tables.outbox import DeliveryRow
from grader.service.grades.decisions.regrading import Selection, regrade
from grader.service.network.client import HttpAnswer, UnansweredError
from grader.service.serve.deliveries import PAUSES, QUEUEING, send_deliveries


class Receiver:
    """A receiver that answers with prepared replies, and then accepts."""

    def __init__(self, *replies):
        self.replies, self.taken = list(replies), []

    def __call__(self, url, body, headers):
        self.taken.append((url, json.loads(body), body, headers))
        reply = self.replies.pop(0) if self.replies else HttpAnswer(status=200, headers={}, text="")
        if isinstance(reply, OSError):
            raise reply
        return reply


def webhook(service, url="https://ci.example.org/hook?token=abc"):
    """Add a webhook, and return its secret."""
    with service.database.writing() as session:
        return add_webhook(session, url, "staff", service.now)


def sends(service, receiver):
    send_deliveries(service.database, "https://grader.example.org", receiver, service.now)
    return receiver


def rows(service):
    with service.database.reading() as session:
        return session.query(DeliveryRow).order_by(DeliveryRow.id).all()


def test_a_graded_attempt_is_sent_once_signed_and_without_points(service):
    """A graded attempt leads to one request to each webhook, with a signature that the secret proves. It has no points.
    A trial run leads to none.
    """
    secret = webhook(service)
    attempt = service.graded(service.hand_in(), graded(service.course))
    service.graded(service.hand_in(person=service.staff))
    ((url, told, body, headers),) = sends(service, Receiver()).taken
    public = service.attempt(attempt).public
    assert url == "https://ci.example.org/hook?token=abc"
    assert (told["event"], told["attempt"], told["student"], told["complete"]) == (
        "attempt.graded",
        public,
        "ada",
        True,
    )
    assert told["page"] == f"https://grader.example.org/attempts/{public}"
    assert "points" not in body.decode()
    signed = headers["x-grader-timestamp"].encode() + b"." + body
    assert headers["x-grader-signature"] == "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["x-grader-delivery"] == told["id"]
    assert sends(service, Receiver()).taken == []


def test_a_refused_delivery_is_tried_with_growing_pauses_up_to_a_limit(service):
    """A receiver that refuses is tried again after growing pauses. After the limit, the delivery is refused, and the
    page quotes the receiver and sends it again.
    """
    webhook(service)
    service.graded(service.hand_in(), graded(service.course))
    refusing = Receiver(*[HttpAnswer(status=500, headers={}, text="<b>busy</b>")] * 20)
    for number, pause in enumerate(PAUSES, start=1):
        sends(service, refusing)
        assert (len(refusing.taken), rows(service)[0].state) == (number, "to send")
        service.now += pause - timedelta(seconds=1)
        sends(service, refusing)
        assert len(refusing.taken) == number
        service.passes(seconds=1)
    sends(service, refusing)
    assert (rows(service)[0].state, rows(service)[0].words) == ("refused", "answered 500: <b>busy</b>")
    staff = service.browser("staff")
    shown = staff.get("/course/webhooks").text
    assert "answered 500: &lt;b&gt;busy&lt;/b&gt;" in shown
    assert "token=abc" not in shown
    post(staff, "/course/webhooks/again", "/course/webhooks")
    assert len(sends(service, Receiver()).taken) == 1
    assert rows(service)[0].state == "sent"


def test_a_dead_receiver_delays_no_other(service):
    """While one receiver does not answer, another gets all events, and the first gets them once it answers again."""
    webhook(service, "https://dead.example.org/")
    webhook(service, "https://ci.example.org/")
    for _ in range(3):
        service.graded(service.hand_in(), graded(service.course))
    receiver = sends(service, Receiver(UnansweredError("did not answer in time")))
    assert [url for url, *_ in receiver.taken] == ["https://dead.example.org/", *["https://ci.example.org/"] * 3]
    assert rows(service)[0].words == "did not answer in time"
    service.passes(minutes=5)
    assert [url for url, *_ in sends(service, receiver).taken[4:]] == ["https://dead.example.org/"] * 3


def test_a_regrading_is_reported_once_when_it_has_ended(service):
    """The end of a regrading is sent once, and not while one of its gradings is waiting."""
    attempt = service.graded(service.hand_in(), graded(service.course))
    webhook(service)
    order = regrade(service.database, Selection(assignment="small", which="all"), "staff", service.now)
    service.now += QUEUEING
    assert sends(service, Receiver()).taken == []
    service.graded(attempt, graded(service.course))
    told = [each["event"] for _, each, *_ in sends(service, Receiver()).taken]
    assert told == ["attempt.graded", "regrade.ended"]
    assert json.loads(rows(service)[1].data)["regrade"] == order
    assert sends(service, Receiver()).taken == []
