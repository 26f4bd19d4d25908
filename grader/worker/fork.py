"""The process of one or more sessions, and the report of its end."""

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
    """The session's end of the connection. It receives requests and sends replies; each is one line."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests = requests
        self._replies = replies

    def receive(self) -> bytes:
        """The next request; empty if the connection is closed."""
        return self._requests.readline()

    def send(self, reply: str) -> None:
        """Send the reply to the last request."""
        self._replies.write(reply.encode() + b"\n")
        self._replies.flush()

    def tell(self, phase: Phase) -> None:
        """Report the session's current phase. It lasts until the reply or the next phase."""
        self._replies.write(LINES[phase])
        self._replies.flush()


class Fork:
    """The parent's end of the connection to a session's process."""

    def __init__(self, pid: int, requests: BinaryIO, replies: BinaryIO) -> None:
        self.is_spent = False
        """True if a kernel has run in the process, or if it has ended. A session that requests a new process then gets
        another one.
        """
        self._pid: int | None = pid
        self._kills_before = kills_for_memory()
        self._requests = requests
        self._replies = replies
        self._unsent = bytearray()
        self._received = bytearray()
        os.set_blocking(requests.fileno(), False)

    @classmethod
    def start(cls, serve: Callable[[Channel], None], inherited: Iterable[BinaryIO]) -> Self:
        """Fork a process that closes the `inherited` streams, runs `serve`, and exits."""
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
        """True if the process still lives. It has no request to answer, so output from it can only mean its end.

        Resets the count of kills for memory: all kills until now belong to other processes.
        """
        self._kills_before = kills_for_memory()
        return self._pid is not None and not select.select([self._replies], [], [], 0)[0]

    def ask(self, request: bytes, judge: BinaryIO) -> Iterator[bytes]:
        """Pass on a request. Yield the phases that the session reports, and then its reply, or `Died` instead.

        Exits if the judge closes its end of `judge`: otherwise, a kernel that never returns would never end.
        """
        if self._pid is not None:
            self._unsent += request
        while (line := self._line(judge)) in PHASES:
            yield line
        yield line

    def _line(self, judge: BinaryIO) -> bytes:
        """The next line of the session, or `Died` instead."""
        if self._pid is None:
            return self._obituary()
        while (end := self._received.find(b"\n")) < 0:
            if len(self._received) > REPLY_LIMIT or not self._exchange(judge):
                if self._received:
                    self.kill()  # the grader's own code sends no incomplete or endless replies
                return self._obituary()
        line = bytes(self._received[: end + 1])
        del self._received[: end + 1]
        return line

    def _exchange(self, judge: BinaryIO) -> bool:
        """Wait until the session or the judge's connection is ready; then read or write once. False if the session has
        ended.
        """
        poll = select.poll()
        poll.register(judge, 0)  # an empty mask still reports a hang-up
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
            self._unsent.clear()  # the session has ended; the end of its replies reports that
        return True

    def kill(self) -> None:
        """Kill the session at once. Does nothing if it has ended."""
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
