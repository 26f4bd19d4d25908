"""Reads a worker's replies line by line. They come from a process that ran untrusted code, so their form is checked."""

import time

from pydantic import ValidationError

from grader.execution.outcome import Garbled, OutOfMemory, TimedOut
from grader.execution.sandbox import SandboxedWorker
from grader.protocol.messages import REPLY, REPLY_LIMIT, Reply
from grader.protocol.phase import MOST, PHASES


class Replies:
    """The replies of one worker process, in the order of the requests."""

    def __init__(self, process: SandboxedWorker) -> None:
        self._process = process
        self._received = bytearray()
        self._searched = 0
        """Number of received bytes that are known to contain no line end."""
        self.doing = ""
        """Last known activity of the worker: either the request, or the phase that the worker has reported."""

    def next(self, doing: str, deadline: float) -> Reply | TimedOut | OutOfMemory | Garbled:
        """Return the next reply, or the failure that came instead. `deadline` is in seconds. `doing` describes the
        request in messages.
        """
        self.doing = doing
        end = time.monotonic() + deadline
        line = self._next_line(TimedOut(doing=doing, seconds=deadline), end)
        for _ in range(MOST):
            if not isinstance(line, bytes):
                return line
            if line not in PHASES:
                return _read(line)
            self.doing = PHASES[line]
            line = self._next_line(TimedOut(doing=self.doing, seconds=max(0.0, end - time.monotonic())), end)
        return Garbled(what="it reported more phases than a launch has")

    def _next_line(self, timed_out: TimedOut, end: float) -> bytes | TimedOut | OutOfMemory | Garbled:
        """Return the next line, or the failure that came instead. `end` is the time of the deadline."""
        while (line := self._line()) is None:
            left = end - time.monotonic()
            if left <= 0:  # also ends the wait for a worker that keeps sending a little more
                return timed_out
            try:
                received = self._process.receive(left)
            except TimeoutError:
                return timed_out
            self._received += received
            if not received:
                out_of_memory = self._process.ran_out_of_memory()
                return OutOfMemory() if out_of_memory else Garbled(what="the worker process ended")
            if len(self._received) > REPLY_LIMIT:
                return Garbled(what="it sent a reply that is too long")
        return line

    def _line(self) -> bytes | None:
        """Return a complete line with its end, or None if no complete line was received. Each byte is searched only
        once, even if the line arrives in many pieces.
        """
        place = self._received.find(b"\n", self._searched)
        if place < 0:
            self._searched = len(self._received)
            return None
        line = bytes(self._received[: place + 1])
        del self._received[: place + 1]
        self._searched = 0
        return line


def _read(line: bytes) -> Reply | Garbled:
    try:
        return REPLY.validate_json(line)
    except ValidationError:
        return Garbled(what="it sent a reply of an unknown form")
