"""How long this process's threads have waited for a processor, as Linux counts it (proc(5): /proc/pid/schedstat).

A kernel that runs in this process is slower on a busy machine, and a long launch more than a short one: the scheduler
interrupts who computes on and on, and lets go first who has slept.
"""

import os

Waits = dict[str, int]
"""Nanoseconds since it began, by thread."""

THREADS = "/proc/self/task"


def waits() -> Waits:
    """Of every thread so far; none where the kernel does not count them. The judge's clock runs meanwhile, so it reads
    without buffers and paths, in half the time: 10 microseconds a thread.
    """
    found: Waits = {}
    for thread in os.listdir(THREADS):  # noqa: PTH208 - names, not paths
        try:
            with open(f"{THREADS}/{thread}/schedstat", "rb", buffering=0) as file:  # noqa: PTH123
                _, waited, _ = file.read().split()
        except OSError:  # it has ended, or nobody counts
            continue
        found[thread] = int(waited)
    return found


def waited_since(before: Waits) -> int:
    """Nanoseconds of the thread that has waited longest since then: the others have worked meanwhile, or waited too."""
    return max((waited - before.get(thread, 0) for thread, waited in waits().items()), default=0)
