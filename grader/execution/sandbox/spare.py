"""Sandboxes that start workers before they are requested, so that a grading does not wait for the start."""

from grader.execution.sandbox import Sandbox, SandboxedWorker
from grader.execution.sandbox.limits import Fact
from grader.protocol.messages import Limits


class SpareSandbox:
    """A wrapper around another sandbox that always keeps one spare worker. A spare worker has seen no submission."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._spare: SandboxedWorker | None = None

    def limits(self) -> Limits:
        """Limits of a worker in the wrapped sandbox."""
        return self._sandbox.limits()

    def facts(self) -> dict[str, Fact]:
        """Restrictions of a worker in the wrapped sandbox."""
        return self._sandbox.facts()

    def start(self) -> SandboxedWorker:
        """Return the spare worker, or a new one if there is no spare. Begin to start the next spare worker."""
        worker, self._spare = self._spare, None
        if worker is None or worker.has_ended():  # a restart of the engine ends the spare worker
            if worker is not None:
                worker.stop()
            worker = self._sandbox.start()
        try:
            self._spare = self._sandbox.start()
        except BaseException:
            worker.stop()
            raise
        return worker

    def close(self) -> None:
        """Stop the spare worker, and close the wrapped sandbox."""
        if self._spare is not None:
            self._spare.stop()
        self._sandbox.close()


class EagerSandbox:
    """A wrapper around another sandbox that starts a first worker at once, while the judge still imports its modules.

    `close` does not close the wrapped sandbox; its owner does.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._first: SandboxedWorker | None = sandbox.start()

    def limits(self) -> Limits:
        """Limits of a worker in the wrapped sandbox."""
        return self._sandbox.limits()

    def facts(self) -> dict[str, Fact]:
        """Restrictions of a worker in the wrapped sandbox."""
        return self._sandbox.facts()

    def start(self) -> SandboxedWorker:
        """Return the first worker at the first call, and later start a new one."""
        worker, self._first = self._first, None
        return self._sandbox.start() if worker is None else worker

    def close(self) -> None:
        """Stop the first worker if it was never used."""
        if self._first is not None:
            self._first.stop()
