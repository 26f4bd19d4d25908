"""limits.py: which attempts are used up, which are superseded and which are refused."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from services import NOON

from grader.course.policies.attempts import REFUNDS
from grader.course.policies.rules import Policies
from grader.service.course.limits import (
    PastAttempt,
    attempts_left,
    is_late,
    refusal,
    rules_of,
    superseded_positions,
)
from grader.service.db.tables.grading_states import State

LATER = NOON + timedelta(hours=2)


def rules(**said):
    return rules_of(Policies(**said))


DUE = rules(due=NOON, attempts={"most": 3})


def past(state=State.DONE, *, begun=True, received=NOON - timedelta(days=1), ended=NOON, people=(1,)):
    return PastAttempt(people=frozenset(people), received=received, state=state, begun=begun, ended=ended)


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
    """An attempt is used up unless it never began or failed because of a fault in grader. An attempt that was cancelled
    while it ran counts, because it has shown results.
    """
    assert attempts_left(DUE, [past(state, begun=begun)], LATER).left == 3 - counts


def test_refunds_for_our_faults_are_limited():
    """The number of refunds for faults is limited, so that a file that provokes faults does not give unlimited
    attempts.
    """
    assert attempts_left(rules(attempts={"most": 5}), [past(State.FAULTED)] * (REFUNDS + 2), LATER).left == 3


def test_an_attempt_that_arrived_later_counts_too():
    """Attempts with a later time of arrival also count, so that requests that complete in reverse order
    have one limit.
    """
    stored = [past(received=NOON + timedelta(seconds=after)) for after in (3, 2, 1)]
    assert [attempts_left(DUE, stored[:used], NOON).left for used in range(4)] == [3, 2, 1, 0]
    assert "used all of your 3 attempts" in refusal(DUE, stored, 0, NOON)


def test_what_members_used_apart_is_not_added_up():
    """A group has as many attempts left as the member with the fewest. A shared attempt counts once for each member."""
    apart = [past(people=[1])] * 2 + [past(people=[2])]
    assert attempts_left(DUE, apart, LATER).left == 1
    assert attempts_left(DUE, [*apart, past(people=[1, 2])], LATER).left == 0
    assert attempts_left(DUE, [past(people=[1, 2])] * 2, LATER).left == 1


def test_a_group_waits_until_all_who_have_none_have_one_again():
    """A group without attempts waits until every member has one again. The next time is the last member's."""
    refilling = rules(attempts={"most": 1, "refill_hours": 6})
    early, late = past(people=[1], received=NOON), past(people=[2], received=NOON + timedelta(hours=1))
    assert attempts_left(refilling, [early, late], LATER).next_at == NOON + timedelta(hours=7)


def test_attempts_come_back_where_the_course_says_so():
    """Attempts come back if the course allows it, and the refusal gives the time of the next one."""
    refilling = rules(timezone="Europe/Berlin", attempts={"most": 1, "refill_hours": 6})
    one = [past(received=NOON)]
    assert "the next one at 2026-11-23 19:00 CET" in refusal(refilling, one, 0, LATER)
    assert refusal(refilling, one, 0, NOON + timedelta(hours=6)) == ""


def test_a_newer_attempt_supersedes_those_that_wait():
    """A newer attempt supersedes waiting attempts, but none that has begun or ended."""
    attempts = [past(), past(State.RUNNING), past(State.WAITING, begun=False), past(State.WAITING, begun=True)]
    assert superseded_positions(DUE, attempts, NOON - timedelta(hours=1)) == (2,)


def test_a_late_attempt_never_supersedes_one_in_time():
    """A late attempt never supersedes one that is on time. Otherwise, the student would lose the file from before the
    due date.
    """
    in_time, late = past(State.WAITING, begun=False), past(State.WAITING, begun=False, received=LATER)
    assert superseded_positions(DUE, [in_time, late], LATER) == (1,)


@pytest.mark.parametrize(
    ("holds", "attempts", "elsewhere", "said"),
    [
        (rules(opens=LATER), [], 0, "not open yet"),
        (rules(due=NOON - timedelta(hours=1), late="refused"), [], 0, "closed"),
        (rules(attempts={"most": 1}), [past()], 0, "used all of your 1 attempt"),
        (rules(), [], 5, "5 of your attempts are waiting"),
        (rules(), [past(State.RUNNING)] * 3, 2, "5 of your attempts are waiting or running"),
        (rules(), [past(received=NOON)] * 30, 0, "30 times within an hour"),
        (rules(), [past()] * 300, 0, "300 times; ask your instructor"),
        (rules(attempts={"most": 1}), [past(State.WAITING, begun=False)], 4, ""),
        (rules(), [], 4, ""),
    ],
)
def test_what_is_refused_is_told_why(holds, attempts, elsewhere, said):
    """Every refusal gives its reason. A waiting attempt does not block a newer one, which supersedes it."""
    words = refusal(holds, attempts, elsewhere, NOON)
    assert said in words
    assert bool(said) == bool(words)


def test_the_rules_are_those_of_the_course():
    """Dates without a zone are in the course's time zone, and the grace period counts as on time. With `late: refused`,
    the assignment closes at the end of the grace period.
    """
    said = rules(timezone="Europe/Berlin", due="2026-12-01T23:59", grace=2, late="refused", attempts={"most": 3})
    assert said.due == datetime(2026, 12, 1, 22, 59, tzinfo=UTC)
    assert said.closes == said.due + timedelta(minutes=2)
    assert (said.attempts, said.counts, said.opens) == (3, "last", None)
    assert not is_late(said, said.due + timedelta(minutes=2))
    assert is_late(said, said.due + timedelta(minutes=2, seconds=1))


def test_late_days_that_are_spent_elsewhere_close_it_earlier():
    """Late days that were used for other assignments close this one earlier. With two of three days left, it closes two
    days after the due date.
    """
    said = rules(due=NOON, late={"days": 3})
    assert said.closes == NOON + timedelta(days=3)
    assert replace(said, spent=1).closes == NOON + timedelta(days=2)
