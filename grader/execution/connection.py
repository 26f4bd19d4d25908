"""The conversation with one worker process: requests, replies in the same order, and the meaning of a reply.

The connection is stopped by a failure that ends the process, or after which its replies cannot be trusted. A stopped
connection is not used again.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Protocol, Self

from grader.common.errors import DeviceError, NoSimulatorError, NoSuchDeviceError, WorkerError
from grader.common.invocation import command
from grader.common.phrases import listed
from grader.execution.array_files import ArrayFiles
from grader.execution.outcome import Crashed, Failure, Garbled, OutOfMemory, TimedOut, in_words
from grader.execution.replies import Replies
from grader.execution.sandbox import ProcessStarter, SandboxedWorker
from grader.protocol.messages import (
    BuildFailed,
    DeviceFacts,
    Devices,
    Died,
    Job,
    ListDevices,
    Refused,
    Simulation,
    Stopped,
)
from grader.protocol.text import showable
from grader.protocol.wire import Message
from grader.worker.fingerprint import fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray  # a worker starts while NumPy is still imported


class Driver(Enum):
    """State of the driver in the process of the last session.

    A driver that has refused one request may refuse all further requests of the same process. For example, the driver
    of a GPU stops serving a process after one of its kernels has made an invalid memory access.
    """

    SERVING = auto()
    REFUSING = auto()


class RequestChannel(Protocol):
    """A channel for the requests of a session and their replies. It is either a connection or a set of requests that
    were sent early (prefetch.py).
    """

    @property
    def files(self) -> ArrayFiles:
        """The files that transfer arrays."""

    def upload(self, arrays: "Sequence[NDArray[Any]]") -> None:
        """Write the inputs of the next `Stage` to in.bin."""

    def reserve(self, size: int) -> None:
        """Reserve space in out.bin for the next results."""

    def send(self, request: Message) -> None:
        """Send a request. Does not wait."""

    def reply(self, doing: str, seconds: float) -> Any:
        """Return the next reply, or the failure that came instead. `doing` describes the request in messages."""

    def failure(self, reply: Any) -> Failure:
        """Convert a reply that does not fulfil the request into a failure."""


class Connection:
    """One worker process, from its start to its end."""

    def __init__(self, process: SandboxedWorker, device: int, simulation: Simulation | None) -> None:
        self.process = process
        self.driver = Driver.SERVING
        self.is_stopped = False
        self._device = device
        self._simulation = simulation
        self._replies = Replies(process)
        self._is_frozen = False
        self._found: Devices | None = None
        """The devices that the worker has reported, or None until it is ready."""

    @classmethod
    def start(cls, starter: ProcessStarter, device: int, simulation: Simulation | None) -> Self:
        """Start a process and send it the job. Does not wait until the process is ready."""
        connection = cls(starter.start(), device, simulation)
        connection.send(Job(limits=starter.limits(), device=device, simulation=simulation))
        connection.send(ListDevices())
        return connection

    @property
    def files(self) -> ArrayFiles:
        """The files that transfer arrays."""
        return self.process.files

    @property
    def is_alive(self) -> bool:
        """True if the process runs, as far as the judge knows."""
        return not self.is_stopped and not self.process.has_ended()

    def let_go(self) -> None:
        """Ask the process to end, so that a later `stop` takes less time."""
        if not self.is_stopped:
            self.process.let_go()

    def stop(self) -> None:
        """End the process. Can be called more than once."""
        if not self.is_stopped:
            self.process.stop()
        self.is_stopped = True

    def freeze(self) -> None:
        """Stop all processes of the worker until `thaw` is called, as far as its sandbox can."""
        if not self.is_stopped and not self._is_frozen:
            self._is_frozen = True
            self.process.freeze()

    def thaw(self) -> None:
        """Let a frozen worker continue."""
        if not self.is_stopped and self._is_frozen:
            self._is_frozen = False
            self.process.thaw()

    # --- requests and replies -----------------------------------------------------------------

    def upload(self, arrays: "Sequence[NDArray[Any]]") -> None:
        """Write the inputs of the next `Stage` to in.bin. Raises WorkerError if the disk is full."""
        self.files.send(arrays)

    def reserve(self, size: int) -> None:
        """Reserve space in out.bin for the next results. Raises WorkerError if the disk is full."""
        self.files.reserve(size)

    def send(self, request: Message) -> None:
        """Send a request. Does not wait."""
        assert not self.is_stopped, "the worker is not running; start it before sending a request"
        self.process.send(request.model_dump_json().encode() + b"\n")

    def reply(self, doing: str, seconds: float) -> Any:
        """Return the next reply, or the failure that came instead. `doing` describes the request in messages."""
        reply = self._replies.next(doing, seconds)
        if isinstance(reply, TimedOut):
            self.stop()
        return reply

    def failure(self, reply: Any) -> Failure:
        """Convert a reply that does not fulfil the request into a failure. A reply that belongs to another request
        shows that the worker no longer runs grader's code.
        """
        match reply:
            case BuildFailed() | TimedOut():
                return reply
            case Refused() | Stopped():
                self.driver = Driver.REFUSING
                return reply
            case Died(out_of_memory=True):
                return OutOfMemory()
            case Died(signal=number, exit_code=code):
                return Crashed(signal=number, exit_code=code, words=self._last_line(), doing=self._replies.doing)
            case Garbled() | OutOfMemory():
                self.stop()
                return reply
            case _:
                self.stop()
                return Garbled(what="it answered another question than the judge asked")

    def _last_line(self) -> str:
        """Return the last line that a driver or compiler wrote before it ended the process, such as "LLVM
        ERROR: ...".
        """
        return showable(self.process.last_words().rpartition("\n")[2])

    # --- devices ------------------------------------------------------------------------------

    @property
    def devices(self) -> tuple[DeviceFacts, ...]:
        """All devices of the worker, in the order of `Job.device`. Empty until the worker is ready."""
        return () if self._found is None else self._found.devices

    def ready(self, seconds: float) -> DeviceFacts:
        """Wait until the worker is ready, and return its device. Raises WorkerError or DeviceError."""
        if self._found is None:
            self._found = self._listed(seconds)
        if self._simulation is not None and not self.devices:
            raise NoSimulatorError(f"the simulator is missing. Run `{command('setup')}` to install it.")
        if self._device >= len(self.devices):
            kind = NoSuchDeviceError if self.devices else DeviceError
            raise kind(f"there is no OpenCL device {self._device}: {self._why_none(self._found)}")
        return self.devices[self._device]

    def _listed(self, seconds: float) -> Devices:
        """Return the devices in the worker's first reply. The process is stopped if it sends a different reply."""
        match self.reply("starting", seconds):
            case Devices() as found if found.worker == fingerprint():
                return found
            case Devices():
                self.stop()
                raise WorkerError(
                    "the worker's image was built from another version of grader: build it again, as `grader doctor "
                    "--sandbox docker` says."
                )
            case other:
                why = self._why_not_started(other)
                self.stop()
                raise WorkerError(f"a worker could not start: {why}. Run `{command('doctor')}`.")

    def _why_not_started(self, reply: Any) -> str:
        """Return the reason why a reply does not list devices, followed by the worker's last line of output."""
        words = "" if self.is_stopped else self._last_line().rstrip(".")
        why = in_words(self.failure(reply))
        return f"{why}: {words}" if words and words != why else why

    @staticmethod
    def _why_none(found: Devices) -> str:
        """Return the reason why the device is missing, and the next step for the user."""
        if found.devices:
            numbers = "only device 0" if len(found.devices) == 1 else f"devices 0 to {len(found.devices) - 1}"
            return f"this machine has {numbers}. Choose a number that `{command('devices')}` lists."
        if found.too_new:
            return (
                f"{listed(found.too_new, 'and')} is newer than the OpenCL driver that is installed (PoCL's Python "
                f"package), which cannot compile for it. Run `{command('setup')}`, which installs one that can."
            )
        return f"no OpenCL driver is installed. Run `{command('setup')}`, which installs one."
