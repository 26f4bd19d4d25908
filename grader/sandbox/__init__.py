"""Where untrusted code runs. A sandbox starts workers; what it promises is in its own module."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from grader.protocol import Limits
from grader.sandbox.process import ProcessSandbox


class SandboxedWorker(Protocol):
    """A running worker: two byte streams, a folder for the array files, and the power to end it."""

    @property
    def folder(self) -> Path:
        """The folder that holds in.bin and out.bin, as the judge sees it."""

    def send(self, data: bytes) -> None:
        """Write to the worker's input; an ended worker is noticed at the next `receive`."""

    def receive(self, timeout: float) -> bytes:
        """Some bytes of its output, b"" if it has ended; TimeoutError after `timeout` seconds of silence."""

    def stop(self) -> None:
        """End every process of the worker and remove its folder. Can be called again."""

    def last_words(self) -> str:
        """The end of what it wrote to its error stream, for a message about a worker that broke."""


class Sandbox(Protocol):
    """One way to run workers."""

    def start(self) -> SandboxedWorker:
        """Start a worker, which waits for its job; raises WorkerError if it cannot be started."""

    def limits(self) -> Limits:
        """The limits that a worker in this sandbox is told to put on itself."""


SANDBOXES: dict[str, Callable[[Limits], Sandbox]] = {"process": ProcessSandbox}
