"""loop.py: a station claims, grades and stores. After an interruption, another station can claim the grading."""

import os
import signal
import time
from datetime import timedelta

import pytest
from services import FREE, graded
from sqlalchemy.exc import OperationalError

from grader.common import interrupts
from grader.common.errors import InterruptedGradingError, WorkerError
from grader.results.result import Ungraded
from grader.service.db.session import utc_now
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.stations import ProgressRow
from grader.service.station import loop as work_module
from grader.service.station.backends import Gradings
from grader.service.station.heartbeat import GradingLimits
from grader.service.station.loop import patient, work
from grader.service.submissions.accept import cancel


class NothingToDoError(Exception):
    """Ends the work of a station in a test."""


class UntilNothingWaits(Gradings):
    """Runs gradings one after the other until none is waiting."""

    def wait(self):
        raise NothingToDoError


class FakeJudge:
    """Judge that calls a function of the test for each claim."""

    def __init__(self, act):
        self.act, self.claims = act, []

    def grade(self, claimed, progress):
        self.claims.append(claimed)
        progress("building")
        return self.act(claimed)

    def elsewhere(self):
        return frozenset()

    def keep_up(self, _database):
        return False


def run(service, act, **limits):
    """Work until no grading is waiting, and return the judge."""
    judge = FakeJudge(act)
    with pytest.raises(NothingToDoError):
        work(service.database, judge, "one", GradingLimits(**{"beat": 0.02, **limits}), UntilNothingWaits())
    return judge


@pytest.fixture(autouse=True)
def _now(service, monkeypatch):
    monkeypatch.setattr(interrupts, "_told", interrupts._Told())
    service.now = utc_now()


def test_what_waits_is_graded_in_order_and_stored(service):
    """Waiting gradings are graded in order, and their results and progress notes are stored."""
    first, second = service.hand_in(), service.hand_in(person=service.ben, data=b"other")
    judge = run(service, lambda _: graded(service.course))
    assert [each.data for each in judge.claims] == [b"__kernel void add() {}\n", b"other"]
    assert [service.state(each) for each in (first, second)] == [State.DONE, State.DONE]
    with service.database.reading() as session:
        assert [row.turn for row in session.query(ProgressRow)] == [1, 1]


def _raise(error):
    raise error


@pytest.mark.parametrize(
    ("act", "fault"),
    [
        (lambda _: Ungraded(assignment="small", submission="k", fault="no device"), "no device"),
        (lambda _: _raise(WorkerError("the engine is gone \x1b[2J")), "the engine is gone"),
        (lambda _: _raise(RuntimeError("a wheel came off")), "a wheel came off"),
    ],
    ids=["ungraded", "ours", "unknown"],
)
def test_a_fault_of_ours_waits_to_be_tried_again_and_the_next_is_graded(service, act, fault):
    """After a fault, the grading waits for another try and has no result. The row records the fault, and the next
    grading runs.
    """
    first, second = service.hand_in(), service.hand_in(person=service.ben, data=b"good")
    run(service, lambda claimed: graded(service.course) if claimed.data == b"good" else act(claimed))
    (row,) = service.gradings(first)
    assert (row.state, row.tries, row.points) == (State.WAITING, 1, None)
    assert fault in row.fault
    assert "\x1b" not in row.fault
    assert service.state(second) == State.DONE


@pytest.mark.whole
def test_a_grading_that_is_cancelled_is_left_and_the_next_one_begun(service):
    """A grading that is cancelled while it runs is interrupted, and the next one is graded."""
    first, second = service.hand_in(), service.hand_in(person=service.ben, data=b"good")

    def act(claimed):
        if claimed.data == b"good":
            return graded(service.course)
        with service.database.writing() as session:
            cancel(session, service.attempt(first), utc_now())
        time.sleep(20)
        return pytest.fail("went on")

    run(service, act)
    assert [service.state(each) for each in (first, second)] == [State.CANCELLED, State.DONE]


@pytest.mark.whole
def test_a_grading_that_takes_too_long_is_left(service):
    """A grading that exceeds the time limit is interrupted and marked as faulted. The next one is graded."""
    first, second = service.hand_in(), service.hand_in(person=service.ben, data=b"good")
    limits = {"longest": timedelta(seconds=0.5)}
    run(service, lambda claimed: graded(service.course) if claimed.data == b"good" else time.sleep(20), **limits)
    assert [service.state(each) for each in (first, second)] == [State.FAULTED, State.DONE]


def test_a_station_that_is_told_to_stop_gives_back_what_it_has(service, tell):
    """A station that must stop releases its claim, and the attempt does not lose a try."""
    attempt = service.hand_in(FREE)

    def act(_):
        tell()
        time.sleep(20)

    with pytest.raises(InterruptedGradingError):
        work(service.database, FakeJudge(act), "one", GradingLimits(beat=0.02))
    (row,) = service.gradings(attempt)
    assert (row.state, row.tries, row.claimed_by) == (State.WAITING, 0, None)


def test_signals_are_as_they_were(service):
    """After a grading, the signal handler is the previous one, and no alarm is pending."""
    service.hand_in()
    before = signal.getsignal(signal.SIGALRM)
    run(service, lambda _: graded(service.course))
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert os.getpid()


def test_a_database_that_is_away_is_said_once_and_again_when_it_is_back(monkeypatch, capfd):
    """A lost database is reported with one line when it is lost and another when it is back. Neither line contains its
    address.
    """
    monkeypatch.setattr(work_module, "AWAY", 0.01)
    answers = iter(
        [*3 * [OperationalError("SELECT secret", {}, Exception("server closed the connection\nagain"))], "here"]
    )

    def ask():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert patient(ask) == "here"
    first, second = capfd.readouterr().err.splitlines()
    assert first == "the database does not answer: server closed the connection. This station waits for it."
    assert second.startswith("the database answers again, after ")
