"""Whether a worker that has been told to stop stands still, for the sandboxes `process` and `user`.

SIGSTOP does not stop everybody. A process whose main thread waits in vfork does not notice it, and its other threads
run on; one that has set a timer to send it SIGCONT goes on by itself; under `process` one may have left the group. So
nobody is believed: the judge looks at all threads below the warden, and who uses processor time without having a turn
is ended.
"""

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

from grader.forkserver.descendants import descendants, fields

PATIENCE = 5.0
"""Seconds of a worker's life in which the judge waits for threads to stop. They need a processor to notice that they
should, and may wait for the kernel; as long as they use no time, that is nobody's fault."""

PAUSE = 0.0005
"""Seconds between two looks."""

STOPPING, STOPPED = 1.0, 0.05
"""Seconds of processor time that may be used until all have stopped, and in all turns of others; Linux tells
hundredths."""

STILL = frozenset((b"T", b"t", b"Z", b"X"))
"""States of threads that run nothing: stopped, stopped for who traces them, or ended. Not D: they wait for a moment."""

TICKS = os.sysconf("SC_CLK_TCK")


Times = dict[int, float]
"""Seconds of processor time by process."""


class RestlessError(Exception):
    """Something of the worker's runs on."""


class Standstill:
    """Of one worker; keeps account of the time that it has used while it was frozen."""

    def __init__(self) -> None:
        self._patience = PATIENCE
        self._before: Times = {}
        self._used = 0.0

    def begin(self, warden: int) -> None:
        """Wait until all that is below the warden has stopped; whoever runs is told to. Raises RestlessError."""
        began, before = time.monotonic(), _times(warden)
        told: set[int] = set()
        while restless := _restless(warden) | descendants(warden) - told:
            if _used(before, _times(warden)) > STOPPING:
                raise RestlessError
            if time.monotonic() - began > self._patience:
                break
            _send(restless, signal.SIGSTOP)
            told |= restless
            time.sleep(PAUSE)
        self._patience -= time.monotonic() - began
        self._before = _times(warden)

    def end(self, warden: int) -> None:
        """Let all of it go on; raises RestlessError if it has not stood still."""
        now = _times(warden)
        self._used += _used(self._before, now)
        if self._used > STOPPED:
            raise RestlessError
        _send(now.keys() - {warden}, signal.SIGCONT)


def _restless(warden: int) -> set[int]:
    """The processes below it of which a thread runs."""
    return {pid for pid in descendants(warden) if not STILL.issuperset(_states(pid))}


def _states(pid: int) -> Iterator[bytes]:
    """Those of its threads."""
    with suppress(OSError):  # it ended while we looked
        for thread in os.scandir(f"/proc/{pid}/task"):
            with suppress(OSError):
                yield fields(thread.path)[0]


def _times(warden: int) -> Times:
    """Of each process below it, with its ended threads and the children that it has waited for. Of the warden those of
    its children alone: whoever has lost its parent and ended is one of them.
    """
    below = {pid: _seconds(pid, slice(11, 15)) for pid in descendants(warden)}
    return below | {warden: _seconds(warden, slice(13, 15))}


def _used(before: Times, now: Times) -> float:
    """What is added; who has ended takes nothing away."""
    return sum(max(0.0, seconds - before.get(pid, 0.0)) for pid, seconds in now.items())


def _seconds(pid: int, which: slice) -> float:
    """The sum of some of the fields 14 to 17 of proc(5)."""
    try:
        return sum(map(int, fields(f"/proc/{pid}")[which])) / TICKS
    except OSError:  # it ended while we looked
        return 0.0


def _send(processes: Iterable[int], number: int) -> None:
    for pid in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
