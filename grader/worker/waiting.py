"""Time for which this process's threads have waited for a processor, as Linux counts it (proc(5): /proc/pid/schedstat).

A kernel that runs in this process is slower on a busy machine. A long launch suffers more than a short one: the
scheduler interrupts threads that compute for a long time, and prefers threads that have slept.
"""

import os

Waits = dict[str, int]
"""Nanoseconds of waiting since the start of each thread, by thread id."""

THREADS = "/proc/self/task"


def waits() -> Waits:
    """The waits of every thread until now; empty if the OS kernel does not count them.

    The judge's clock runs meanwhile. So the files are read without buffers and Path objects, which takes half the time:
    10 microseconds per thread.
    """
    found: Waits = {}
    for thread in os.listdir(THREADS):  # noqa: PTH208 - names, not paths
        try:
            with open(f"{THREADS}/{thread}/schedstat", "rb", buffering=0) as file:  # noqa: PTH123
                _, waited, _ = file.read().split()
        except OSError:  # the thread has ended, or the OS kernel does not count waits
            continue
        found[thread] = int(waited)
    return found


def waited_since(before: Waits) -> int:
    """Nanoseconds since `before` of the thread that waited longest. Waits are not added up, because the other threads
    have worked meanwhile, or waited at the same time.
    """
    return max((waited - before.get(thread, 0) for thread, waited in waits().items()), default=0)
