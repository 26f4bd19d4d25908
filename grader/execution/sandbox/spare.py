"""Workers that start before anybody asks for them, so that nobody waits for the start."""

from grader.execution.sandbox import Sandbox, SandboxedWorker
from grader.execution.sandbox.rules import Fact
from grader.protocol.messages import Limits


class SpareSandbox:
    """Another sandbox, with one worker more than was asked for. A spare worker has seen no submission."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._spare: SandboxedWorker | None = None

    def limits(self) -> Limits:
        """Those of the other sandbox."""
        return self._sandbox.limits()

    def facts(self) -> dict[str, Fact]:
        """Those of the other sandbox."""
        return self._sandbox.facts()

    def start(self) -> SandboxedWorker:
        """The spare worker, while the next one starts."""
        worker, self._spare = self._spare, None
        if worker is None or worker.has_ended():  # as it does when the engine is restarted
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
        """Stop the spare, and close the other sandbox."""
        if self._spare is not None:
            self._spare.stop()
        self._sandbox.close()


class EagerSandbox:
    """Another sandbox, which its owner closes. Its first worker starts at once, while what will ask it is imported."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._first: SandboxedWorker | None = sandbox.start()

    def limits(self) -> Limits:
        """Those of the other sandbox."""
        return self._sandbox.limits()

    def facts(self) -> dict[str, Fact]:
        """Those of the other sandbox."""
        return self._sandbox.facts()

    def start(self) -> SandboxedWorker:
        """The first worker, or a new one."""
        worker, self._first = self._first, None
        return self._sandbox.start() if worker is None else worker

    def close(self) -> None:
        """Stop the first if nobody has asked for it."""
        if self._first is not None:
            self._first.stop()
