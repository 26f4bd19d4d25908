"""Stations as processes of their own, beside the command line.

Each has a thread here that hands it one errand after the other. A process that dies is replaced, and costs the errand
that it had. It is in a session of its own, so that Ctrl-C reaches this process alone, which then decides; and when this
one dies, however it does, its stations see their connection close, and stop (__main__.py is their side).
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import cycle, islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from signal import Signals
from typing import Any

from grader.batch.station import Errand, Facilities, grade, look_around
from grader.common.errors import GraderError, InputError, WorkerError
from grader.grading.settings import as_variables
from grader.results.result import Result, Ungraded

STATION = ("-P", "-m", "grader.batch.workforce")
"""-P: nothing is imported from the working directory, which may hold what students have handed in."""

LEAVE = 20.0
"""Seconds in which a station must have stopped its sandboxes; engines were seen to take ten."""


Places = Sequence[Mapping[str, Any]]
"""Settings that stations get in turn: each place may be another device."""


class Processes:
    """Stations on this machine. They start when they are first needed."""

    def __init__(self, jobs: int, orders: str, places: Places = ({},)) -> None:
        self.hands = jobs
        self._orders = orders
        self._places = min(jobs, len(places))
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="station")
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        self._all = [_Process(as_variables(place)) for place in islice(cycle(places), jobs)]
        for process in self._all:
            self._idle.put(process)

    def facilities(self) -> Facilities:
        """What one station of each place grades with; raises InputError if they differ."""
        # The idle stand in line, so that these are the first stations, which have a place each.
        asked = [self._threads.submit(self._call, look_around, self._orders) for _ in range(self._places)]
        first, *others = (future.result() for future in asked)
        for other in others:
            if other != first:
                raise InputError(
                    f"the devices of this batch differ: {first}, and {other}. Name devices of one kind: the results "
                    "could not be compared."
                )
        found: Facilities = first
        return found

    def submit(self, errand: Errand) -> "Future[Result | Ungraded]":
        """Have it graded by the next station that is free."""
        return self._threads.submit(self._call, grade, errand)

    def close(self) -> None:
        """Stop all stations; errands under way fail. A second interruption ends the wait for them."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        try:
            for process in self._all:
                process.ask_to_stop()
            end = time.monotonic() + LEAVE
            for process in self._all:
                process.wait(end)
        finally:
            for process in self._all:
                process.kill()
            self._threads.shutdown()

    def _call(self, function: Callable[[Any], Any], argument: object) -> Any:
        process = self._idle.get()
        try:
            answer = process.call(function, argument)
        finally:
            self._idle.put(process)
        if isinstance(answer, GraderError):
            raise answer
        return answer


class _Process:
    """One station's process, and this end of its connection."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._guard = threading.Lock()
        self._stopped = False
        self._process: subprocess.Popen[bytes] | None = None
        self._link: Connection | None = None

    def call(self, function: Callable[[Any], Any], argument: object) -> object:
        """What the function returns there, or the GraderError that it raised; WorkerError if the process dies."""
        process, link = self._running()
        try:
            link.send((function, argument))
            return link.recv()
        except (EOFError, OSError) as error:
            raise WorkerError(f"the process that graded it {_ending(process.wait())}") from error

    def _running(self) -> tuple[subprocess.Popen[bytes], Connection]:
        with self._guard:
            if self._stopped:
                raise WorkerError("the batch has been stopped.")
            if self._process is None or self._link is None or self._process.poll() is not None:
                if self._link is not None:
                    self._link.close()
                self._process, self._link = _start(self._variables)
            return self._process, self._link

    def ask_to_stop(self) -> None:
        """Have it end what it has started, and then itself. It is not started again."""
        with self._guard:
            self._stopped = True
            if self._process is not None:
                self._process.terminate()

    def wait(self, end: float) -> None:
        """Until it has ended, or until the monotonic clock shows `end`."""
        if self._process is not None:
            try:
                self._process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                return

    def kill(self) -> None:
        """End it now."""
        if self._process is not None and self._link is not None:
            self._process.kill()
            self._process.wait()
            self._link.close()


def _start(variables: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], Connection]:
    ours, theirs = Pipe()
    try:
        process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
            [sys.executable, *STATION, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **variables},
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    except OSError as error:
        ours.close()
        raise WorkerError(f"cannot start {sys.executable}: {os.strerror(error.errno or 0)}.") from error
    finally:
        theirs.close()
    return process, ours


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}; what it has said is above."
    return f"was killed ({Signals(-code).name}); by hand, or because memory was short?"
