"""The process of a worker. It starts when it is first used, and again after a failure that ended it."""

from typing import Self

from grader.execution.connection import Connection
from grader.execution.sandbox import ProcessStarter
from grader.execution.timeouts import CurrentTimeouts, Timeouts
from grader.protocol.messages import DeviceFacts, Simulation


class WorkerProcess:
    """A worker process. After a failure that ended it, the next use starts another process in its place."""

    def __init__(
        self, starter: ProcessStarter, device: int, timeouts: Timeouts, simulation: Simulation | None = None
    ) -> None:
        self.timeouts = CurrentTimeouts(timeouts)
        self._starter = starter
        self._device = device
        self._simulation = simulation
        self._connection: Connection | None = None
        """The connection to the last process, or None before the first start."""

    def __enter__(self) -> Self:
        if not self._is_started:
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def _is_started(self) -> bool:
        return self._connection is not None and not self._connection.is_stopped

    @property
    def is_there(self) -> bool:
        """True if the process runs, as far as the judge knows."""
        return self._connection is not None and self._connection.is_alive

    def start(self) -> None:
        """Start the process and send it the job. Does not wait until the process is ready."""
        self._connection = Connection.start(self._starter, self._device, self._simulation)

    def let_go(self) -> None:
        """Ask the worker to end, so that a later `stop` takes less time."""
        if self._connection is not None:
            self._connection.let_go()

    def stop(self) -> None:
        """End the worker. It can be started again."""
        if self._connection is not None:
            self._connection.stop()

    def freeze(self) -> None:
        """Stop all processes of the worker until `thaw` is called, as far as its sandbox can."""
        if self._connection is not None:
            self._connection.freeze()

    def thaw(self) -> None:
        """Let a frozen worker continue."""
        if self._connection is not None:
            self._connection.thaw()

    def ready(self) -> DeviceFacts:
        """Wait until the worker is ready, and return its device. Raises WorkerError or DeviceError."""
        return self._running().ready(self.timeouts.now.start)

    @property
    def devices(self) -> tuple[DeviceFacts, ...]:
        """All devices of the worker, in the order of `Job.device`. Empty until the worker is ready."""
        return () if self._connection is None else self._connection.devices

    def _running(self) -> Connection:
        """Return the connection, to a new process if none is running."""
        if not self._is_started:
            self.start()
        assert self._connection is not None
        return self._connection
