"""Counts the attempts that a student has left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from grader.course.policies.rules import AttemptLimit

REFUNDS = 3
"""Maximum number of attempts at an assignment that are given back after a failure of grader.

A kernel is native code, and a student may find one that makes grader fail on purpose after the live progress has shown
the wanted information. Without a limit, this would give the student endless attempts. Faults of grader are rare, and
grader tries each grading three times before it gives up, so honest students hardly ever reach the limit. If a student
has had many faults, the instructor can give bonus attempts.
"""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A hand-in. Each received hand-in is one attempt, no matter how often it was graded. Times have an offset.

    `ended` is None while the attempt is waiting or running. `our_fault` is true if grader failed and the attempt ended
    for good without a result.
    """

    at: datetime
    ended: datetime | None = None
    our_fault: bool = False


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """The number of attempts left, including bonus attempts, and the time when the next one comes back (None for
    never).
    """

    left: int
    next_at: datetime | None


Source = Literal["bucket", "bonus", "nowhere"]


class _Level:
    """State of the bucket while its history is replayed."""

    def __init__(self, limit: AttemptLimit, bonus: int, start: datetime) -> None:
        self._most = limit.most
        self._refill = None if limit.refill_hours is None else timedelta(hours=limit.refill_hours)
        self._in_bucket, self._bonus = limit.most, bonus
        self._since = start

    def refill(self, now: datetime) -> None:
        """Add the attempts that have come back by now. The clock starts when the bucket is no longer full, and again
        with each attempt that comes back.
        """
        if self._refill is None or self._in_bucket >= self._most:
            self._since = now
            return
        back = min((now - self._since) // self._refill, self._most - self._in_bucket)
        self._in_bucket += back
        self._since = self._since + back * self._refill if self._in_bucket < self._most else now

    def take(self) -> Source:
        """Take an attempt. Bonus attempts are taken last, since they do not come back. If no attempt is left because
        the limit was higher before, the attempt is free.
        """
        if self._in_bucket:
            self._in_bucket -= 1
            return "bucket"
        if self._bonus:
            self._bonus -= 1
            return "bonus"
        return "nowhere"

    def give_back(self, source: Source) -> None:
        """Give an attempt back to its source. A bucket that is full again by then does not grow."""
        if source == "bucket":
            self._in_bucket = min(self._most, self._in_bucket + 1)
        elif source == "bonus":
            self._bonus += 1

    def now(self) -> Bucket:
        """Return the current state of the bucket."""
        waiting = self._refill is not None and self._in_bucket < self._most
        return Bucket(
            left=self._in_bucket + self._bonus,
            next_at=self._since + self._refill if waiting and self._refill is not None else None,
        )


def bucket(limit: AttemptLimit, attempts: Sequence[Attempt], now: datetime, bonus: int = 0) -> Bucket:
    """Return the attempts that a student has left at `now`. Later attempts in `attempts` are ignored.

    An attempt that ended by a fault of grader is given back once, at its end, up to REFUNDS times. The result depends
    only on the attempts, so a changed limit applies from the beginning.
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
    """Yield the times when attempts are taken and given back. At equal times, attempts are given back first, so that a
    student who has just been informed can use the attempt.
    """
    for number, each in enumerate(attempts):
        yield each.at, 1, number
        if each.our_fault and each.ended is not None:
            yield (each.ended, 0, number) if each.ended > each.at else (each.at, 1, number)
