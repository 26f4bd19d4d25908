"""outbox.py: a mail goes to all owners, an event to each webhook, and a row is refused after the last attempt."""

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from grader.service.course.webhooks import add_webhook
from grader.service.db.outbox import (
    MailKind,
    SendState,
    WebhookEvent,
    choose_mails,
    doubled,
    note_failure,
    put_event,
    put_graded,
    put_mails_about,
    switched_off,
)
from grader.service.db.tables.outbox import DeliveryRow, MailRow
from grader.service.db.tables.submissions import AttemptRow, ShareRow

NOW = datetime(2026, 11, 28, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def test_pauses_double_up_to_the_longest():
    """Each pause is twice as long as the one before, and none is longer than the longest."""
    assert doubled(MINUTE, 30 * MINUTE, 7) == tuple(each * MINUTE for each in (1, 2, 4, 8, 16, 30, 30))


def test_a_row_is_refused_after_the_last_pause_and_one_more_try():
    """The nth failure is followed by the nth pause. If the attempt after the last pause fails, the row is refused."""
    row = SimpleNamespace(state=SendState.TO_SEND, tries=0, not_before=NOW)
    seen = []
    while row.state == SendState.TO_SEND:
        row.tries += 1
        note_failure(row, (MINUTE, 5 * MINUTE), NOW)
        seen.append((row.tries, row.not_before - NOW, str(row.state)))
    assert seen == [(1, MINUTE, "to send"), (2, 5 * MINUTE, "to send"), (3, 5 * MINUTE, "refused")]


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


def about(service, number):
    """Put a mail about an attempt in the outbox, and return all mails."""
    with service.database.writing() as session:
        put_mails_about(session, MailKind.REGRADED, session.get_one(AttemptRow, number), service.now)
    with service.database.reading() as session:
        return [(each.person_id, each.kind, each.path) for each in session.query(MailRow).order_by(MailRow.id)]


def test_each_owner_of_an_attempt_gets_a_mail(service):
    """The student who handed in and the other members of the group each get one mail, which leads to the attempt."""
    number = service.hand_in()
    with service.database.writing() as session:
        session.add(ShareRow(attempt_id=number, person_id=service.ben))
    assert about(service, number) == [
        (person, "regraded", service.page_of(number)) for person in (service.ada, service.ben)
    ]


def test_a_trial_run_leads_to_no_mail(service):
    """A person who teaches gets no mail about a trial run."""
    assert about(service, service.hand_in(person=service.staff)) == []


def test_a_choice_of_mails_replaces_the_last_one_and_is_ones_own(service):
    """All kinds are sent at first. A choice replaces the last one, and does not affect other people."""

    def off(person):
        with service.database.reading() as session:
            return switched_off(session, person)

    assert off(service.ada) == frozenset()
    for wanted in ((), (MailKind.GRADED, MailKind.EXTENDED)):
        with service.database.writing() as session:
            choose_mails(session, service.ada, wanted)
        assert off(service.ada) == frozenset(MailKind) - set(wanted)
    assert off(service.ben) == frozenset()
