"""What students may hand in, when, how often, and which attempt counts: pure functions of records.

The rules come from the course (course/policies/); nothing else of the service decides these questions. Deductions for
lateness and attempts that come back are not among them yet: a course that asks for one is refused (rules_of).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import AwareDatetime

from grader.common.errors import InputError
from grader.common.phrases import count
from grader.common.record import Record
from grader.course.policies.attempts import Scored
from grader.course.policies.deadlines import Extension, closes, schedule
from grader.course.policies.rules import Counts, LateRule, Policies
from grader.service.database.tables import State

REFUNDS = 3
"""Attempts at an assignment that a fault of ours gives back to a student; a file that provokes faults must not be a
way to hand in for ever.
"""

AN_HOUR, HAND_INS_AN_HOUR = 3600.0, 30
"""Seconds, and attempts that a student may hand in meanwhile, superseded ones included: a minute's work every time."""

STORED = 300
"""Attempts of a student at an assignment that are ever stored, superseded and cancelled ones included."""

OPEN_AT_ONCE = 5
"""Attempts of a student, at all assignments, that wait for a station or are being graded at once."""


class HandInRules(Record):
    """What holds for a student at an assignment. Times have a zone; None sets no limit."""

    opens: AwareDatetime | None = None
    due: AwareDatetime | None = None
    on_time_until: AwareDatetime | None = None
    """The due date, and the grace after it."""

    closes: AwareDatetime | None = None
    """When late attempts are refused, too."""

    attempts: int | None = None
    """How many attempts count as used before no more is taken, bonus ones included."""

    counts: Counts = "last"


def rules_of(name: str, policies: Policies, *extensions: Extension) -> HandInRules:
    """What holds at an assignment for a student with these extensions; raises InputError if the course says what this
    service does not do yet.
    """
    if isinstance(policies.late, LateRule):
        raise InputError(
            f"{name}: `late` deducts points or has late days, which `grader serve` cannot do yet; use a word."
        )
    if policies.attempts is not None and policies.attempts.refill_hours is not None:
        raise InputError(f"{name}: `attempts` has refill_hours, which `grader serve` cannot do yet; leave it out.")
    if policies.groups > 1:
        raise InputError(f"{name}: `groups` hand in together, which `grader serve` cannot do yet; leave it out.")
    dates = schedule(policies, *extensions)
    bonus = max((each.attempts for each in extensions), default=0)
    return HandInRules(
        opens=dates.opens,
        due=dates.due,
        on_time_until=dates.on_time_until,
        closes=closes(dates, policies.late),
        attempts=None if policies.attempts is None else policies.attempts.most + bonus,
        counts=policies.counts,
    )


@dataclass(frozen=True, kw_only=True)
class Past(Scored):
    """The same: when it came, where its first grading stands, and whether that was ever begun."""

    received: datetime
    state: State
    begun: bool


def is_late(rules: HandInRules, received: datetime) -> bool:
    """Whether it came after the assignment was due."""
    return rules.on_time_until is not None and received > rules.on_time_until


def used(past: Sequence[Past]) -> int:
    """Attempts that count as used: all but those that nobody began to grade, and the first few that failed by our
    fault. One that was cancelled while it ran counts, since its first checks were shown.
    """
    faulted = sum(each.state is State.FAULTED for each in past)
    unbegun = sum(each.state in {State.CANCELLED, State.SUPERSEDED} and not each.begun for each in past)
    return len(past) - unbegun - min(faulted, REFUNDS)


def left(rules: HandInRules, past: Sequence[Past]) -> int | None:
    """Attempts that are left; None where there is no limit."""
    return None if rules.attempts is None else max(0, rules.attempts - used(past))


def superseded_by_now(rules: HandInRules, past: Sequence[Past], now: datetime) -> tuple[int, ...]:
    """The positions of the attempts that one handed in now supersedes: those that wait, but for one in time by one that
    is late.
    """
    late = is_late(rules, now)
    return tuple(
        position
        for position, each in enumerate(past)
        if each.state is State.WAITING and not each.begun and (each.late or not late)
    )


def is_open(rules: HandInRules, now: datetime) -> bool:
    """Whether the assignment has opened; before that, students see nothing of it but its title."""
    return rules.opens is None or now >= rules.opens


def refusal(rules: HandInRules, past: Sequence[Past], open_elsewhere: int, now: datetime) -> str:
    """Why nothing can be handed in now; empty if it can. `open_elsewhere` are open attempts at other assignments."""
    return next(_objections(rules, past, open_elsewhere, now), "")


def _objections(rules: HandInRules, past: Sequence[Past], open_elsewhere: int, now: datetime) -> Iterator[str]:
    superseded = set(superseded_by_now(rules, past, now))
    staying = [each for position, each in enumerate(past) if position not in superseded]
    unfinished = open_elsewhere + sum(each.state.open for each in staying)
    recent = sum((now - each.received).total_seconds() < AN_HOUR for each in past)
    if not is_open(rules, now):
        yield "This assignment is not open yet."
    if rules.closes is not None and now > rules.closes:
        yield "This assignment is closed; nothing can be handed in any more."
    if rules.attempts is not None and used(staying) >= rules.attempts:
        yield f"You have used all of your {count(rules.attempts, 'attempt')}."
    if unfinished >= OPEN_AT_ONCE:
        yield f"{count(unfinished, 'attempt')} of yours are waiting or being graded; wait until one is done."
    if recent >= HAND_INS_AN_HOUR:
        yield f"You have handed in {count(recent, 'time')} within an hour; take a break, and hand in later."
    if len(past) >= STORED:
        yield f"You have handed in {STORED} times; ask your instructor before you go on."
