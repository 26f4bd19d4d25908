"""Decides which hand-ins of a batch are late, and what lateness costs. The due date decides if the course has one and
the time of the hand-in is known. Otherwise, the platform's late mark decides.

Lateness is computed again on every run from the intake and the current policies. It is never stored with a result.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from grader.batch.lists import Extensions
from grader.common.phrases import count
from grader.common.record import replace
from grader.course.policies.counting import Try, Work, settle
from grader.course.policies.deadlines import Extension, Lateness, Schedule, days_late, schedule
from grader.course.policies.rules import LateRule, Policies, in_words, moment
from grader.course.submissions.handin import HandIn, Intake
from grader.course.suite import Coursework
from grader.protocol.text import showable
from grader.results.result import Deduction, Result, Ungraded

NAMES = 20
"""Maximum number of names in a list. Further names are only counted."""

TAKEN_FOR_ON_TIME = "The time of these hand-ins is not known, and they are not marked late, so they count as on time"
TAKEN_FOR_LATE = "The time of these hand-ins is not known; the platform marks them late, so they count as 1 day late"


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A hand-in, the dates that apply to its student, and the number of days by which it is late.

    `when` is the time that is compared with the due date. If it is None, `days` is 1 for a hand-in that the platform
    marks late. `extended` is True if the due date differs from the common one.
    """

    handin: HandIn
    dates: Schedule
    when: datetime | None
    days: int
    extended: bool


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Deduction for a late hand-in, and the reason in words."""

    lateness: Lateness
    why: str


Costs = Mapping[tuple[str, str], Cost]
"""Costs by student label and assignment. Only late hand-ins have one, and only if the assignment deducts points for
lateness.
"""


@dataclass(frozen=True, kw_only=True)
class LateWork:
    """The intake with late hand-ins marked, the costs, and `lines` that state the dates on which this is based."""

    intake: Intake
    costs: Costs
    lines: tuple[str, ...]


Group = tuple[str, str, str]
"""An assignment, and a team or the label of a student without a team."""


def apply_deadlines(intake: Intake, assignments: Mapping[str, Coursework], extensions: Extensions) -> LateWork:
    """Decide which hand-ins are late, and what that costs. Without policies, the intake is returned unchanged."""
    groups: dict[Group, list[HandIn]] = {}
    for each in intake.handins:
        groups.setdefault(_group(each), []).append(each)
    arrivals = {
        group: [_arrival(each, members, assignments[each.assignment], extensions) for each in members]
        for group, members in groups.items()
    }
    late = {each.handin.key: each.days > 0 for found in arrivals.values() for each in found}
    return LateWork(
        intake=dataclasses.replace(
            intake, handins=tuple(dataclasses.replace(each, late=late[each.key]) for each in intake.handins)
        ),
        costs=_costs(arrivals, assignments),
        lines=tuple(_lines(arrivals, assignments)),
    )


def _group(handin: HandIn) -> Group:
    return (handin.assignment, "team", handin.team) if handin.team else (handin.assignment, "", handin.student.label)


def _arrival(handin: HandIn, members: list[HandIn], policies: Policies, extensions: Extensions) -> Arrival:
    """Compare a hand-in with its due date. An extension for one member applies to the whole team. If the due date is
    extended and the time of the hand-in is unknown, the hand-in counts as on time, because the platform may not know
    about the extension.
    """
    theirs = [extensions.get((each.student.label, handin.assignment), Extension()) for each in members]
    dates = schedule(policies, *theirs)
    extended = dates.due != schedule(policies).due
    when = None if handin.submitted is None or dates.due is None else moment(handin.submitted, dates.zone)
    days = int(handin.late and not extended) if when is None else days_late(dates, when)
    return Arrival(handin=handin, dates=dates, when=when, days=days, extended=extended)


def _costs(arrivals: Mapping[Group, list[Arrival]], assignments: Mapping[str, Coursework]) -> Costs:
    """Return the costs of all late hand-ins. Hand-ins of a team are settled together. A batch has only one attempt per
    team, so the points of the attempt do not matter.
    """
    settled = settle(
        Work(
            key=group,
            students=frozenset(each.handin.student.label for each in found),
            late=assignments[group[0]].late,
            counts="last",
            tries=(Try(at=found[0].when, days=max(each.days for each in found), points=0.0),),
        )
        for group, found in arrivals.items()
    )
    return {
        each.handin.key: Cost(lateness=lateness, why=_why(each, lateness, assignments[group[0]]))
        for group, found in arrivals.items()
        for lateness in [settled[group].lateness]
        for each in found
        if each.days and assignments[group[0]].late != "accepted"
    }


def _why(arrival: Arrival, lateness: Lateness, coursework: Coursework) -> str:
    """Return the reason in words, such as "2 days late: handed in 2026-12-03 00:10 CET, due 2026-12-01 23:59 CET by
    course.yaml; 20 % off".
    """
    return f"{_basis(arrival, lateness, coursework)}; {lateness.in_words}"


def _basis(arrival: Arrival, lateness: Lateness, coursework: Coursework) -> str:
    dates = arrival.dates
    if arrival.when is None or dates.due is None:
        return "marked late by the platform, which does not give the time: counted as 1 day"
    due = f"due {in_words(dates.due, dates.zone)} extended" if arrival.extended else due_in_words(coursework)
    return f"{count(lateness.days, 'day')} late: handed in {in_words(arrival.when, dates.zone)}, {due}"


def due_in_words(coursework: Coursework) -> str:
    """Return the common due date and its source, such as "due 2026-12-01 23:59 CET by course.yaml", or "" without a due
    date.
    """
    dates = schedule(coursework)
    return f"due {in_words(dates.due, dates.zone)} by {coursework.due_in}" if dates.due else ""


def deducted(outcome: Result | Ungraded, cost: Cost | None) -> Result | Ungraded:
    """Subtract the cost of lateness. It is the same share of the points, no matter if all or only some of them are
    shown.
    """
    if cost is None or isinstance(outcome, Ungraded):
        return outcome
    lost, left = cost.lateness.deducted(outcome.points), cost.lateness.leaves(outcome.points)
    return replace(outcome, points=left, deduction=Deduction(before=outcome.points, points=0 - lost, why=cost.why))


# --- lines for the instructor, before the grading -----------------------------------------------


def _lines(arrivals: Mapping[Group, list[Arrival]], assignments: Mapping[str, Coursework]) -> Iterator[str]:
    for name, policies in assignments.items():
        found = [each for group, theirs in arrivals.items() if group[0] == name for each in theirs]
        yield from _of_assignment(name, policies, found)
    if any(policies.counts != "last" for policies in assignments.values()):
        yield "A batch has only the latest hand-in of each student, so `counts` applies only to the submission service."
    if any(isinstance(policies.late, LateRule) and policies.late.days for policies in assignments.values()):
        yield f"Late days are counted over the assignments of this batch: {', '.join(assignments)}."


def _of_assignment(name: str, policies: Coursework, found: list[Arrival]) -> Iterator[str]:
    """Yield lines about the dates that decide lateness in an assignment. Further lines list hand-ins for which the
    dates cannot decide, hand-ins for which the platform's late mark disagrees, early hand-ins, and members of groups
    that are too large.
    """
    usual = schedule(policies)
    if usual.due is None and policies.late != "accepted":
        yield f"{name}: no due date in course.yaml, so the platform decides which work is late."
    if usual.due is not None:
        yield f"{name}: {due_in_words(policies)}. The late marks of the platform do not count."
        unknown = [each for each in found if each.when is None]
        yield from _named(TAKEN_FOR_ON_TIME, name, [each for each in unknown if not each.handin.late])
        yield from _named(TAKEN_FOR_LATE, name, [each for each in unknown if each.days])
        spared = [each for each in unknown if each.extended and each.handin.late]
        yield from _named("Marked late by the platform, but extended, so they count as on time", name, spared)
        forgiven = [each for each in found if each.when is not None and each.handin.late and not each.days]
        yield from _named("Marked late by the platform, but on time by this due date", name, forgiven)
    early = [each for each in found if each.when and usual.opens and each.when < usual.opens]
    yield from _named("Handed in before it opened", name, early)
    teams = Counter(each.handin.team for each in found if each.handin.team)
    large = [each for each in found if teams[each.handin.team] > policies.groups]
    if policies.groups > 1:
        yield from _named(f"In a group of more than {policies.groups}", name, large)


def _named(words: str, name: str, found: list[Arrival]) -> Iterator[str]:
    labels = [each.handin.student.label for each in found]
    more = f" and {len(labels) - NAMES} more" if len(labels) > NAMES else ""
    if labels:
        yield showable(f"{words} ({name}): {', '.join(labels[:NAMES])}{more}.")
