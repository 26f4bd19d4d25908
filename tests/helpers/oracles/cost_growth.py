"""The growth of a step's cost with the size of its input, as an exponent over at least two successive doublings.

Times are processor times of this thread, because the process's time is coarse while a timer runs. The smallest of
several measurements counts, minus the time for an empty input. A single steep doubling proves nothing, because a limit
may lie between the two sizes. Memory peaks come from tracemalloc and do not vary.
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
"""Exponent that separates linear from quadratic growth. n log n has an exponent of about 1.1 at these sizes."""

QUICK, THOROUGH = 0.02, 0.3
"""Seconds after which no larger input is measured: QUICK for most recipes, and THOROUGH for some, because linear cost
can hide quadratic cost until an input is large.
"""

SHORT, NOISE = 0.004, 0.0002
"""Seconds: the smallest cost that is judged, and the largest cost that may be noise."""

LARGE, UNSEEN = 512 * 1024, 32 * 1024
"""Bytes of peak memory: the smallest cost that is judged, and the largest cost that may come from filling a cache."""

FEWEST = 3
"""Number of sizes that are always measured, which makes two doublings."""

TRACED = 0.005
"""Longest time in seconds of a step whose memory is measured. Measuring takes several times as long as the step."""

REPEATS = 5
"""Number of measurements of a step that looks steep. The smallest time counts."""

LIMIT = 10.0
"""Seconds of processor time that no step should need for any of these inputs."""

SIZES = tuple(2**power * 1024 for power in range(2, 9))
"""Sizes in characters of the texts that a test measures: 4 KiB to 256 KiB."""


class OverrunError(Exception):
    """A step took longer than `LIMIT`."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """Costs by size. Each size is twice the previous one. `least` is the smallest cost that is judged, and `noise` the
    largest cost that may be pure noise.
    """

    costs: tuple[tuple[int, float], ...]
    least: float
    noise: float

    @property
    def exponent(self) -> float:
        """The steepest growth that two successive doublings have in common, if the last cost is large enough to be
        judged.
        """
        logs = [math.log2(max(cost, self.noise)) for _, cost in self.costs]
        rises = [min(b - a, c - b) for a, b, c in zip(logs, logs[1:], logs[2:], strict=False)]
        judged = [rise for rise, (_, cost) in zip(rises, self.costs[2:], strict=True) if cost >= self.least]
        return max(judged, default=0.0)

    @property
    def is_steep(self) -> bool:
        """True if the cost grows faster than allowed."""
        return self.exponent > EXPONENT


Step = Callable[[object], object]
Make = Callable[[int], object]


def times(step: Step, make: Make, sizes: Sequence[int], enough: float) -> Series:
    """Return the seconds of a step by size, up to the first size that takes `enough` seconds. A step that looks steep
    is measured again and must also be steep at larger sizes, because a cost that grows from a constant rises steeply
    for a while.

    A step that takes long even for an empty input is measured with the largest sizes only.
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
    """Check that the time of a step grows in proportion to the size of its input. Only `make test-all` runs these
    tests, because a busy machine disturbs even processor time.
    """
    taken = times(step, make, SIZES, THOROUGH)
    told = ", ".join(f"{size} characters {1000 * seconds:.1f} ms" for size, seconds in taken.costs)
    assert not taken.is_steep, f"the time grows as the size to the power of {taken.exponent:.1f}: {told}"


def _series(costs: Sequence[tuple[int, float]], nothing: float) -> Series:
    return Series(costs=tuple(costs), least=max(SHORT, nothing), noise=max(NOISE, nothing / 4))


def peaks(step: Step, make: Make, sizes: Sequence[int]) -> Series:
    """Return the step's peak memory in bytes, by size."""
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
    """Run the block without the garbage collector, which runs at unpredictable times."""
    gc.collect(0)
    gc.disable()
    try:
        with limited():
            yield
    finally:
        gc.enable()


@contextmanager
def limited() -> Iterator[None]:
    """Raise OverrunError if the block takes more than `LIMIT` seconds of processor time."""

    def overrun(*_: object) -> None:
        raise OverrunError(f"took more than {LIMIT:g} s")

    before = signal.signal(signal.SIGPROF, overrun)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
