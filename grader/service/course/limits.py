"""Limits on hand-ins, and the attempts that a new one supersedes, as pure functions of records.

The course's rules, which also apply to batches, are in course/policies/. This module adds the service's own limits on
the resources that one person may use.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.common.phrases import count
from grader.course.policies.attempts import Attempt, Bucket, bucket
from grader.course.policies.deadlines import Extension, Schedule, closes, days_late, schedule
from grader.course.policies.rules import Counts, Policies, in_words
from grader.service.db.tables.grading_states import State

HOUR_SECONDS, MAX_HAND_INS_PER_HOUR = 3600.0, 30
"""Seconds in an hour, and the maximum number of attempts of a student within it, including superseded ones. Grading an
attempt takes about a minute.
"""

MAX_STORED_ATTEMPTS = 300
"""Maximum number of stored attempts of a student at an assignment, including superseded and cancelled ones."""

MAX_OPEN_ATTEMPTS = 5
"""Maximum number of attempts of a student, at all assignments, that wait for a station or are being graded."""


@dataclass(frozen=True, kw_only=True)
class HandInRules:
    """Rules for a student or a group at an assignment: the course's policies, the dates, the number of bonus attempts,
    the late days spent on other assignments, and a flag that is true if the assignment is no longer part of the course.
    """

    policies: Policies
    dates: Schedule
    bonus: int = 0
    spent: int = 0
    gone: bool = False

    @property
    def opens(self) -> datetime | None:
        """Time from which students can hand in."""
        return self.dates.opens

    @property
    def due(self) -> datetime | None:
        """Due date, without the grace period."""
        return self.dates.due

    @property
    def closes(self) -> datetime | None:
        """Time after which even late attempts are refused."""
        return closes(self.dates, self.policies.late, self.spent)

    @property
    def attempts(self) -> int | None:
        """Number of attempts, bonus attempts included; None if there is no limit."""
        limit = self.policies.attempts
        return None if limit is None else limit.most + self.bonus

    @property
    def counts(self) -> Counts:
        """The rule that selects the attempt that counts."""
        return self.policies.counts


def rules_of(policies: Policies, *extensions: Extension) -> HandInRules:
    """The rules of an assignment for a student or a group with these extensions."""
    bonus = max((each.attempts for each in extensions), default=0)
    return HandInRules(policies=policies, dates=schedule(policies, *extensions), bonus=bonus)


TRIAL = rules_of(Policies())
"""The rules for trial runs."""


@dataclass(frozen=True, kw_only=True)
class PastAttempt:
    """An earlier attempt: its owners, the time of its arrival, and the state of its first grading. `begun` is true if
    that grading has ever started, `ended` is the time when it ended, and `entered` is true if an instructor handed the
    attempt in.
    """

    people: frozenset[int]
    received: datetime
    state: State
    begun: bool
    ended: datetime | None = None
    entered: bool = False


def is_late(rules: HandInRules, received: datetime) -> bool:
    """True if an attempt that was received at this time is late."""
    return days_late(rules.dates, received) > 0


def attempts_left(rules: HandInRules, past: Sequence[PastAttempt], now: datetime) -> Bucket | None:
    """Number of attempts left; None if there is no limit. An attempt does not count if it was cancelled or superseded
    before its grading began. An attempt that was cancelled while it ran counts, because its first checks were shown. A
    group has as many attempts left as its member with the fewest, so attempts that members used before they joined are
    not added up.

    Attempts in `past` count even if they are later than `now`, because several requests can arrive before one of them
    completes.
    """
    limit = rules.policies.attempts
    if limit is None:
        return None
    unbegun = {State.CANCELLED, State.SUPERSEDED}
    latest = max((now, *(each.received for each in past)))
    used: dict[int, list[Attempt]] = {}
    for each in past:
        if each.begun or each.state not in unbegun:
            one = Attempt(at=each.received, ended=each.ended, our_fault=each.state is State.FAULTED)
            for person in each.people:
                used.setdefault(person, []).append(one)
    return _fewest([bucket(limit, attempts, latest, rules.bonus) for attempts in used.values() or [[]]])


def _fewest(buckets: Sequence[Bucket]) -> Bucket:
    """The smallest of several budgets. Its next attempt becomes available when all budgets of that size have one."""
    fewest = min(each.left for each in buckets)
    times = [each.next_at for each in buckets if each.left == fewest]
    known = [each for each in times if each is not None]
    return Bucket(left=fewest, next_at=max(known) if len(known) == len(times) else None)


def superseded_positions(rules: HandInRules, past: Sequence[PastAttempt], now: datetime) -> tuple[int, ...]:
    """Positions of the waiting attempts that a hand-in supersedes now. A late hand-in does not supersede an attempt
    that was on time, and no hand-in supersedes an attempt that an instructor handed in.
    """
    late = is_late(rules, now)
    return tuple(
        position
        for position, each in enumerate(past)
        if each.state is State.WAITING
        and not each.begun
        and not each.entered
        and (is_late(rules, each.received) or not late)
    )


def is_open(rules: HandInRules, now: datetime) -> bool:
    """True if the assignment has opened. Before that, students see only its title."""
    return rules.opens is None or now >= rules.opens


def refusal(rules: HandInRules, past: Sequence[PastAttempt], open_elsewhere: int, now: datetime) -> str:
    """Reason why the student cannot hand in now; empty if they can. `open_elsewhere` is the number of open attempts at
    other assignments.
    """
    return next(_objections(rules, past, open_elsewhere, now), "")


def _objections(rules: HandInRules, past: Sequence[PastAttempt], open_elsewhere: int, now: datetime) -> Iterator[str]:
    superseded = set(superseded_positions(rules, past, now))
    staying = [each for position, each in enumerate(past) if position not in superseded]
    unfinished = open_elsewhere + sum(each.state.open for each in staying)
    recent = sum((now - each.received).total_seconds() < HOUR_SECONDS for each in past)
    if rules.gone:
        yield "This assignment is no longer part of the course. Attempts and their points are kept."
    if not is_open(rules, now):
        yield "This assignment is not open yet."
    if rules.closes is not None and now > rules.closes:
        yield "This assignment is closed; nothing can be handed in any more."
    attempts = attempts_left(rules, staying, now)
    if attempts is not None and not attempts.left:
        yield _used_up(rules, attempts)
    if unfinished >= MAX_OPEN_ATTEMPTS:
        yield f"{unfinished} of your attempts are waiting or running; wait until one is done."
    if recent >= MAX_HAND_INS_PER_HOUR:
        yield f"You have handed in {count(recent, 'time')} within an hour; take a break, and hand in later."
    if len(past) >= MAX_STORED_ATTEMPTS:
        yield f"You have handed in {MAX_STORED_ATTEMPTS} times; ask your instructor before you continue."


def _used_up(rules: HandInRules, attempts: Bucket) -> str:
    words = f"You have used all of your {count(rules.attempts or 0, 'attempt')}"
    if attempts.next_at is None:
        return f"{words}."
    return f"{words}; you get the next one at {in_words(attempts.next_at, rules.dates.zone)}."
