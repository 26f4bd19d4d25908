"""The judge's end of the fork server (grader/forkserver/), and of the wardens that it forks."""

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
"""Seconds after which a warden that does not end gets SIGCONT, in case that it was stopped."""

END_SECONDS = 10.0
"""Seconds for a warden to end all its processes; it takes some hundredths of a second."""


def own_command() -> tuple[str, ...]:
    """The fork server, run by our own Python."""
    return (sys.executable, "-I", "-m", MODULE)


class ForkServer:
    """Starts workers. Its process starts with the first of them, and anew with the next if it has ended."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = ForkingProcess(command, environment)

    @classmethod
    def ours(cls) -> Self:
        """The one that starts our workers."""
        return cls(own_command(), environment_of(NOWHERE))

    def begin(self) -> None:
        """Start the process, if it does not run, without waiting until it can fork."""
        self._process.begin()

    def start(self, order: WorkerOrder, streams: Sequence[int]) -> "Warden":
        """Order a worker, without waiting for it; raises OSError."""
        with ExitStack() as undo:
            lifeline, wardens = socket.socketpair(type=socket.SOCK_SEQPACKET)
            undo.enter_context(lifeline)
            with wardens:
                socket.send_fds(lifeline, [order.packed()], streams)
                with suppress(BrokenPipeError, ConnectionResetError):  # it has ended at once, and its warden with it
                    self._process.hand_over(wardens)
            undo.pop_all()
        return Warden(lifeline, self)

    def close(self) -> None:
        """End the process; workers that run go on. Can be called again."""
        self._process.close()


class Warden:
    """A warden, as far as the judge knows it by its lifeline."""

    def __init__(self, lifeline: socket.socket, server: ForkServer) -> None:
        self._lifeline = lifeline
        self._server = server
        self._ids: tuple[int, int] | None = None
        """Its own, and its worker's, which is that of the worker's process group as well."""
        self._said_that_it_ended = False
        self._has_ended = False

    def group(self, seconds: float) -> int | None:
        """The worker's process group, to which the warden does not belong, if it comes to be within so many seconds."""
        self._listen(lambda: self._ids is not None or self._has_ended, seconds)
        return self._ids[1] if self._ids else None

    @property
    def number(self) -> int:
        """Its process id, which is known once the worker's group is."""
        assert self._ids is not None
        return self._ids[0]

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Whether it ends within so many seconds: its end of the lifeline closes then."""
        self._listen(lambda: self._has_ended, seconds)
        return self._has_ended

    def let_go(self) -> None:
        """Have it end the worker, without waiting for that."""
        with suppress(OSError):
            self._lifeline.shutdown(socket.SHUT_WR)

    def end(self) -> None:
        """Have it end the worker, and wait for that. Code with this user's rights can have stopped or killed it."""
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
        """Let go of the lifeline; nothing more is heard."""
        self._has_ended = True
        self._lifeline.close()

    def _listen(self, is_enough: Callable[[], bool], seconds: float) -> None:
        """Hear what it says, until that is enough or the time is over."""
        end = monotonic() + seconds
        with suppress(BlockingIOError, TimeoutError):
            while not is_enough():
                self._lifeline.settimeout(max(0.0, end - monotonic()))
                self._hear()

    def _hear(self) -> None:
        try:
            said = self._lifeline.recv(READ_SIZE)
        except ConnectionResetError:  # nobody has read the order
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
        """One without an id is still to be forked; the fork server is ended in its place."""
        if self._ids:
            self._signal(signal.SIGKILL)
        else:
            self._server.close()
