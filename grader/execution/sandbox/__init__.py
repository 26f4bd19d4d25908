"""Sandboxes for untrusted code. A sandbox starts workers, and the module of each sandbox describes what it
guarantees.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from grader.common.errors import GraderError

if TYPE_CHECKING:
    from grader.execution.array_files import ArrayFiles
    from grader.execution.sandbox.limits import Fact, Rules
    from grader.protocol.messages import Limits


class SandboxedWorker(Protocol):
    """A running worker: its two byte streams, its array files, and ways to stop it."""

    @property
    def files(self) -> "ArrayFiles":
        """The array files, as the judge accesses them."""

    def send(self, data: bytes) -> None:
        """Write to the worker's input. If the worker has ended, the next `receive` reports that."""

    def receive(self, timeout: float) -> bytes:
        """Return some bytes of the worker's output, or b"" if it has ended. Raises TimeoutError after `timeout` seconds
        of silence.
        """

    def freeze(self) -> None:
        """Stop all processes of the worker until `thaw` is called, as far as the sandbox can."""

    def thaw(self) -> None:
        """Let a frozen worker continue."""

    def let_go(self) -> None:
        """Begin to end all processes of the worker, if that takes time. Does not wait; `stop` must still be called."""

    def stop(self) -> None:
        """End every process of the worker and remove its folder. Can be called more than once."""

    def last_words(self) -> str:
        """Return the end of the worker's error stream, for a message about a worker that failed."""

    def has_ended(self) -> bool:
        """True if the judge knows that the worker has ended."""

    def ran_out_of_memory(self) -> bool:
        """True if the worker ended because of a lack of memory. Raises WorkerError if the sandbox itself failed."""


class ProcessStarter(Protocol):
    """Starts the processes of workers."""

    def start(self) -> SandboxedWorker:
        """Start a worker, which then waits for its job. Raises WorkerError if it cannot start."""

    def limits(self) -> "Limits":
        """Return the limits that a worker in this sandbox must set on itself."""


class Sandbox(ProcessStarter, Protocol):
    """A way to run workers."""

    def facts(self) -> "dict[str, Fact]":
        """Return all limits and restrictions of a worker, to be recorded in a result."""

    def close(self) -> None:
        """Stop all running workers, and wait until all their processes and files are removed."""


def _processes(rules: "Rules") -> Sandbox:
    from grader.execution.sandbox.process import ProcessSandbox

    return ProcessSandbox(rules)


def _users(rules: "Rules") -> Sandbox:
    from grader.execution.sandbox.user import UserSandbox

    return UserSandbox(rules)


def _containers(rules: "Rules") -> Sandbox:
    """Return the sandbox `docker`. Only this function loads the client of the engine, because that takes longer than
    most commands run.
    """
    from grader.execution.sandbox.docker.sandbox import ContainerSandbox

    return ContainerSandbox(rules)


def containers_are_ready(rules: "Rules") -> bool:
    """True if an engine answers and has the image for workers."""
    try:
        _containers(rules).close()
    except GraderError:
        return False
    return True


SANDBOXES: "dict[str, Callable[[Rules], Sandbox]]" = {
    "process": _processes,
    "user": _users,
    "docker": _containers,
}
