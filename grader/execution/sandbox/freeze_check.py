"""Checks that a frozen worker does not run anything, for the sandboxes `process` and `user`.

SIGSTOP does not stop all processes. A process whose main thread waits in vfork does not notice the signal, and its
other threads continue to run. A process with a timer that sends it SIGCONT continues by itself. Under `process`, a
process may have left the group. The judge therefore trusts no worker. It looks at all threads below the warden, and
ends a worker that uses processor time while it should be frozen. It also ends a worker if one of its processes begins
or ends meanwhile, because only running code starts a process, and the OS kernel has to work to end one.
"""

import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from grader.forkserver.descendants import descendants, fields

UNSTOPPED_SECONDS = 5.0
"""Seconds in a worker's whole life for which the judge waits for threads that do not stop at once. A thread needs a
processor to notice the signal, and may have to wait for the OS kernel. Threads that use no processor time meanwhile are
not at fault.
"""

PAUSE = 0.0005
"""Seconds between two looks."""

QUIET_LOOKS = 2
"""Number of consecutive looks that must find all threads stopped. A process can start another process after the list of
processes is read, and stop before its own state is read. Only the next look sees the new process.
"""

STOPPING, STOPPED = 1.0, 0.05
"""Seconds of processor time that a worker may use until all its threads have stopped, and in total while it is frozen.
Linux reports hundredths of a second.
"""

ENDED = frozenset((b"Z", b"X"))
STILL = ENDED | frozenset((b"T", b"t"))
"""States of threads that do not run: ended, stopped, or stopped by a tracer. State D is not included, because it lasts
only a moment.
"""

TICKS = os.sysconf("SC_CLK_TCK")


class RestlessError(Exception):
    """A process of the worker does not stop, or has run while the worker was frozen."""


@dataclass(frozen=True, kw_only=True)
class Activity:
    """Processes below a warden. `used` is the processor time of each in seconds, `living` contains the processes that
    have not ended, and `running` the processes with a running thread. `reaped` is the time of ended processes that had
    lost their parent.
    """

    used: Mapping[int, float]
    living: frozenset[int]
    running: frozenset[int]
    reaped: float


class FreezeCheck:
    """Freezes and thaws one worker, and adds up the processor time that it used while it was frozen."""

    def __init__(self) -> None:
        self._patience = UNSTOPPED_SECONDS
        self._before = Activity(used={}, living=frozenset(), running=frozenset(), reaped=0.0)
        self._used = 0.0

    def begin(self, warden: int) -> None:
        """Stop all threads below the warden, and wait until they have stopped. Raises RestlessError if they do not
        stop.
        """
        first = _look(warden)
        told = _send(first.used, signal.SIGSTOP)
        seen, quiet = first, 0
        while quiet < QUIET_LOOKS:
            began = time.monotonic()
            time.sleep(PAUSE)
            seen = _look(warden)
            if _added(first, seen) > STOPPING:
                raise RestlessError
            restless = seen.running | seen.used.keys() - told
            if restless and self._patience < 0:
                break
            told |= _send(restless, signal.SIGSTOP)
            if restless:
                quiet = 0
                self._patience -= time.monotonic() - began
            else:
                quiet += 1
        self._before = seen

    def end(self, warden: int) -> None:
        """Let all processes continue. Raises RestlessError if one of them has run since `begin`."""
        seen = _look(warden)
        self._used += _added(self._before, seen)
        if self._used > STOPPED or seen.living != self._before.living:
            raise RestlessError
        _send(seen.used, signal.SIGCONT)


def _look(warden: int) -> Activity:
    below = descendants(warden)
    states = {pid: frozenset(_states(pid)) for pid in below}
    return Activity(
        used={pid: _seconds(pid, slice(11, 15)) for pid in below},
        living=frozenset(pid for pid, found in states.items() if found - ENDED),
        running=frozenset(pid for pid, found in states.items() if found - STILL),
        reaped=_seconds(warden, slice(13, 15)),
    )


def _states(pid: int) -> Iterator[bytes]:
    """Yield the states of a process's threads."""
    with suppress(OSError):  # the process has just ended
        for thread in os.scandir(f"/proc/{pid}/task"):
            with suppress(OSError):
                yield fields(thread.path)[0]


def _seconds(pid: int, which: slice) -> float:
    """Return seconds of processor time, as the sum of some of the fields 14 to 17 of proc(5). Fields 14 and 15 are the
    time of a process and its ended threads; fields 16 and 17 are the time of the children for which it has waited.
    """
    try:
        return sum(map(int, fields(f"/proc/{pid}")[which])) / TICKS
    except OSError:  # the process has just ended
        return 0.0


def _added(before: Activity, now: Activity) -> float:
    """Return the seconds of processor time between two looks. A process that has ended meanwhile does not reduce the
    sum.
    """
    more = (seconds - before.used.get(pid, 0.0) for pid, seconds in now.used.items())
    return sum(max(0.0, each) for each in (*more, now.reaped - before.reaped))


def _send(processes: Iterable[int], number: int) -> frozenset[int]:
    """Send a signal to each of the processes, and return their IDs."""
    told = frozenset(processes)
    for pid in told:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
    return told
