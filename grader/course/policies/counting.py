"""Decides which attempts count and what their lateness costs, for all assignments of a course together, because late
days apply to the whole course.

Work of each student or group at each assignment -> settle -> CountedAttempt: the attempt, its lateness and its points
after the deduction
"""

import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

from grader.course.policies.deadlines import Lateness, lateness
from grader.course.policies.rules import Counts, Late

Key = TypeVar("Key", bound=Hashable)

UNKNOWN = datetime.min.replace(tzinfo=UTC)
"""Placeholder for the hand-in time of an attempt if only its lateness is known."""


@dataclass(frozen=True, kw_only=True)
class Try:
    """An attempt: when it was handed in, its days of lateness, and its points before the deduction (None without a
    result). `at` is None if only the lateness is known.
    """

    at: datetime | None
    days: int
    points: float | None


@dataclass(frozen=True, kw_only=True)
class Work(Generic[Key]):
    """The attempts of a student or group at an assignment, in the order in which they were handed in, and the rules for
    them.
    """

    key: Key
    students: frozenset[Hashable]
    late: Late
    counts: Counts
    tries: Sequence[Try]


@dataclass(frozen=True, kw_only=True)
class CountedAttempt:
    """The position of the attempt that counts, the cost of its lateness, and its points after the deduction. `spent` is
    the number of late days that were spent before it.
    """

    position: int
    lateness: Lateness
    points: float
    spent: int


def settle(works: Iterable[Work[Key]]) -> dict[Key, CountedAttempt]:
    """Choose the attempt that counts for each `Work` that has a result.

    Late days are spent in the order in which the counted attempts were handed in, not in the order of due dates, so
    that a later hand-in cannot change the cost of an earlier one. A group has as many late days as its member with the
    fewest, and spends late days of all members. If the best attempt counts, the late days that are left at that point
    decide which attempt is the best.
    """
    every = list(works)
    spent: Counter[Hashable] = Counter()
    found: dict[Key, CountedAttempt] = {}
    waiting = [(_when(work, choice), place) for place, work in enumerate(every) if (choice := _choice(work, spent))]
    heapq.heapify(waiting)
    while waiting:
        when, place = heapq.heappop(waiting)
        work = every[place]
        choice = _choice(work, spent)
        if choice is None:
            continue
        if _when(work, choice) > when:  # with fewer late days left, a later attempt is the best
            heapq.heappush(waiting, (_when(work, choice), place))
            continue
        spent.update(dict.fromkeys(work.students, choice.lateness.covered))
        found[work.key] = choice
    return found


def _when(work: Work[Key], choice: CountedAttempt) -> datetime:
    return work.tries[choice.position].at or UNKNOWN


def _choice(work: Work[Key], spent: Counter[Hashable]) -> CountedAttempt | None:
    return counted(work, max((spent[each] for each in work.students), default=0))


def counted(work: Work[Key], spent: int) -> CountedAttempt | None:
    """Return the attempt that counts after `spent` late days have been spent, or None if no attempt has a result.

    An attempt that is too late to be accepted counts only if there is no other. The first of several equally good
    attempts is the best, since it is the least late. If no attempt is on time, "last before due" selects the last
    attempt, because the deduction already covers lateness.
    """
    costs = [lateness(work.late, each.days, spent) for each in work.tries]
    worth = [
        None if each.points is None else cost.leaves(each.points) for each, cost in zip(work.tries, costs, strict=True)
    ]
    graded = [place for place, points in enumerate(worth) if points is not None]
    taken = [place for place in graded if costs[place].accepted] or graded
    if not taken:
        return None
    match work.counts:
        case "last":
            place = taken[-1]
        case "best":
            place = max(taken, key=lambda each: worth[each] or 0.0)
        case "last before due":
            place = ([each for each in taken if not work.tries[each].days] or taken)[-1]
    return CountedAttempt(position=place, lateness=costs[place], points=worth[place] or 0.0, spent=spent)
