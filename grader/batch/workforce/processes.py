"""Processes beside the command line, which call functions of ours: they grade, or make pages.

Each has a thread here that hands it one call after the other. A process that dies is replaced, and costs the call that
it had. It is in a session of its own, so that Ctrl-C reaches this process alone, which then decides; and when this one
dies, however it does, the others see their connection close, and stop (__main__.py is their side).
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from signal import Signals
from typing import Any

from grader.common.errors import GraderError, WorkerError

SERVE = ("-P", "-m", "grader.batch.workforce")
"""-P: nothing is imported from the working directory, which may hold what students have handed in."""

LEAVE = 20.0
"""Seconds in which a process must have ended; a station stops its sandboxes then, and engines were seen to take ten."""


class Processes:
    """Processes with these variables, one for each. They start when they are first needed."""

    def __init__(self, variables: Sequence[Mapping[str, str]]) -> None:
        self._threads = ThreadPoolExecutor(len(variables), thread_name_prefix="beside")
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        self._all = [_Process(each) for each in variables]
        for process in self._all:
            self._idle.put(process)

    def submit(self, function: Callable[[Any], Any], argument: object) -> "Future[Any]":
        """Have it called by the next process that is free; of those that were never asked, by the first."""
        return self._threads.submit(self.call, function, argument)

    def call(self, function: Callable[[Any], Any], argument: object) -> Any:
        """The same, waited for. Raises the GraderError that it raises there, and WorkerError if its process dies."""
        process = self._idle.get()
        try:
            answer = process.call(function, argument)
        finally:
            self._idle.put(process)
        if isinstance(answer, GraderError):
            raise answer
        return answer

    def dismiss(self) -> None:
        """Have them all begin to stop; calls under way fail."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.ask_to_stop()

    def close(self) -> None:
        """Stop them all, and wait for that. A second interruption ends the wait."""
        try:
            self.dismiss()
            end = time.monotonic() + LEAVE
            for process in self._all:
                process.wait(end)
        finally:
            for process in self._all:
                process.kill()
            self._threads.shutdown()


class _Process:
    """One process, and this end of its connection."""

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
            raise WorkerError(f"its process {_ending(process.wait())}") from error

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
        """Have it end what it has started, and then itself, unless it was asked. It is not started again."""
        with self._guard:
            if self._process is not None and not self._stopped:
                self._process.terminate()
            self._stopped = True

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
            [sys.executable, *SERVE, str(theirs.fileno())],
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
