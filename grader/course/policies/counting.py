"""Which attempts count, and what lateness costs them: for all assignments of a course at once, since late days are for
the whole course.

Work of each student or group at each assignment -> settle -> CountedAttempt: the attempt, its lateness, its points
after that
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
"""Stands for when something was handed in of which only is known that it is late."""


@dataclass(frozen=True, kw_only=True)
class Try:
    """An attempt: when it was handed in, by how many days it is late, and its points before the deduction, None without
    a result. `at` is None where nothing is known but that it is late.
    """

    at: datetime | None
    days: int
    points: float | None


@dataclass(frozen=True, kw_only=True)
class Work(Generic[Key]):
    """The attempts, in the order of handing in, of a student or of a group at an assignment, and its rules."""

    key: Key
    students: frozenset[Hashable]
    late: Late
    counts: Counts
    tries: Sequence[Try]


@dataclass(frozen=True, kw_only=True)
class CountedAttempt:
    """The position of the attempt that counts, what its lateness costs, and its points after that. `spent` are the late
    days that were spent before.
    """

    position: int
    lateness: Lateness
    points: float
    spent: int


def settle(works: Iterable[Work[Key]]) -> dict[Key, CountedAttempt]:
    """What counts of everything that has a result.

    Late days are spent in the order in which was handed in what counts, not of the due dates: so nothing that is handed
    in later can change what an earlier hand-in costs. A group has the late days of the member who has the fewest, and
    spends those of all. Where the best attempt counts, it is the best by the late days that are left when its turn
    comes.
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
    """The attempt that counts for whoever has spent so many late days; None if none has a result.

    What comes too late to be accepted counts only where there is nothing else. Of several equally good ones the first
    is the best: it is the least late. Where none is on time, the last one counts as the last before due: what was late
    is dealt with by the deduction.
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
