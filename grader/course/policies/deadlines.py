"""The dates of an assignment for one student, and the cost of lateness.

Policies + Extension -> Schedule;  Schedule + time -> days late;  days late, and late days spent before -> Lateness
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Literal

from grader.common.phrases import count
from grader.course.policies.rules import Late, LateRule, Policies, later, moment

DAY = timedelta(days=1)
NOTHING = timedelta()

EXTRA = re.compile(r"(?P<number>[0-9]{1,4})\s*(?P<unit>d|days?|h|hours?|min|minutes?)", re.ASCII | re.IGNORECASE)
UNITS = {"d": DAY, "h": timedelta(hours=1), "m": timedelta(minutes=1)}

DECIMALS = 9
"""Number of decimals of points. Further decimals are floating-point noise."""

REFUSED = LateRule()
"""There are no late days, and no deduction at which later work would be accepted."""

ACCEPTED = LateRule(percent=100, floor=100)
"""All points remain, no matter how late the work is."""


@dataclass(frozen=True, kw_only=True)
class Extension:
    """An extension for one student and one assignment. It is another due date or `extra` time after the common one, and
    bonus attempts. A `due` without an offset is in the course's time zone.
    """

    due: datetime | None = None
    extra: timedelta = NOTHING
    attempts: int = 0


def read_extra(text: str) -> timedelta:
    """Parse extra time, such as "36 h". Raises ValueError with the expected format."""
    match = EXTRA.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r}; write time such as 2 days, 36 h or 90 min")
    return int(match["number"]) * UNITS[match["unit"][0].lower()]


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Dates for one student, in UTC. Without `opens`, the assignment is open from the start; without `due`, it never
    closes. Days end in the time zone `zone`. `grace` is the time after `due` that does not count as late.
    """

    zone: tzinfo
    opens: datetime | None
    due: datetime | None
    grace: timedelta


def schedule(policies: Policies, *extensions: Extension) -> Schedule:
    """Return the dates of one student or group. The most generous extension of any member applies to the whole group.
    An extension never makes a due date earlier.
    """
    zone = policies.zone
    due = None if policies.due is None else moment(policies.due, zone)
    if due is not None:
        due = max((due, *(_extended(due, each, zone) for each in extensions)))
    return Schedule(
        zone=zone,
        opens=None if policies.opens is None else moment(policies.opens, zone),
        due=due,
        grace=timedelta(minutes=policies.grace),
    )


def _extended(due: datetime, extension: Extension, zone: tzinfo) -> datetime:
    return later(due, extension.extra, zone) if extension.due is None else moment(extension.due, zone)


def days_late(dates: Schedule, submitted: datetime) -> int:
    """Return the number of days begun since the due date, or 0 up to and including the end of the grace time.
    `submitted` has an offset.

    A day ends at the due date's time of day in the course's time zone, so it has 23 or 25 hours when clocks change.
    """
    if dates.due is None or submitted <= dates.due + dates.grace:
        return 0
    begun = _wall(submitted, dates.zone) - _wall(dates.due, dates.zone)
    about = -(-begun // DAY)  # off by one at most, when clocks change
    ends = ((day, later(dates.due, day * DAY, dates.zone)) for day in range(max(1, about - 1), about + 3))
    return next(day for day, end in ends if submitted <= end)


def _wall(instant: datetime, zone: tzinfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None)


@dataclass(frozen=True, kw_only=True)
class Lateness:
    """The cost of being late by `days`. Late days cover `covered` of them, and `left` late days remain. The other days
    cost `percent` of the earned points, or all points if the work is not accepted.
    """

    days: int
    covered: int
    left: int
    percent: float
    accepted: bool

    def deducted(self, points: float) -> float:
        """Return the points lost out of `points`, at most all of them."""
        return min(points, round(points * (self.percent / 100), DECIMALS))

    @property
    def in_words(self) -> str:
        """The consequences in words, such as "2 late days used, 1 left, 10 % off"."""
        if not self.accepted:
            return "not accepted any more"
        used = f"{count(self.covered, 'late day')} used, {self.left} left, " if self.covered else ""
        return used + (f"{self.percent:g} % off" if self.percent else "no points off")

    def leaves(self, points: float) -> float:
        """Return the points that remain of `points`."""
        return round(points - self.deducted(points), DECIMALS)


def lateness(late: Late, days: int, spent: int = 0) -> Lateness:
    """Return the cost of being `days` late, for a student who has already spent `spent` late days.

    Work that is not accepted does not spend late days, since the student would get nothing for them.
    """
    rule = _rule(late)
    has = max(0, rule.days - spent)
    if days > has and rule.percent is None:
        return Lateness(days=days, covered=0, left=has, percent=100, accepted=False)
    covered = min(days, has)
    percent = min((days - covered) * (rule.percent or 0), 100 - rule.floor)
    return Lateness(days=days, covered=covered, left=has - covered, percent=percent, accepted=True)


def _rule(late: Late) -> LateRule:
    match late:
        case "accepted":
            return ACCEPTED
        case "refused":
            return REFUSED
        case LateRule():
            return late


State = Literal["not open yet", "open", "late", "closed"]


def state(dates: Schedule, late: Late, now: datetime, spent: int = 0) -> State:
    """Return the state of an assignment for a student who has spent this many late days."""
    if dates.opens is not None and now < dates.opens:
        return "not open yet"
    days = days_late(dates, now)
    if not days:
        return "open"
    return "late" if lateness(late, days, spent).accepted else "closed"


def closes(dates: Schedule, late: Late, spent: int = 0) -> datetime | None:
    """Return the last moment at which the student can hand in, or None if there is no such limit."""
    rule = _rule(late)
    if dates.due is None or rule.percent is not None:
        return None
    has = max(0, rule.days - spent)
    return max(dates.due + dates.grace, later(dates.due, has * DAY, dates.zone))
