"""Where untrusted code runs. A sandbox starts workers; its own module says what it promises."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from grader.common.errors import GraderError

if TYPE_CHECKING:
    from grader.execution.arrays import ArrayFiles
    from grader.execution.sandbox.rules import Fact, Rules
    from grader.protocol.messages import Limits


class SandboxedWorker(Protocol):
    """A running worker: two byte streams, the array files, and the power to end it."""

    @property
    def files(self) -> "ArrayFiles":
        """The judge's end of in.bin and out.bin."""

    def send(self, data: bytes) -> None:
        """Write to the worker's input; an ended worker is noticed at the next `receive`."""

    def receive(self, timeout: float) -> bytes:
        """Some bytes of its output, b"" if it has ended; TimeoutError after `timeout` seconds of silence."""

    def freeze(self) -> None:
        """Stop all of it until it is thawed, as far as the sandbox can."""

    def thaw(self) -> None:
        """Let it go on."""

    def let_go(self) -> None:
        """Let all of it begin to end, where that takes time, without waiting for it: `stop` still has to be called."""

    def stop(self) -> None:
        """End every process of the worker and remove its folder. Can be called again."""

    def last_words(self) -> str:
        """The end of what it wrote to its error stream, for a message about a worker that broke."""

    def has_ended(self) -> bool:
        """Whether it is known to have ended."""

    def ran_out_of_memory(self) -> bool:
        """Whether it ended for want of memory; raises WorkerError if the sandbox itself failed."""


class Sandbox(Protocol):
    """One way to run workers."""

    def start(self) -> SandboxedWorker:
        """Start a worker, which waits for its job; raises WorkerError if it cannot be started."""

    def limits(self) -> "Limits":
        """The limits that a worker in this sandbox is told to put on itself."""

    def facts(self) -> "dict[str, Fact]":
        """What confines a worker, for the record of a result."""

    def close(self) -> None:
        """Stop all workers that still run, and wait until nothing is left of any."""


def _processes(rules: "Rules") -> Sandbox:
    from grader.execution.sandbox.process import ProcessSandbox

    return ProcessSandbox(rules)


def _users(rules: "Rules") -> Sandbox:
    from grader.execution.sandbox.user import UserSandbox

    return UserSandbox(rules)


def _containers(rules: "Rules") -> Sandbox:
    """Containers. The engine's client takes longer to load than most commands run, so only this loads it."""
    from grader.execution.sandbox.docker.container import ContainerSandbox

    return ContainerSandbox(rules)


def containers_are_ready(rules: "Rules") -> bool:
    """Whether an engine answers and has the image that workers run in."""
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
