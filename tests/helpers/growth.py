"""How the cost of a step grows with the size of its input: as a power of it, over at least two doublings in a row.

Times are of this thread's processor (that of a process is coarse while a timer runs), the smallest of several tries,
less what an input of nothing costs. One steep doubling proves nothing: a limit may lie in it. Peaks of memory are what
tracemalloc counts, the same each time.
"""

import gc
import math
import signal
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

EXPONENT = 1.5
"""Between what is linear and what is quadratic; n log n has some 1.1 at these sizes."""

QUICK, THOROUGH = 0.02, 0.3
"""Seconds from which on no larger input is tried: for most recipes, and for some, since what is quadratic may be hidden
by what is linear until an input is large.
"""

SHORT, NOISE = 0.004, 0.0002
"""Seconds: the least that is judged, and what may be but noise."""

LARGE, UNSEEN = 512 * 1024, 32 * 1024
"""Bytes at the peak: the least that is judged, and what may be but a cache that was filled."""

FEWEST = 3
"""Sizes that are tried in any case: two doublings."""

TRACED = 0.005
"""Seconds that a step may take to have its memory counted, which takes several times as long."""

REPEATS = 5
"""Tries of what looks steep; the smallest counts."""

LIMIT = 10.0
"""Seconds of processor time that no step needs for any of these inputs."""

SIZES = tuple(2**power * 1024 for power in range(2, 9))
"""Characters of the texts that a test tries: 4 KiB to 256 KiB."""


class OverrunError(Exception):
    """A step that has taken longer than `LIMIT`."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """Costs by size, each size twice the one before; `least` is the smallest cost that is judged, `noise` what may be
    no cost at all.
    """

    costs: tuple[tuple[int, float], ...]
    least: float
    noise: float

    @property
    def exponent(self) -> float:
        """The steepest growth that two doublings in a row have in common, if the last is worth judging."""
        logs = [math.log2(max(cost, self.noise)) for _, cost in self.costs]
        rises = [min(b - a, c - b) for a, b, c in zip(logs, logs[1:], logs[2:], strict=False)]
        judged = [rise for rise, (_, cost) in zip(rises, self.costs[2:], strict=True) if cost >= self.least]
        return max(judged, default=0.0)

    @property
    def is_steep(self) -> bool:
        """Whether the cost grows faster than it may."""
        return self.exponent > EXPONENT


Step = Callable[[object], object]
Make = Callable[[int], object]


def times(step: Step, make: Make, sizes: Sequence[int], enough: float) -> Series:
    """Seconds of the step by size, until it takes that long; what looks steep is tried again, and must be at larger
    sizes, too: what begins to cost beside what is constant rises for a while.

    What takes long for no input at all is tried with the largest only.
    """
    nothing = min(_seconds(step, make(0)) for _ in range(2))
    costs: list[tuple[int, float]] = []
    for size in sizes if nothing < QUICK else sizes[-FEWEST:]:
        costs.append((size, _seconds(step, make(size)) - nothing))
        if costs[-1][1] > enough and len(costs) >= FEWEST:
            break
    if not _series(costs, nothing).is_steep:
        return _series(costs, nothing)
    nothing = min(_seconds(step, make(0)) for _ in range(REPEATS))
    again = [(size, min(_seconds(step, make(size)) for _ in range(REPEATS)) - nothing) for size, _ in costs]
    if not _series(again, nothing).is_steep or again[-1][1] > THOROUGH:
        return _series(again, nothing)
    larger = [(size, _seconds(step, make(size)) - nothing) for size in (2 * costs[-1][0], 4 * costs[-1][0])]
    return _series([again[-1], *larger], nothing)


def assert_linear(step: Step, make: Make) -> None:
    """What the step does with what is made of a size takes a time in proportion to the size. Tests that ask this are
    left to `make test-all`: on a busy machine even the processor's time is not what it is on a quiet one.
    """
    taken = times(step, make, SIZES, THOROUGH)
    told = ", ".join(f"{size} characters {1000 * seconds:.1f} ms" for size, seconds in taken.costs)
    assert not taken.is_steep, f"the time grows as the size to the power of {taken.exponent:.1f}: {told}"


def _series(costs: Sequence[tuple[int, float]], nothing: float) -> Series:
    return Series(costs=tuple(costs), least=max(SHORT, nothing), noise=max(NOISE, nothing / 4))


def peaks(step: Step, make: Make, sizes: Sequence[int]) -> Series:
    """Bytes of memory at the peak of the step by size."""
    nothing = _peak(step, make(0))
    costs = tuple((size, _peak(step, make(size)) - nothing) for size in sizes)
    return Series(costs=costs, least=LARGE, noise=UNSEEN)


def _seconds(step: Step, made: object) -> float:
    with _undisturbed():
        start = time.thread_time()
        step(made)
        return time.thread_time() - start


def _peak(step: Step, made: object) -> int:
    with _undisturbed():
        tracemalloc.start()
        try:
            step(made)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without the garbage collector, whose turns come when they will."""
    gc.collect(0)
    gc.disable()
    try:
        with limited():
            yield
    finally:
        gc.enable()


@contextmanager
def limited() -> Iterator[None]:
    """Raise OverrunError in a block that takes more than `LIMIT` of processor time."""

    def overrun(*_: object) -> None:
        raise OverrunError(f"took more than {LIMIT:g} s")

    before = signal.signal(signal.SIGPROF, overrun)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
