"""attempts.py: a bucket of attempts that refills, and refunds for attempts that failed because of the grader."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from grader.course.policies.attempts import REFUNDS, Attempt, Bucket, bucket
from grader.course.policies.rules import AttemptLimit

START = datetime(2026, 12, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
FIVE = AttemptLimit(most=5, refill_hours=4)


def attempt(hours, fault_after=None, **more):
    """Return an attempt that began this many hours after START.

    With `fault_after`, the attempt failed because of the grader that many hours later.
    """
    begun = START + hours * HOUR
    if fault_after is None:
        return Attempt(at=begun, **more)
    return Attempt(at=begun, ended=begun + fault_after * HOUR, our_fault=True)


def left(attempts, hours, limit=FIVE, bonus=0):
    found = bucket(limit, attempts, START + hours * HOUR, bonus)
    return found.left, None if found.next_at is None else (found.next_at - START) / HOUR


def test_a_bucket_begins_full_and_gets_one_back_after_a_while():
    """A bucket starts full and begins to refill when it is no longer full.

    Later attempts do not restart the clock.
    """
    assert left([], 0) == (5, None)
    taken = [attempt(0), attempt(1), attempt(2)]
    assert left(taken, 2) == (2, 4)
    assert left(taken, 3.99) == (2, 4)
    assert left(taken, 4) == (3, 8)
    assert left(taken, 12) == (5, None)
    assert left([*taken, attempt(100)], 100) == (4, 104)


def test_without_a_refill_what_is_spent_is_spent():
    """Without a refill, attempts that were used never come back."""
    assert left([attempt(0), attempt(1)], 9999, AttemptLimit(most=2)) == (0, None)


def test_bonus_attempts_are_spent_last():
    """Bonus attempts are used last, because only ordinary attempts come back."""
    taken = [attempt(0)] * 6
    assert left(taken[:5], 0, bonus=2) == (2, 4)
    assert left(taken, 0, bonus=2) == (1, 4)
    assert left(taken, 999, bonus=2) == (6, None)


def test_a_fault_of_ours_gives_the_attempt_back_when_it_ends():
    """An attempt that fails because of the grader is refunded once, at the time of the failure."""
    taken = [attempt(0), attempt(0.5, fault_after=2)]
    assert left(taken, 2.4) == (3, 4)
    assert left(taken, 2.5) == (4, 4)
    assert left([attempt(0, fault_after=0)], 0) == (5, None)


def test_a_full_bucket_holds_no_more():
    """A refund does not add an attempt to a bucket that has become full in the meantime."""
    assert left([attempt(0, fault_after=30)], 30) == (5, None)


def test_a_bonus_attempt_that_failed_is_given_back_as_one():
    """The refund for a bonus attempt is a bonus attempt."""
    once = AttemptLimit(most=1)
    assert left([attempt(0), attempt(1, fault_after=1)], 2, once, bonus=1) == (1, None)


def test_faults_cannot_be_bought():
    """A student who makes the grader fail every time gains at most REFUNDS attempts in two days."""
    tries, hours = [], 0.0
    while hours < 48:
        if left(tries, hours)[0]:
            tries.append(attempt(hours, fault_after=0.01))
        hours += 0.05
    honest = 5 + 48 / 4
    assert honest <= len(tries) <= honest + REFUNDS


def test_the_limit_of_refunds_is_for_good():
    """The number of refunds is limited for all time: a day or a week later, there is no further refund."""
    many = AttemptLimit(most=10)
    faults = [attempt(each, fault_after=0) for each in range(REFUNDS + 2)]
    assert left(faults, 20, many) == (8, None)
    assert left([*faults, attempt(24, fault_after=0), attempt(168, fault_after=0)], 168, many) == (6, None)


def test_a_limit_that_was_higher_once_leaves_no_debt():
    """After a limit is lowered, attempts beyond the new limit do not count against the following day."""
    assert left([attempt(0)] * 9, 4) == (1, 8)


def test_what_lies_ahead_is_not_looked_at():
    """Attempts, and failures of attempts, after the present moment are ignored."""
    assert left([attempt(0, fault_after=9), attempt(3)], 1) == (4, 4)


attempts = st.lists(
    st.builds(
        attempt,
        st.integers(0, 2000).map(lambda quarter: quarter / 4),
        st.none() | st.integers(0, 40).map(lambda quarter: quarter / 4),
    ),
    max_size=25,
)
limits = st.builds(
    AttemptLimit, most=st.integers(1, 6), refill_hours=st.none() | st.sampled_from([0.01, 0.25, 1.0, 4.0, 7.3])
)
moments = st.integers(0, 2400).map(lambda quarter: START + quarter / 4 * HOUR)


@given(limits, attempts, moments, st.integers(0, 3))
def test_nobody_owes_attempts_and_no_bucket_flows_over(limit, taken, now, bonus):
    """The number of remaining attempts is between zero and the limit plus the bonus.

    The next attempt becomes available at the predicted moment.
    """
    found = bucket(limit, taken, now, bonus)
    assert 0 <= found.left <= limit.most + bonus
    if found.next_at is not None:
        assert now < found.next_at <= now + timedelta(hours=limit.refill_hours)
        later = bucket(limit, [each for each in taken if each.at <= now and not each.our_fault], found.next_at, bonus)
        assert later.left >= 1


@given(limits, attempts, moments, st.integers(0, 3))
def test_an_attempt_takes_one(limit, taken, now, bonus):
    """A new attempt immediately takes one from the bucket, if one is left."""
    before = bucket(limit, taken, now, bonus).left
    after = bucket(limit, [*taken, Attempt(at=now)], now, bonus).left
    assert after == max(0, before - 1)


@given(limits, attempts, moments)
def test_our_faults_never_cost_an_attempt_more_than_none_would(limit, taken, now):
    """Attempts that fail because of the grader leave at least as many attempts as ordinary ones would."""
    ordinary = [Attempt(at=each.at) for each in taken]
    assert bucket(limit, taken, now).left >= bucket(limit, ordinary, now).left


@given(limits, st.lists(moments, max_size=12), moments)
def test_it_is_what_a_clock_would_count(limit, times, now):
    """The bucket agrees with a simulated clock that advances in steps of 15 minutes."""
    whole = limit.model_copy(update={"refill_hours": 1.0 if limit.refill_hours else None})
    count, waited, when = whole.most, timedelta(), START
    while when <= now:
        if whole.refill_hours and count < whole.most and waited >= HOUR:
            count, waited = count + 1, timedelta()
        for _ in range(times.count(when)):
            waited = timedelta() if count == whole.most else waited
            count = max(0, count - 1)
        when += HOUR / 4
        waited += HOUR / 4
    found = bucket(whole, [Attempt(at=each) for each in times], now)
    assert found.left == count
    assert isinstance(found, Bucket)
