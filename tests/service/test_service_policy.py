"""policy.py: what counts as used, what supersedes what, what is refused, and which attempt counts."""

from datetime import UTC, datetime, timedelta

import pytest
from services import NOON

from grader.course.policies.attempts import counting_position
from grader.course.policies.rules import Policies
from grader.service.database.tables import State
from grader.service.policy import (
    REFUNDS,
    HandInRules,
    Past,
    is_late,
    left,
    refusal,
    rules_of,
    superseded_by_now,
    used,
)

DUE = HandInRules(due=NOON, on_time_until=NOON, attempts=3)
LATER = NOON + timedelta(hours=2)


def past(state=State.DONE, *, begun=True, received=NOON - timedelta(days=1), points=None):
    return Past(received=received, late=received > NOON, state=state, begun=begun, points=points)


@pytest.mark.parametrize(
    ("state", "begun", "counts"),
    [
        (State.DONE, True, 1),
        (State.RUNNING, True, 1),
        (State.WAITING, False, 1),
        (State.CANCELLED, True, 1),
        (State.CANCELLED, False, 0),
        (State.SUPERSEDED, False, 0),
        (State.FAULTED, True, 0),
    ],
)
def test_an_attempt_is_used_unless_nobody_began_it_or_it_failed_by_our_fault(state, begun, counts):
    """One that was cancelled while it ran has shown its first checks, so it is used."""
    assert used([past(state, begun=begun)]) == counts


def test_refunds_for_our_faults_are_limited():
    """A file that provokes faults must not be a way to hand in for ever."""
    assert used([past(State.FAULTED)] * (REFUNDS + 2)) == 2
    assert left(HandInRules(attempts=2), [past(State.FAULTED)] * (REFUNDS + 2)) == 0


def test_a_newer_attempt_supersedes_those_that_wait():
    """And none that was begun or has ended."""
    attempts = [past(), past(State.RUNNING), past(State.WAITING, begun=False), past(State.WAITING, begun=True)]
    assert superseded_by_now(DUE, attempts, NOON - timedelta(hours=1)) == (2,)


def test_a_late_attempt_never_supersedes_one_in_time():
    """It would cost the student what was handed in before the due date."""
    in_time, late = past(State.WAITING, begun=False), past(State.WAITING, begun=False, received=LATER)
    assert superseded_by_now(DUE, [in_time, late], LATER) == (1,)


@pytest.mark.parametrize(
    ("rules", "attempts", "elsewhere", "said"),
    [
        (HandInRules(opens=LATER), [], 0, "not open yet"),
        (HandInRules(closes=NOON - timedelta(hours=1)), [], 0, "closed"),
        (HandInRules(attempts=1), [past()], 0, "used all of your 1 attempt"),
        (HandInRules(), [], 5, "5 attempts of yours are waiting"),
        (HandInRules(), [past(State.RUNNING)] * 3, 2, "5 attempts of yours are waiting or being graded"),
        (HandInRules(attempts=None), [past(received=NOON)] * 30, 0, "30 times within an hour"),
        (HandInRules(attempts=None), [past()] * 300, 0, "300 times; ask your instructor"),
        (HandInRules(attempts=1), [past(State.WAITING, begun=False)], 4, ""),
        (HandInRules(), [], 4, ""),
    ],
)
def test_what_is_refused_is_told_why(rules, attempts, elsewhere, said):
    """One that waits is superseded, so it does not stand in the way of the one that takes its place."""
    words = refusal(rules, attempts, elsewhere, NOON)
    assert said in words
    assert bool(said) == bool(words)


def test_the_course_says_which_attempt_counts():
    """The last, the best (of equals the first), or the last that was in time, if any was."""
    early = [past(points=3.0), past(points=5.0), past(points=5.0), past(points=4.0), past(State.FAULTED)]
    late = past(received=LATER, points=4.5)
    found = {how: counting_position(how, [*early, late]) for how in ("last", "best", "last before due")}
    assert found == {"last": 5, "best": 1, "last before due": 3}
    for how in found:
        assert counting_position(how, [past(), late]) == 1
        assert counting_position(how, [past()]) is None


def test_the_rules_are_those_of_the_course():
    """A naive date is in the course's zone; the grace is in time; what is refused when late closes then."""
    said = Policies(timezone="Europe/Berlin", due="2026-12-01T23:59", grace=2, late="refused", attempts={"most": 3})
    rules = rules_of("small", said)
    assert rules.due == datetime(2026, 12, 1, 22, 59, tzinfo=UTC)
    assert rules.on_time_until == rules.closes == rules.due + timedelta(minutes=2)
    assert (rules.attempts, rules.counts, rules.opens) == (3, "last", None)
    assert not is_late(rules, rules.due + timedelta(minutes=2))
    assert is_late(rules, rules.due + timedelta(minutes=2, seconds=1))
