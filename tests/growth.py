"""How the cost of something grows with its size: in processor time, which other processes do not change."""

import time

SMALL, LARGE = 4 * 1024, 64 * 1024
"""Characters."""

TIMES = LARGE // SMALL

FLOOR = 0.002
"""Seconds: what takes less is not measured, but counted as so much."""

ALLOWED = 4
"""The large may cost this much more than its share: far less than the 16 times of what grows with the square, and more
than caches and a busy machine make of what grows in proportion."""


def processor_seconds(work, made):
    """The least of two tries."""
    return max(FLOOR, min(_seconds(work, made) for _ in range(2)))


def assert_linear(work, make):
    """What `work` does with a text of `make` costs in proportion to the size of that."""
    small, large = (processor_seconds(work, make(size)) for size in (SMALL, LARGE))
    assert large <= ALLOWED * TIMES * small, f"{TIMES} times the size costs {large / small:.0f} times as much"


def _seconds(work, made):
    start = time.process_time()
    work(made)
    return time.process_time() - start
