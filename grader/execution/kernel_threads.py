"""Measures the processor time of the operating system kernel's own threads.

These threads do work that the kernel postpones, such as echoing bytes to a terminal, writing pages to a disk, or
freeing memory. A process can cause such work and be frozen while it is done, and no limit of a container counts it. The
judge therefore reads the time of all these threads, and does not need a list of such work.
"""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.forkserver.descendants import fields

PROC = Path("/proc")
KTHREADD = "2"
"""Process ID of kthreadd outside of containers. It starts all other threads of the kernel."""

FLAGS = 6
"""Index of the flags among the fields that follow the name of a process in proc(5)."""

IS_KERNEL_THREAD = 0x0020_0000
"""The flag PF_KTHREAD, which a program cannot set for itself."""

PART = 1 << 16
"""Number of bytes of the list of threads to read at once. The kernel returns at most one page."""

SPARE_FILES = 256
"""Number of file descriptors that are left for everything else that the judge opens."""


class KernelThreads:
    """The threads of the kernel, with an open descriptor for each. Reading the time of a thread takes 1 µs, and opening
    it takes 6 µs.

    A new thread has done all its work since the previous look, so all of its time counts. For a thread that has ended,
    the time of the last look is kept.
    """

    def __init__(self, children: int | None, proc: Path = PROC) -> None:
        """`children` is the open list of kthreadd's children. If it is None, no threads are visible."""
        self._children, self._proc = children, proc
        self._clocks: dict[bytes, int] = {}
        self._used: dict[bytes, int] = {}
        self._ended = 0

    @property
    def number(self) -> int:
        """Number of visible threads. It is 0 in a container, or if the kernel does not report their time."""
        return len(self._clocks)

    def seconds(self) -> float:
        """Return the seconds of processor time that all threads have used, to the nanosecond.

        The time of a running thread is only up to date as of the last tick of its processor, 1 to 4 ms ago.
        """
        for thread, clock in tuple(self._clocks.items()):
            try:
                self._used[thread] = _nanoseconds(clock)
            except ProcessLookupError:
                self._forget(thread)
        if self._children is not None:
            for thread in _listed(self._children) - self._clocks.keys():
                self._open(thread)
        return (self._ended + sum(self._used.values())) * 1e-9

    def close(self) -> None:
        """Close all descriptors."""
        for thread in tuple(self._clocks):
            self._forget(thread)
        if self._children is not None:
            os.close(self._children)
            self._children = None

    def _open(self, thread: bytes) -> None:
        try:
            clock = os.open(self._proc / os.fsdecode(thread) / "schedstat", os.O_RDONLY)
        except FileNotFoundError:  # the thread has ended, or this kernel has no such file
            return
        try:
            self._used[thread] = _nanoseconds(clock)
        except ProcessLookupError:
            os.close(clock)
        else:
            self._clocks[thread] = clock

    def _forget(self, thread: bytes) -> None:
        os.close(self._clocks.pop(thread))
        self._ended += self._used.pop(thread)


@contextmanager
def kernel_threads(proc: Path = PROC) -> Iterator[KernelThreads]:
    """Yield the threads of this machine's kernel until the end of the block."""
    threads = KernelThreads(_children(proc), proc)
    try:
        threads.seconds()
        yield threads
    finally:
        threads.close()


@contextmanager
def no_kernel_threads() -> Iterator[KernelThreads]:
    """Yield no threads at all, for launches that kernel threads cannot disturb."""
    yield KernelThreads(None)


def _children(proc: Path) -> int | None:
    """Open the list of kthreadd's children, and return the descriptor.

    Returns None in a container, where kthreadd's ID belongs to another process or to none, if the kernel keeps no such
    list, and if the limit on open files is too low.
    """
    try:
        if not int(fields(str(proc / KTHREADD))[FLAGS]) & IS_KERNEL_THREAD:
            return None
        children = os.open(proc / KTHREADD / "task" / KTHREADD / "children", os.O_RDONLY)
    except OSError:
        return None
    if _make_room(len(_listed(children))):
        return children
    os.close(children)
    return None


def _listed(children: int) -> set[bytes]:
    """Return the IDs of the current threads."""
    text = b""
    while part := os.pread(children, PART, len(text)):
        text += part
    return {*text.split()}


def _nanoseconds(clock: int) -> int:
    """Return the nanoseconds of processor time of a thread, which is the first number in its `schedstat`."""
    return int(os.pread(clock, 64, 0).split(maxsplit=1)[0])


def _make_room(threads: int) -> bool:
    """Raise the soft limit on open files if it is too low for this many threads. Returns True if the limit is high
    enough afterwards.

    Large machines have thousands of these threads.
    """
    wanted = threads + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _allows(soft, wanted):
        return True
    if _allows(hard, wanted):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return _allows(hard, wanted)


def _allows(limit: int, wanted: int) -> bool:
    return limit == resource.RLIM_INFINITY or wanted <= limit
