"""What a worker says, read line by line. It comes from a process that ran untrusted code: only its form is believed."""

import time

from pydantic import ValidationError

from grader.outcome import Garbled, OutOfMemory, TimedOut
from grader.protocol import REPLY, REPLY_LIMIT, Reply
from grader.sandbox import SandboxedWorker


class Replies:
    """The replies of one worker process, in the order of the requests."""

    def __init__(self, process: SandboxedWorker) -> None:
        self._process = process
        self._received = b""

    def next(self, doing: str, deadline: float) -> Reply | TimedOut | OutOfMemory | Garbled:
        """The next reply, or what came in its place within so many seconds; `doing` says what is waited for."""
        end = time.monotonic() + deadline
        while b"\n" not in self._received:
            try:
                received = self._process.receive(end - time.monotonic())
            except TimeoutError:
                return TimedOut(doing=doing, seconds=deadline)
            self._received += received
            if not received:
                out_of_memory = self._process.ran_out_of_memory()
                return OutOfMemory() if out_of_memory else Garbled(what="the worker process ended")
            if len(self._received) > REPLY_LIMIT:
                return Garbled(what="it sent a reply that is too long")
        line, _, self._received = self._received.partition(b"\n")
        try:
            return REPLY.validate_json(line)
        except ValidationError:
            return Garbled(what="it sent a reply that is not one of ours")
