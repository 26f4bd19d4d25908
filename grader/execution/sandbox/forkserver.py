"""The judge's side of the fork server (grader/forkserver/) and of the wardens that it forks."""

import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from time import monotonic
from typing import Self

from grader.common.errors import WorkerError
from grader.common.forking import ForkingProcess
from grader.execution.sandbox.environment import NOWHERE, environment_of
from grader.forkserver.order import ENDED, WorkerOrder

MODULE = "grader.forkserver"

READ_SIZE = 1024

AGAIN = 0.5
"""Seconds after which a warden that does not end gets SIGCONT, because it may have been stopped."""

END_SECONDS = 10.0
"""Seconds within which a warden must end all its processes. It usually takes a few hundredths of a second."""


def own_command() -> tuple[str, ...]:
    """Return the command that starts the fork server with the judge's Python."""
    return (sys.executable, "-I", "-m", MODULE)


class ForkServer:
    """Starts workers. Its process starts with the first worker, and if it has ended, it starts again with the next
    worker.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = ForkingProcess(command, environment)

    @classmethod
    def ours(cls) -> Self:
        """Return the fork server that starts grader's workers."""
        return cls(own_command(), environment_of(NOWHERE))

    def begin(self) -> None:
        """Start the process if it is not running. Does not wait until it can fork."""
        self._process.begin()

    def start(self, order: WorkerOrder, streams: Sequence[int]) -> "Warden":
        """Order a worker, without waiting for it. Raises OSError if that fails."""
        with ExitStack() as undo:
            lifeline, wardens = socket.socketpair(type=socket.SOCK_SEQPACKET)
            undo.enter_context(lifeline)
            with wardens:
                socket.send_fds(lifeline, [order.packed()], streams)
                with suppress(BrokenPipeError, ConnectionResetError):  # the server has ended, and so has the warden
                    self._process.hand_over(wardens)
            undo.pop_all()
        return Warden(lifeline, self)

    def close(self) -> None:
        """End the process. Workers that are running continue. Can be called more than once."""
        self._process.close()


class Warden:
    """The judge's view of a warden through its lifeline."""

    def __init__(self, lifeline: socket.socket, server: ForkServer) -> None:
        self._lifeline = lifeline
        self._server = server
        self._ids: tuple[int, int] | None = None
        """Process IDs of the warden and of its worker. The worker's ID is also the ID of its process group."""
        self._said_that_it_ended = False
        self._has_ended = False

    def group(self, seconds: float) -> int | None:
        """Return the worker's process group, or None if it does not exist within this many seconds. The warden is not
        in the group.
        """
        self._listen(lambda: self._ids is not None or self._has_ended, seconds)
        return self._ids[1] if self._ids else None

    @property
    def number(self) -> int:
        """Process ID of the warden. It is known as soon as the worker's group is known."""
        assert self._ids is not None
        return self._ids[0]

    def has_ended(self, seconds: float = 0.0) -> bool:
        """True if the warden ends within this many seconds. Its end of the lifeline is closed in that case."""
        self._listen(lambda: self._has_ended, seconds)
        return self._has_ended

    def let_go(self) -> None:
        """Make the warden end the worker. Does not wait for it."""
        with suppress(OSError):
            self._lifeline.shutdown(socket.SHUT_WR)

    def end(self) -> None:
        """Make the warden end the worker, and wait until it has ended. Raises WorkerError if the worker does not end.

        Code with this user's rights may have stopped or killed the warden.
        """
        self.let_go()
        last = monotonic() + END_SECONDS
        while not self.has_ended(AGAIN) and monotonic() < last:
            self._signal(signal.SIGCONT)
        if not self._has_ended:
            self._kill()
        if not self.has_ended(END_SECONDS):
            raise WorkerError("a worker does not end, even when it is killed: its driver hangs. Restart the machine.")
        if self._ids and not self._said_that_it_ended:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._ids[1], signal.SIGKILL)

    def close(self) -> None:
        """Close the lifeline. No further messages are read."""
        self._has_ended = True
        self._lifeline.close()

    def _listen(self, is_enough: Callable[[], bool], seconds: float) -> None:
        """Read the warden's messages until the condition is met or the time is over."""
        end = monotonic() + seconds
        with suppress(BlockingIOError, TimeoutError):
            while not is_enough():
                self._lifeline.settimeout(max(0.0, end - monotonic()))
                self._hear()

    def _hear(self) -> None:
        try:
            said = self._lifeline.recv(READ_SIZE)
        except ConnectionResetError:  # the other end was closed before the order was read
            said = b""
        if not said:
            self._has_ended = True
        elif said == ENDED:
            self._said_that_it_ended = True
        else:
            warden, worker = map(int, said.split())
            self._ids = warden, worker

    def _signal(self, number: int) -> None:
        if self._ids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self._ids[0], number)

    def _kill(self) -> None:
        """Kill the warden. If its process ID is unknown, it was not forked yet, so the fork server is ended instead."""
        if self._ids:
            self._signal(signal.SIGKILL)
        else:
            self._server.close()
