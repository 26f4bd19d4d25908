"""Sandbox `process`: a worker as a child process, for code that its own author runs.

It keeps accidents in: a crash, an endless loop, a memory or output flood. It is no wall against
malice: native code in the worker has the rights of the user who runs the grader (user.py gives it fewer).
It still cannot use devices other than those for computing, nor some services of the OS kernel
(grader/forkserver/devices.py, system_calls.py): their later work would disturb launches that are timed.

The worker's folder (folder.py) is in the temporary folder, and also holds

    errors.txt    its error stream, and what kernels print
    home/         caches of the OpenCL driver; private, since they hold code that is loaded again
    link/         names of libraries, for the linker
"""

import os
import select
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from grader.common.errors import WorkerError
from grader.common.interrupts import uninterrupted
from grader.execution.arrays import ArrayFiles
from grader.execution.sandbox.environment import HOME, LINK, environment_of
from grader.execution.sandbox.folder import ENOUGH_FOR_ROUNDS, WorkerFolder, abandoned, sweep_rounds
from grader.execution.sandbox.forkserver import ForkServer, Warden
from grader.execution.sandbox.freeze_check import FreezeCheck, RestlessError
from grader.execution.sandbox.linking import make_names
from grader.execution.sandbox.rules import CORE_BYTES, Fact, Rules, processors, with_a_driver
from grader.execution.sandbox.running import Running
from grader.forkserver import devices, system_calls
from grader.forkserver.order import WorkerOrder
from grader.protocol.messages import Limits

READ_SIZE = 64 * 1024
LAST_WORDS = 2000

NEIGHBOURS, TASKS = 100, 4
"""Workers of other gradings that may start while one runs, and what each has beside a thread for each processor. A
batch with `--jobs 8` has 40 at a time; a worker that is refused a thread would end as if its kernel had crashed.
"""

START = 10.0
"""Seconds for a worker to be there, when its process group is asked for."""


class ProcessSandbox:
    """Starts workers as process groups of their own, each below a warden, with an empty environment."""

    def __init__(self, rules: Rules) -> None:
        self._limits = rules.limits
        self._parent = Path(tempfile.gettempdir())
        self._server = rules.server or ForkServer.ours()
        self._running = Running[ProcessWorker]()
        with abandoned(self._parent):
            pass  # their workers have ended by themselves
        sweep_rounds()

    def limits(self) -> Limits:
        """The given limits; the process limit counts what the user runs now, since the kernel does too, and what others
        of this user's may start while the worker lives.
        """
        return with_a_driver(self._limits, others=_tasks_of_user() + NEIGHBOURS * (processors() + TASKS))

    def facts(self) -> dict[str, Fact]:
        """The limits of a worker, and the services of the OS kernel that are closed, as far as the machine can close
        them.
        """
        are_listed, are_refused = devices.can_be_listed(), system_calls.can_be_refused()
        closed: dict[str, Fact] = {
            "core_bytes": CORE_BYTES,
            "privileges": "no new ones",
            "network": "none" if are_refused else "the machine's",
            "devices": "those for computing" if are_listed else "all",
            "system_calls": "all but grader's own list" if are_refused else "all",
        }
        return self._limits.model_dump(exclude_none=True) | closed

    def close(self) -> None:
        """Stop all workers that still run, and the fork server."""
        with uninterrupted(), closing(self._server):
            self._running.stop()

    def start(self) -> "ProcessWorker":
        """Start a worker in a fresh temporary folder."""
        return self._running.start(self._start)

    def _start(self) -> "ProcessWorker":
        return ProcessWorker.start(self._server, WorkerPlace(folder=new_folder(self._parent)))


def new_folder(parent: Path) -> WorkerFolder:
    """A worker's folder with a home in it."""
    folder = WorkerFolder.make(parent, ENOUGH_FOR_ROUNDS)
    (folder.path / HOME).mkdir(mode=0o700)
    make_names(folder.path / LINK)
    return folder


def _tasks_of_user() -> int:
    """How many processes and threads of this user there are; 0 where /proc does not tell."""
    tasks = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended while we looked
            if entry.stat().st_uid == os.getuid():
                tasks += len(list((entry / "task").iterdir()))
    return tasks


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group, if it has not ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """A pipe; each end is closed with the block that it belongs to."""
    read, write = os.pipe()
    return (
        reader.enter_context(os.fdopen(read, "rb", buffering=0)),
        writer.enter_context(os.fdopen(write, "wb", buffering=0)),
    )


@dataclass(frozen=True, kw_only=True)
class WorkerPlace:
    """Where a worker runs, and as whom, if not as the judge's user; `end_others` ends processes that may have left its
    process group, and `signal` reaches its processes at once: its group, or more where that is possible.
    """

    folder: WorkerFolder
    user: int | None = None
    end_others: Callable[[], None] = lambda: None
    signal: Callable[[int, int], None] = signal_group

    @property
    def order(self) -> WorkerOrder:
        """What its warden is told."""
        path = self.folder.path
        return WorkerOrder(folder=str(path), environment=environment_of(path), user=self.user, core_bytes=CORE_BYTES)


