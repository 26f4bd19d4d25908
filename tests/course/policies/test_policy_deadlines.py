"""deadlines.py: until when work is on time, how many days late it is, and what lateness costs."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.policies.deadlines import (
    DAY,
    Extension,
    closes,
    days_late,
    lateness,
    schedule,
    state,
)
from grader.course.policies.rules import LateRule, Policies, later, moment, read_date

BERLIN = ZoneInfo("Europe/Berlin")
SECOND = timedelta(seconds=1)
FIRST, LAST = map(datetime.fromisoformat, ("1990-01-02", "2199-12-30"))

dates = st.datetimes(FIRST, LAST).map(lambda when: when.replace(microsecond=0))
zones = st.sampled_from(sorted(available_timezones() - {"localtime", "Factory"}))
delays = st.timedeltas(timedelta(), timedelta(days=400))
graces = st.sampled_from([0, 1, 10, 90, 3000])
rules = st.one_of(
    st.sampled_from(["accepted", "refused"]),
    st.builds(
        LateRule,
        days=st.integers(0, 6),
        percent=st.none() | st.floats(0.1, 100),
        floor=st.just(0.0) | st.floats(0, 100),
    ),
)


def of(due, zone="Europe/Berlin", *extensions, grace=0, opens=None):
    return schedule(Policies(timezone=zone, due=due, grace=grace, opens=opens), *extensions)


def at(text, zone=BERLIN):
    """Return a moment from its local time in the course."""
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@pytest.mark.parametrize(
    ("submitted", "days"),
    [
        ("2026-12-01T23:58:59", 0),
        ("2026-12-01T23:59:00", 0),
        ("2026-12-01T23:59:01", 1),
        ("2026-12-02T23:59:00", 1),
        ("2026-12-02T23:59:01", 2),
        ("2026-12-08T00:00:00", 7),
    ],
)
def test_a_day_begins_a_second_after_the_due_date(submitted, days):
    """Work at the due date is on time. A second later, it is one day late, and a day after that, two."""
    assert days_late(of("2026-12-01T23:59"), at(submitted)) == days


def test_grace_only_moves_the_end_of_what_is_on_time():
    """A grace period affects only which work is on time. Late days are still counted from the due date."""
    dates = of("2026-12-01T12:00", grace=10)
    assert days_late(dates, at("2026-12-01T12:10:00")) == 0
    assert days_late(dates, at("2026-12-01T12:10:01")) == 1
    assert days_late(dates, at("2026-12-02T12:00:01")) == 2


@pytest.mark.parametrize("due", ["2026-10-24T23:59", "2026-03-28T23:59"])
def test_a_day_ends_at_the_same_time_where_clocks_are_changed(due):
    """When clocks change, a late day still ends at the same local time, after 25 hours in autumn or 23 in spring."""
    dates = of(due)
    end = datetime.fromisoformat(due).replace(tzinfo=BERLIN) + DAY  # adds a day of local time
    assert (end.astimezone(UTC) - dates.due) in {timedelta(hours=25), timedelta(hours=23)}
    assert days_late(dates, end.astimezone(UTC)) == 1
    assert days_late(dates, end.astimezone(UTC) + SECOND) == 2


def test_a_repeated_hour_means_the_later_one_and_a_missing_hour_is_as_kind():
    """A due time that occurs twice means its second occurrence, and a due time that is skipped is moved later.

    On 25 October, 02:30 occurs twice. On 29 March, it is skipped.
    """
    assert of("2026-10-25T02:30").due == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert of("2026-03-29T02:30").due == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def test_leap_days_are_days():
    """Work that is due on 28 February and handed in on 1 March is one day late, or two in a leap year."""
    assert days_late(of("2027-02-28T12:00"), at("2027-03-01T12:00")) == 1
    assert days_late(of("2028-02-28T12:00"), at("2028-03-01T12:00")) == 2
    assert days_late(of("2028-02-29T12:00"), at("2028-03-01T12:00")) == 1


def test_a_date_with_an_offset_is_that_instant_in_any_zone():
    """A date with an offset is the same moment in every zone, but the zone still determines when days end."""
    dates = of("2026-12-01T23:59+09:00", "America/New_York")
    assert dates.due == datetime(2026, 12, 1, 14, 59, tzinfo=UTC)
    assert days_late(dates, datetime(2026, 12, 2, 14, 59, 1, tzinfo=UTC)) == 2


def test_the_zone_that_skipped_a_day():
    """Samoa skipped 30 December 2011, so a late day that would end on that date ends a day later."""
    dates = of("2011-12-29T12:00", "Pacific/Apia")
    assert days_late(dates, dates.due + SECOND) == 1
    assert days_late(dates, dates.due + 24 * timedelta(hours=1)) == 1
    assert days_late(dates, dates.due + 24 * timedelta(hours=1) + SECOND) == 3


@given(due=dates, zone=zones, grace=graces, delay=delays)
def test_a_day_of_lateness_is_what_lies_between_two_ends(due, zone, grace, delay):
    """In every zone and year, late days are counted in local days from the due date.

    Work within the grace period is not late.
    """
    found = of(due, zone, grace=grace)
    submitted = found.due + delay
    days = days_late(found, submitted)
    if delay <= found.grace:
        assert days == 0
    else:
        assert submitted <= later(found.due, days * DAY, found.zone)
        assert days == 1 or submitted > later(found.due, (days - 1) * DAY, found.zone)


@pytest.mark.whole
@given(due=dates, zone=zones, delays=st.lists(delays, min_size=2))
def test_later_is_never_less_late(due, zone, delays):
    """Work that is handed in later is never fewer days late, even when clocks change."""
    found = of(due, zone)
    days = [days_late(found, found.due + each) for each in sorted(delays)]
    assert days == sorted(days)


@given(due=dates, zone=zones, before=delays)
def test_whatever_is_handed_in_before_is_on_time(due, zone, before):
    """Work that is handed in up to 400 days before the due date is on time."""
    found = of(due, zone)
    assert days_late(found, found.due - before) == 0


@given(due=dates, zone=zones)
def test_on_time_is_by_the_second(due, zone):
    """In every zone, work at the due date is on time, and work a second later is one day late."""
    found = of(due, zone)
    assert (days_late(found, found.due), days_late(found, found.due + SECOND)) == (0, 1)


@given(due=dates, zone=zones, extras=st.lists(st.timedeltas(timedelta(), timedelta(days=30))))
def test_an_extension_never_takes_time_away(due, zone, extras):
    """An extension never makes the due date earlier. For a group, the most generous extension applies."""
    found = of(due, zone, *(Extension(extra=extra) for extra in extras))
    own = [of(due, zone, Extension(extra=extra)).due for extra in extras]
    assert found.due == max([of(due, zone).due, *own])
    assert of(due, zone, Extension(due=due - DAY)).due == of(due, zone).due


def test_extra_days_end_at_the_same_time_of_day():
    """Extra days end at the same local time even when clocks change, and extra hours are added exactly.

    An extension can also set a due date.
    """
    assert of("2026-10-24T23:59", "Europe/Berlin", Extension(extra=2 * DAY)).due == at("2026-10-26T23:59")
    hours = Extension(extra=timedelta(hours=6))
    assert of("2026-10-24T23:59", "Europe/Berlin", hours).due - of("2026-10-24T23:59").due == hours.extra
    assert of("2026-12-01T12:00", "Europe/Berlin", Extension(due=read_date("2026-12-05 12:00"))).due == at(
        "2026-12-05T12:00"
    )


@pytest.mark.parametrize(
    ("late", "days", "spent", "told"),
    [
        ("accepted", 9, 0, (0, 0, 0, True)),
        ("refused", 0, 0, (0, 0, 0, True)),
        ("refused", 1, 0, (0, 0, 100, False)),
        (LateRule(days=5), 2, 1, (2, 2, 0, True)),
        (LateRule(days=5), 4, 1, (4, 0, 0, True)),
        (LateRule(days=5), 5, 1, (0, 4, 100, False)),
        (LateRule(percent=10), 3, 0, (0, 0, 30, True)),
        (LateRule(percent=10, floor=50), 9, 0, (0, 0, 50, True)),
        (LateRule(percent=30), 4, 0, (0, 0, 100, True)),
        (LateRule(days=2, percent=10), 3, 0, (2, 0, 10, True)),
        (LateRule(days=2, percent=10), 3, 7, (0, 0, 30, True)),
    ],
)
def test_what_lateness_costs(late, days, spent, told):
    """Late days are used before points are deducted.

    Without a deduction, work beyond the remaining late days is refused and does not use any.
    """
    found = lateness(late, days, spent)
    assert (found.covered, found.left, found.percent, found.accepted) == told


@given(late=rules, days=st.integers(0, 500), spent=st.integers(0, 9), points=st.floats(0, 1000))
def test_a_deduction_leaves_what_is_earned_or_less_and_never_less_than_the_floor(late, days, spent, points):
    """After a deduction, the points are between zero and the points earned, and not below the floor.

    Work on time keeps its points.
    """
    found = lateness(late, days, spent)
    left = points - found.deducted(points)
    assert 0 <= left <= points
    assert found.covered <= days
    if not days:
        assert left == points
    if isinstance(late, LateRule) and found.accepted:
        assert left == pytest.approx(points) or left >= points * late.floor / 100 - 1e-8


@given(late=rules, spent=st.integers(0, 9))
def test_more_days_never_cost_less(late, spent):
    """Under every rule, more days late never cost less."""
    costs = [lateness(late, days, spent).percent for days in range(12)]
    assert all(one <= other for one, other in pairwise(costs))


@given(found=st.builds(of, dates, zones, grace=graces), late=rules, spent=st.integers(0, 9), delay=delays)
def test_the_door_closes_at_the_last_moment(found, late, spent, delay):
    """`closes` and `state` agree on the moment at which the assignment closes."""
    end, now = closes(found, late, spent), found.due + delay
    assert (state(found, late, now, spent) == "closed") == (end is not None and now > end)


def test_before_it_opens_nothing_is_taken():
    """Work is refused before the opening time and accepted from then on."""
    dates = of("2026-12-01T23:59", opens="2026-11-16T08:00")
    assert state(dates, "refused", at("2026-11-16T07:59:59")) == "not open yet"
    assert state(dates, "refused", at("2026-11-16T08:00")) == "open"
    assert state(dates, "accepted", at("2027-01-01T00:00")) == "late"


def test_without_a_due_date_nothing_is_late():
    """Without a due date, no work is late."""
    dates = schedule(Policies(), Extension(due=datetime(2026, 12, 1, tzinfo=UTC), extra=DAY))
    assert (dates.due, closes(dates, "refused")) == (None, None)
    assert days_late(dates, datetime(2099, 1, 1, tzinfo=UTC)) == 0


@given(when=dates, zone=zones)
def test_an_instant_reads_on_the_wall_as_it_was_written_or_later(when, zone):
    """A local time becomes a moment with the same local time, or with a later one if the time is skipped."""
    assert moment(when, ZoneInfo(zone)).astimezone(ZoneInfo(zone)).replace(tzinfo=None) >= when
