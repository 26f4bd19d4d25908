"""How many attempts are left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from grader.course.policies.rules import AttemptLimit

REFUNDS = 3
"""How many attempts at an assignment are given back because the grader failed.

A kernel is native code: somebody may find one that makes the grader fail whenever they like, after its live progress
has told what they wanted to know. Without a limit, that would buy endless attempts. Faults of grader are rare, and each
grading is tried three times before it is given up, so honest students hardly ever reach the limit. If a student has had
many faults, the instructor gives bonus attempts.
"""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A hand-in: one for each that was received, however often it was graded. Times have an offset.

    `ended` is None while it waits or runs; `our_fault` says that it ended for good without a result because the grader
    failed.
    """

    at: datetime
    ended: datetime | None = None
    our_fault: bool = False


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """The attempts that are left, bonus ones among them; and when the next one comes back, None if none does."""

    left: int
    next_at: datetime | None


Source = Literal["bucket", "bonus", "nowhere"]


class _Level:
    """The bucket while its history is played."""

    def __init__(self, limit: AttemptLimit, bonus: int, start: datetime) -> None:
        self._most = limit.most
        self._refill = None if limit.refill_hours is None else timedelta(hours=limit.refill_hours)
        self._in_bucket, self._bonus = limit.most, bonus
        self._since = start

    def refill(self, now: datetime) -> None:
        """What has come back by itself. The clock runs from when the bucket was last full, or got one back."""
        if self._refill is None or self._in_bucket >= self._most:
            self._since = now
            return
        back = min((now - self._since) // self._refill, self._most - self._in_bucket)
        self._in_bucket += back
        self._since = self._since + back * self._refill if self._in_bucket < self._most else now

    def take(self) -> Source:
        """Bonus attempts last: they do not come back. Where there is none (the limit was higher once), it is free."""
        if self._in_bucket:
            self._in_bucket -= 1
            return "bucket"
        if self._bonus:
            self._bonus -= 1
            return "bonus"
        return "nowhere"

    def give_back(self, source: Source) -> None:
        """To where it came from; a bucket that is full meanwhile stays as it is."""
        if source == "bucket":
            self._in_bucket = min(self._most, self._in_bucket + 1)
        elif source == "bonus":
            self._bonus += 1

    def now(self) -> Bucket:
        """How it stands."""
        waiting = self._refill is not None and self._in_bucket < self._most
        return Bucket(
            left=self._in_bucket + self._bonus,
            next_at=self._since + self._refill if waiting and self._refill is not None else None,
        )


def bucket(limit: AttemptLimit, attempts: Sequence[Attempt], now: datetime, bonus: int = 0) -> Bucket:
    """The attempts that a student has left now, after these; what is later than `now` is not looked at.

    An attempt that ended by our fault is given back when it ended, once, within the limit of REFUNDS. What is allowed
    follows from the attempts alone, so that a changed limit holds from the beginning.
    """
    level = _Level(limit, bonus, min((each.at for each in attempts), default=now))
    sources: dict[int, Source] = {}
    refunds = 0
    for at, _, number in sorted(_events(attempts)):
        if at > now:
            break
        level.refill(at)
        if number not in sources:
            sources[number] = level.take()
        elif refunds < REFUNDS:
            refunds += 1
            level.give_back(sources[number])
    level.refill(now)
    return level.now()


def _events(attempts: Sequence[Attempt]) -> Iterator[tuple[datetime, int, int]]:
    """When an attempt was taken and, after that, given back. At one moment, what others give back comes first, so that
    whoever is told of it can have it.
    """
    for number, each in enumerate(attempts):
        yield each.at, 1, number
        if each.our_fault and each.ended is not None:
            yield (each.ended, 0, number) if each.ended > each.at else (each.at, 1, number)
