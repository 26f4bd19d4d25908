"""Child processes that call functions of grader, to grade submissions or to make pages.

Each process has a thread here, which gives it one call at a time. A process that dies is replaced, and its call fails.
Each process runs in a separate session, so that Ctrl-C reaches only this process, which decides what to stop. If this
process dies for any reason, the child processes notice that their connection is closed, and stop (__main__.py is their
side).
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
from typing import Any

from grader.common.errors import GraderError, WorkerError
from grader.common.phrases import ending

SERVE = ("-P", "-m", "grader.batch.workforce")
"""Python arguments for a child process. -P prevents imports from the working directory, which may contain students'
files.
"""

LEAVE = 20.0
"""Seconds within which a process must end. A station stops its sandboxes first, and container engines have taken ten
seconds for that.
"""


class Processes:
    """A process for each of these sets of environment variables. Processes start when they are first needed."""

    def __init__(self, variables: Sequence[Mapping[str, str]]) -> None:
        self._threads = ThreadPoolExecutor(len(variables), thread_name_prefix="beside")
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        self._all = [_Process(each) for each in variables]
        for process in self._all:
            self._idle.put(process)

    def submit(self, function: Callable[[Any], Any], argument: object) -> "Future[Any]":
        """Make the next free process call a function. Processes that have not been called yet are taken in order."""
        return self._threads.submit(self.call, function, argument)

    def call(self, function: Callable[[Any], Any], argument: object) -> Any:
        """Make the next free process call a function, and wait for the result. Raises the GraderError that the function
        raises, and WorkerError if the process dies.
        """
        process = self._idle.get()
        try:
            answer = process.call(function, argument)
        finally:
            self._idle.put(process)
        if isinstance(answer, GraderError):
            raise answer
        return answer

    def dismiss(self) -> None:
        """Ask all processes to stop. Calls that are running fail."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.ask_to_stop()

    def close(self) -> None:
        """Stop all processes, and wait until they have ended. A second interrupt ends the wait."""
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
        """Return the function's result, or the GraderError that it raised. Raises WorkerError if the process dies."""
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
        """Ask the process to end the processes that it has started and then itself. It is not started again."""
        with self._guard:
            if self._process is not None and not self._stopped:
                self._process.terminate()
            self._stopped = True

    def wait(self, end: float) -> None:
        """Wait until the process has ended, or until the monotonic clock shows `end`."""
        if self._process is not None:
            try:
                self._process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                return

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None and self._link is not None:
            self._process.kill()
            self._process.wait()
            self._link.close()


def _start(variables: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], Connection]:
    ours, theirs = Pipe()
    try:
        process = subprocess.Popen(  # noqa: S603 - a module of grader, run by this Python
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
        return f"ended {ending(None, code)}; its output is above."
    return f"ended {ending(-code, None)}: it was killed, or the machine ran out of memory."
