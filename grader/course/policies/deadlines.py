"""An assignment's dates for one student, and what comes of handing in late.

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
"""Of points: more is what floating point makes of them."""

REFUSED = LateRule()
"""No late days, and no deduction that would let one hand in after them."""

ACCEPTED = LateRule(percent=100, floor=100)
"""However late it is, all points stay."""


@dataclass(frozen=True, kw_only=True)
class Extension:
    """What one student has beyond the others for one assignment: another due date, or `extra` time after everybody's;
    and bonus attempts. A `due` without an offset is in the course's zone.
    """

    due: datetime | None = None
    extra: timedelta = NOTHING
    attempts: int = 0


def read_extra(text: str) -> timedelta:
    """Extra time as people write it. Raises ValueError with the remedy."""
    match = EXTRA.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r}; write time such as 2 days, 36 h or 90 min")
    return int(match["number"]) * UNITS[match["unit"][0].lower()]


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The dates that hold for one student, in UTC; `zone` has the days. None: it is open from the start, or for ever.
    `grace` is the time after `due` that does not count as late.
    """

    zone: tzinfo
    opens: datetime | None
    due: datetime | None
    grace: timedelta

    @property
    def on_time_until(self) -> datetime | None:
        """The last moment that is on time."""
        return None if self.due is None else self.due + self.grace


def schedule(policies: Policies, *extensions: Extension) -> Schedule:
    """The dates of one student, or of a group: what the most generous of the extensions of its members gives holds for
    all. An extension moves no due date forward.
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
    """Days begun since the due date; 0 up to the end of the grace, that moment included. `submitted` has an offset.

    A day ends at the due date's time of day in the course's zone: it has 23 or 25 hours where clocks are changed.
    """
    if dates.due is None or submitted <= dates.due + dates.grace:
        return 0
    begun = _wall(submitted, dates.zone) - _wall(dates.due, dates.zone)
    about = -(-begun // DAY)  # off by one at most, where clocks are changed
    ends = ((day, later(dates.due, day * DAY, dates.zone)) for day in range(max(1, about - 1), about + 3))
    return next(day for day, end in ends if submitted <= end)


def _wall(instant: datetime, zone: tzinfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None)


@dataclass(frozen=True, kw_only=True)
class Lateness:
    """What comes of handing in so many `days` late: of these, `covered` are covered by late days, of which `left` are
    left then. The rest costs `percent` of the earned points: all of them where it is not accepted.
    """

    days: int
    covered: int
    left: int
    percent: float
    accepted: bool

    def deducted(self, points: float) -> float:
        """How many of so many points are lost, never more than all."""
        return min(points, round(points * (self.percent / 100), DECIMALS))

    @property
    def in_words(self) -> str:
        """The consequences: "2 late days used, 1 left, 10 % off"."""
        if not self.accepted:
            return "not accepted any more"
        used = f"{count(self.covered, 'late day')} used, {self.left} left, " if self.covered else ""
        return used + (f"{self.percent:g} % off" if self.percent else "no points off")

    def leaves(self, points: float) -> float:
        """How many of so many points are left."""
        return round(points - self.deducted(points), DECIMALS)


def lateness(late: Late, days: int, spent: int = 0) -> Lateness:
    """What `days` of lateness cost who has `spent` so many late days before.

    Work that is not accepted spends none: they would be lost for nothing.
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
    """Whether a student who has spent so many late days can hand in now."""
    if dates.opens is not None and now < dates.opens:
        return "not open yet"
    days = days_late(dates, now)
    if not days:
        return "open"
    return "late" if lateness(late, days, spent).accepted else "closed"


def closes(dates: Schedule, late: Late, spent: int = 0) -> datetime | None:
    """The last moment at which that student can hand in; None if there is none."""
    rule = _rule(late)
    if dates.due is None or rule.percent is not None:
        return None
    has = max(0, rule.days - spent)
    return max(dates.due + dates.grace, later(dates.due, has * DAY, dates.zone))
