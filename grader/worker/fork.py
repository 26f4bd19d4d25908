"""The process of a session, or of several, and the news of its death."""

import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Self

from grader.protocol.messages import REPLY_LIMIT, Died
from grader.protocol.phase import LINES, PHASES, Phase
from grader.worker.limits import open_to_debuggers
from grader.worker.memory import kills_for_memory

READ_SIZE = 64 * 1024


class Channel:
    """The session's end: requests come in, replies go out, a line each."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests = requests
        self._replies = replies

    def receive(self) -> bytes:
        """The next request; empty when there will be none."""
        return self._requests.readline()

    def send(self, reply: str) -> None:
        """Answer the request that was received last."""
        self._replies.write(reply.encode() + b"\n")
        self._replies.flush()

    def tell(self, phase: Phase) -> None:
        """Report the phase of the session until the reply or the next phase."""
        self._replies.write(LINES[phase])
        self._replies.flush()


class Fork:
    """The parent's end of a session."""

    def __init__(self, pid: int, requests: BinaryIO, replies: BinaryIO) -> None:
        self.is_spent = False
        """Whether it serves no further session that asks for a new process: a kernel has run in it, or it has ended."""
        self._pid: int | None = pid
        self._kills_before = kills_for_memory()
        self._requests = requests
        self._replies = replies
        self._unsent = bytearray()
        self._received = bytearray()
        os.set_blocking(requests.fileno(), False)

    @classmethod
    def start(cls, serve: Callable[[Channel], None], inherited: Iterable[BinaryIO]) -> Self:
        """Fork a process that runs `serve` and exits; it closes the `inherited` streams first."""
        request_out, request_in = os.pipe()
        reply_out, reply_in = os.pipe()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            exit_code = 1
            try:
                open_to_debuggers()
                for stream in inherited:
                    os.close(stream.fileno())
                os.close(request_in)
                os.close(reply_out)
                serve(Channel(os.fdopen(request_out, "rb"), os.fdopen(reply_in, "wb")))
                exit_code = 0
            except BaseException:  # noqa: BLE001 - the child must never return into the parent's loop
                sys.excepthook(*sys.exc_info())
                sys.stderr.flush()
            finally:
                os._exit(exit_code)
        os.close(request_out)
        os.close(reply_in)
        return cls(pid, os.fdopen(request_in, "wb", buffering=0), os.fdopen(reply_out, "rb", buffering=0))

    def may_go_on(self) -> bool:
        """Whether one that has nothing to answer still lives: its end would be news. What was killed for memory so far
        was another.
        """
        self._kills_before = kills_for_memory()
        return self._pid is not None and not select.select([self._replies], [], [], 0)[0]

    def ask(self, request: bytes, judge: BinaryIO) -> Iterator[bytes]:
        """Pass a request on. Yield the phases that the session reports, and then its reply, or `Died` in its place.

        Exits when the judge at the other end of `judge` is gone: nobody else would end a kernel that never returns.
        """
        if self._pid is not None:
            self._unsent += request
        while (line := self._line(judge)) in PHASES:
            yield line
        yield line

    def _line(self, judge: BinaryIO) -> bytes:
        """The next line of the session, or `Died` in its place."""
        if self._pid is None:
            return self._obituary()
        while (end := self._received.find(b"\n")) < 0:
            if len(self._received) > REPLY_LIMIT or not self._exchange(judge):
                if self._received:
                    self.kill()  # a reply that is cut or has no end is none of ours
                return self._obituary()
        line = bytes(self._received[: end + 1])
        del self._received[: end + 1]
        return line

    def _exchange(self, judge: BinaryIO) -> bool:
        """Write and read what can be without waiting for the session alone; False where it has ended."""
        poll = select.poll()
        poll.register(judge, 0)  # reports a hang-up even when asked for nothing
        poll.register(self._replies, select.POLLIN)
        if self._unsent:
            poll.register(self._requests, select.POLLOUT)
        ready = {descriptor for descriptor, _ in poll.poll()}
        if self._replies.fileno() in ready:
            read = os.read(self._replies.fileno(), READ_SIZE)
            self._received += read
            return bool(read)
        if judge.fileno() in ready:
            self.kill()
            sys.exit("the judge is gone")
        try:
            del self._unsent[: os.write(self._requests.fileno(), self._unsent)]
        except BrokenPipeError:
            self._unsent.clear()  # it has ended, which its replies will tell
        return True

    def kill(self) -> None:
        """End the session at once; does nothing if it has ended."""
        if self._pid is not None:
            os.kill(self._pid, signal.SIGKILL)
            self._reap()

    def _reap(self) -> int:
        assert self._pid is not None
        _, status = os.waitpid(self._pid, 0)
        self._pid, self.is_spent = None, True
        self._requests.close()
        self._replies.close()
        return os.waitstatus_to_exitcode(status)

    def _obituary(self) -> bytes:
        code = self._reap() if self._pid is not None else 1
        died = Died(
            signal=-code if code < 0 else None,
            exit_code=code if code >= 0 else None,
            out_of_memory=kills_for_memory() > self._kills_before,
        )
        return died.model_dump_json().encode() + b"\n"
