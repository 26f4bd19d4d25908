"""heartbeat.py: a claim is renewed while its grading runs. A lost or cancelled claim ends the grading."""

import threading
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from services import SOURCE, Service, graded
from sqlalchemy.exc import OperationalError

from grader.service.db.session import utc_now
from grader.service.db.tables.grading_states import State
from grader.service.station.heartbeat import EXIT_STUCK, GradingLimits, LeaseHeartbeat, Presence
from grader.service.submissions.accept import cancel
from grader.service.submissions.claims import LEASE
from grader.service.submissions.health import StationFacts, stations_of
from grader.service.submissions.queue import MAX_HIDDEN_PAUSE


@pytest.fixture
def claimed(service):
    """Return a claim that a station has just made, according to the real clock."""
    service.now = utc_now()
    assert service.hand_in(data=SOURCE)
    return service.claim()


def limits(**changes):
    return GradingLimits(**{"beat": 0.02, "stuck": 30.0, "end": lambda _: pytest.fail("ended"), **changes})


def until(true):
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_claim_is_renewed_again_and_again(service, claimed):
    """The heartbeat renews the lease of its claim repeatedly, and the grading continues."""
    first = service.gradings(1)[0].lease_until
    with LeaseHeartbeat(service.database, claimed, limits()) as heartbeat:
        until(lambda: service.gradings(1)[0].lease_until > first)
        assert not heartbeat.over
    assert service.state(1) == State.RUNNING


def test_a_grading_that_is_cancelled_is_over(service, claimed):
    """The heartbeat ends a cancelled grading, whose row is marked as cancelled before that."""
    with LeaseHeartbeat(service.database, claimed, limits()) as heartbeat:
        with service.database.writing() as session:
            cancel(session, service.attempt(1), utc_now())
        until(lambda: heartbeat.over)
    assert service.state(1) == State.CANCELLED


def test_a_grading_of_another_station_is_over(service, claimed):
    """The heartbeat ends a grading that another station has claimed. The other station keeps its claim."""
    service.passes(seconds=LEASE.total_seconds() + 1)
    assert service.claim("two").turn == 2
    with LeaseHeartbeat(service.database, claimed, limits()) as heartbeat:
        until(lambda: heartbeat.over)
    assert service.gradings(1)[0].claimed_by == "two"


def test_a_grading_that_takes_too_long_is_our_fault_and_not_tried_again(service, claimed):
    """A grading that takes too long is marked as faulted and is not tried again, because another try would take just as
    long.
    """
    with LeaseHeartbeat(service.database, claimed, limits(longest=timedelta(0))) as heartbeat:
        until(lambda: heartbeat.over)
    (row,) = service.gradings(1)
    assert (row.state, row.tries) == (State.FAULTED, 1)
    assert "took over" in row.fault


def test_a_grading_that_does_not_end_ends_its_process(service, claimed):
    """If a grading cannot be interrupted by an exception, its process ends, so that the queue continues."""
    ended = threading.Event()
    codes = []

    def end(code):
        codes.append(code)
        ended.set()

    with LeaseHeartbeat(service.database, claimed, limits(longest=timedelta(0), stuck=0.05, end=end)):
        assert ended.wait(10)
    assert codes == [EXIT_STUCK]


def test_a_database_that_does_not_answer_ends_nothing_while_the_lease_lasts(claimed, monkeypatch):
    """While the lease lasts, a database that does not answer does not end a grading. After that, another station may
    have claimed it, so it ends.
    """

    class Broken:
        def recording(self):
            raise OperationalError("UPDATE", {}, Exception("locked"))

    with LeaseHeartbeat(Broken(), claimed, limits()) as heartbeat:
        time.sleep(0.2)
        assert not heartbeat.over
        monkeypatch.setattr("grader.service.station.heartbeat.LEASE", timedelta(0))
        until(lambda: heartbeat.over)


def test_hidden_cases_end_within_a_second_for_a_grading_that_waits(tmp_path):
    """Hidden cases that run while a new grading waits go back to the queue within a second. Their try does
    not count.
    """
    service = Service(tmp_path)
    service.now = utc_now()
    attempt = service.graded(service.hand_in(), replace(graded(service.course), is_pending=True))
    service.passes(seconds=MAX_HIDDEN_PAUSE.total_seconds())
    claimed = service.claim()
    service.now = utc_now()
    with LeaseHeartbeat(service.database, claimed, limits()) as heartbeat:
        service.hand_in(person=service.ben)
        until(lambda: heartbeat.over)
    (row,) = service.gradings(attempt)
    assert (row.state, row.hidden_tries, row.claimed_by) == (State.SHOWN, 0, None)
    service.database.close()


def facts(name="one", device_class="cpu", **more):
    return StationFacts(name=name, host="box", device="PoCL", device_class=device_class, grader="0.1.0", **more)


def test_a_presence_is_told_again_and_ends_with_the_station(service):
    """A live station renews its presence and removes it when it ends. If it ends with a fault, its presence stays
    visible.
    """

    def seen():
        with service.database.reading() as session:
            return [each.row.seen for each in stations_of(session, utc_now())]

    with Presence(service.database, facts(), beat=0.01):
        (first,) = seen()
        until = utc_now() + timedelta(seconds=30)
        while seen() == [first] and utc_now() < until:
            time.sleep(0.01)
        assert seen() > [first]
    assert seen() == []
    with Presence(service.database, facts(fault="no device"), beat=0.01):
        pass
    assert len(seen()) == 1
