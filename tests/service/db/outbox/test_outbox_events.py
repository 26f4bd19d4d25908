"""events.py: an event is stored once for each webhook, together with what it reports."""

import json

import pytest

from grader.service.course.webhooks import add_webhook
from grader.service.db.outbox.events import WebhookEvent, put_event, put_graded
from grader.service.db.outbox.sending import SendState
from grader.service.db.tables.outbox import DeliveryRow
from grader.service.db.tables.submissions import AttemptRow


@pytest.fixture
def webhooks(service):
    """Add two webhooks."""
    with service.database.writing() as session:
        for name in ("one", "two"):
            add_webhook(session, f"https://{name}.example.org/", "staff", service.now)


def deliveries(service):
    with service.database.reading() as session:
        return session.query(DeliveryRow).order_by(DeliveryRow.id).all()


@pytest.mark.usefixtures("webhooks")
def test_each_webhook_gets_its_own_delivery(service):
    """An event is stored for each webhook, to be sent now, and receivers can tell the deliveries apart."""
    with service.database.writing() as session:
        put_event(session, WebhookEvent.REGRADE_ENDED, "/course/regradings/1", {"regrade": 1}, service.now)
    one, two = deliveries(service)
    assert one.webhook_id != two.webhook_id
    assert one.public != two.public
    assert {(each.event, each.path, each.state, each.not_before) for each in (one, two)} == {
        ("regrade.ended", "/course/regradings/1", SendState.TO_SEND, service.now)
    }


@pytest.mark.usefixtures("webhooks")
def test_an_event_about_an_attempt_names_it_without_its_points(service):
    """The event names the attempt and its student, and says if hidden cases have run. It has no points."""
    number = service.hand_in()
    with service.database.writing() as session:
        put_graded(session, session.get_one(AttemptRow, number), service.now, complete=False)
    data = json.loads(deliveries(service)[0].data)
    assert data == {
        "attempt": service.attempt(number).public,
        "assignment": "small",
        "student": "ada",
        "number": 1,
        "complete": False,
    }


@pytest.mark.usefixtures("webhooks")
def test_a_trial_run_is_no_event(service):
    """A trial run of a person who teaches is not reported."""
    number = service.hand_in(person=service.staff)
    with service.database.writing() as session:
        put_graded(session, session.get_one(AttemptRow, number), service.now, complete=True)
    assert deliveries(service) == []


def test_an_event_of_a_transaction_that_fails_is_not_stored(service):
    """If the transaction of a result fails, its event is not sent either."""
    with service.database.writing() as session:
        add_webhook(session, "https://one.example.org/", "staff", service.now)

    def put_and_fail():
        with service.database.writing() as session:
            put_event(session, WebhookEvent.GRADED, "/", {}, service.now)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        put_and_fail()
    assert deliveries(service) == []