class ProcessWorker:
    """A running worker process, below its warden (forkserver.py)."""

    def __init__(
        self, place: WorkerPlace, warden: Warden, requests: BinaryIO, replies: BinaryIO, errors: BinaryIO
    ) -> None:
        self._place = place
        self._folder = place.folder
        self._warden = warden
        self._requests = requests
        self._replies = replies
        self._errors = errors
        self._freeze_check = FreezeCheck()
        self._unsent = b""
        self.is_stopped = False

    @classmethod
    def start(cls, server: ForkServer, place: WorkerPlace) -> Self:
        """Order a worker in the folder, which is removed if that fails (WorkerError)."""
        with ExitStack() as undo, ExitStack() as passed_on:
            undo.callback(place.folder.remove)
            try:
                errors = undo.enter_context((place.folder.path / "errors.txt").open("w+b"))
                its_input, requests = _pipe(passed_on, undo)
                replies, its_output = _pipe(undo, passed_on)
                warden = server.start(place.order, [each.fileno() for each in (its_input, its_output, errors)])
            except OSError as error:
                raise WorkerError(f"cannot start a worker: {error.strerror}.") from error
            undo.pop_all()
        os.set_blocking(requests.fileno(), False)
        return cls(place, warden, requests, replies, errors)

    @property
    def files(self) -> ArrayFiles:
        """The array files in its folder."""
        return self._folder.files

    @property
    def group(self) -> int:
        """Its process group; raises WorkerError if it never came so far."""
        group = self._warden.group(START)
        if group is None:
            raise WorkerError("a worker could not be started.")
        return group

    def send(self, data: bytes) -> None:
        """Write to the worker's input what it takes at once; the rest follows while `receive` waits for an answer."""
        self._unsent += data
        self._write()

    def receive(self, timeout: float) -> bytes:
        """Some bytes of its output; b"" at its end."""
        end = time.monotonic() + timeout
        output = self._replies.fileno()
        poll = select.poll()
        poll.register(output, select.POLLIN)
        while True:
            if self._unsent:
                poll.register(self._requests, select.POLLOUT)
            ready = {descriptor for descriptor, _ in poll.poll(1000 * max(0.0, end - time.monotonic()))}
            if not ready:
                raise TimeoutError
            if output in ready:
                return os.read(output, READ_SIZE)
            self._write()
            poll.unregister(self._requests)

    def _write(self) -> None:
        """Write as much as the pipe takes now; what is sent to a worker that has ended is dropped."""
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._requests.fileno(), self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent = b""

    def freeze(self) -> None:
        """Stop everything below the warden. A worker with a part that cannot be stopped is ended (freeze_check.py)."""
        if self._is_watched():
            self._place.signal(self.group, signal.SIGSTOP)
            self._settle(self._freeze_check.begin)

    def thaw(self) -> None:
        """Let it go on; a worker that has not stood still is ended."""
        if self._is_watched() and self._settle(self._freeze_check.end):
            signal_group(self.group, signal.SIGCONT)  # /proc may hide its processes

    def _is_watched(self) -> bool:
        """Whether it has a warden; a worker without one is ended, since nobody knows what is below it."""
        group = self.group
        if self._warden.has_ended():
            signal_group(group, signal.SIGKILL)
            return False
        return True

    def _settle(self, change: Callable[[int], None]) -> bool:
        """Whether it stands still; if not, everything that it has started is ended, and `receive` tells that."""
        try:
            change(self._warden.number)
        except RestlessError:
            self._warden.end()
            self._place.signal(self.group, signal.SIGKILL)
            return False
        return True

    def let_go(self) -> None:
        """Have the warden begin to end it."""
        if not self.is_stopped:
            self._warden.let_go()

    def stop(self) -> None:
        """End everything that the worker has started, and remove the folder."""
        if not self.is_stopped:
            with uninterrupted():
                self.is_stopped = True
                self._stop()

    def _stop(self) -> None:
        with ExitStack() as afterwards:
            afterwards.callback(self._folder.remove)
            afterwards.callback(self._place.end_others)
            for each in (self._errors, self._requests, self._replies, self._warden):
                afterwards.callback(each.close)
            self._warden.end()

    def last_words(self) -> str:
        """The end of errors.txt, whatever the worker has put in its place."""
        if self._errors.closed:
            return ""
        descriptor = self._errors.fileno()  # whose place in the file is the worker's, too: reading must not move it
        start = max(0, os.fstat(descriptor).st_size - LAST_WORDS)
        return os.pread(descriptor, LAST_WORDS, start).decode("utf-8", errors="replace").strip()

    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._warden.has_ended()

    def ran_out_of_memory(self) -> bool:
        """Never the whole worker: its limit makes allocations fail, which the session reports."""
        return False
