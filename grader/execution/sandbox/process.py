"""Sandbox `process`: each worker is a child process, for authors who run their own code.

This sandbox contains accidents, such as a crash, an endless loop, or too much memory or output. It does not protect
against malicious code, because native code in the worker has the rights of the user who runs grader (user.py gives it
fewer rights). The worker can use only devices for computing, and cannot use some services of the OS kernel
(grader/forkserver/devices.py, system_calls.py), because the delayed work of other devices and of these services would
disturb timed launches.

The worker's folder (folder.py) is in the temporary folder. It also contains

    errors.txt    the worker's error stream, and the output of kernels
    home/         caches of the OpenCL driver; private, because the driver loads code from them again
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
from grader.execution.array_files import ArrayFiles
from grader.execution.sandbox.environment import HOME, LINK, environment_of, make_names
from grader.execution.sandbox.folder import ENOUGH_FOR_ROUNDS, WorkerFolder, abandoned, sweep_rounds
from grader.execution.sandbox.forkserver import ForkServer, Warden
from grader.execution.sandbox.freeze_check import FreezeCheck, RestlessError
from grader.execution.sandbox.limits import CORE_BYTES, Fact, Rules, processors, with_a_driver
from grader.execution.sandbox.running import Running
from grader.forkserver import devices, system_calls
from grader.forkserver.order import WorkerOrder
from grader.protocol.messages import Limits

READ_SIZE = 64 * 1024
LAST_WORDS = 2000

NEIGHBOURS, TASKS = 100, 4
"""Number of workers of other gradings that may start while a worker runs, and the number of threads of each in addition
to one thread for each processor. A batch with `--jobs 8` has 40 workers at a time. A worker that could not start a
thread would end as if its kernel had crashed.
"""

START = 10.0
"""Seconds within which a worker must exist when its process group is needed."""


class ProcessSandbox:
    """Starts workers. Each has its own process group below a warden, and an environment that contains only its own
    variables.
    """

    def __init__(self, rules: Rules) -> None:
        self._limits = rules.limits
        self._parent = Path(tempfile.gettempdir())
        self._server = rules.server or ForkServer.ours()
        self._running = Running[ProcessWorker]()
        with abandoned(self._parent):
            pass  # the workers of these folders have already ended together with their judges
        sweep_rounds()

    def limits(self) -> Limits:
        """Return the given limits with a higher limit on processes. The OS kernel counts all processes of the user, so
        the limit includes the processes that the user runs now and those that other gradings of the user may start
        while the worker lives.
        """
        return with_a_driver(self._limits, others=_tasks_of_user() + NEIGHBOURS * (processors() + TASKS))

    def facts(self) -> dict[str, Fact]:
        """Return the limits of a worker, and the services of the OS kernel from which this machine can exclude it."""
        are_listed, are_refused = devices.can_be_listed(), system_calls.can_be_refused()
        closed: dict[str, Fact] = {
            "core_bytes": CORE_BYTES,
            "privileges": "no new ones",
            "network": "none" if are_refused else "the machine's",
            "devices": "only those for computing" if are_listed else "all",
            "system_calls": "all except those on grader's list" if are_refused else "all",
        }
        return self._limits.model_dump(exclude_none=True) | closed

    def close(self) -> None:
        """Stop all workers that still run, and the fork server."""
        with uninterrupted(), closing(self._server):
            self._running.stop()

    def start(self) -> "ProcessWorker":
        """Start a worker in a new temporary folder."""
        return self._running.start(self._start)

    def _start(self) -> "ProcessWorker":
        return ProcessWorker.start(self._server, WorkerPlace(folder=new_folder(self._parent)))


def new_folder(parent: Path) -> WorkerFolder:
    """Create a worker's folder that contains a home and the linker's names."""
    folder = WorkerFolder.make(parent, ENOUGH_FOR_ROUNDS)
    (folder.path / HOME).mkdir(mode=0o700)
    make_names(folder.path / LINK)
    return folder


def _tasks_of_user() -> int:
    """Return the number of processes and threads of this user, or 0 if /proc does not show them."""
    tasks = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process has just ended
            if entry.stat().st_uid == os.getuid():
                tasks += len(list((entry / "task").iterdir()))
    return tasks


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group. Does nothing if the group has ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """Return a pipe. The `reader` closes the first end, and the `writer` closes the second end."""
    read, write = os.pipe()
    return (
        reader.enter_context(os.fdopen(read, "rb", buffering=0)),
        writer.enter_context(os.fdopen(write, "wb", buffering=0)),
    )


@dataclass(frozen=True, kw_only=True)
class WorkerPlace:
    """The folder and the user of a worker. If the user is None, the worker runs as the judge's user.

    `end_others` ends processes that may have left the worker's process group. `signal` sends a signal to all processes
    of the group at once, and to other processes of the worker if possible.
    """

    folder: WorkerFolder
    user: int | None = None
    end_others: Callable[[], None] = lambda: None
    signal: Callable[[int, int], None] = signal_group

    @property
    def order(self) -> WorkerOrder:
        """The order for the warden of this worker."""
        path = self.folder.path
        return WorkerOrder(folder=str(path), environment=environment_of(path), user=self.user, core_bytes=CORE_BYTES)


class ProcessWorker:
    """A running worker process below its warden (forkserver.py)."""

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
        """Order a worker in the folder of `place`. If that fails, remove the folder and raise WorkerError."""
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
        """The array files in the worker's folder."""
        return self._folder.files

    @property
    def group(self) -> int:
        """The worker's process group. Raises WorkerError if the worker did not start."""
        group = self._warden.group(START)
        if group is None:
            raise WorkerError("a worker could not be started.")
        return group

    def send(self, data: bytes) -> None:
        """Write as much to the worker's input as the pipe accepts now. `receive` writes the rest while it waits."""
        self._unsent += data
        self._write()

    def receive(self, timeout: float) -> bytes:
        """Return some bytes of the worker's output, or b"" after the output has ended. Raises TimeoutError after
        `timeout` seconds.
        """
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
        """Write as much as the pipe accepts now. If the worker has ended, drop the data."""
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._requests.fileno(), self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent = b""

    def freeze(self) -> None:
        """Stop all processes below the warden. If one of them does not stop, end the worker (freeze_check.py)."""
        if self._is_watched():
            self._place.signal(self.group, signal.SIGSTOP)
            self._settle(self._freeze_check.begin)

    def thaw(self) -> None:
        """Let the worker continue. End it if it has run while it was frozen."""
        if self._is_watched() and self._settle(self._freeze_check.end):
            signal_group(self.group, signal.SIGCONT)  # /proc may hide the processes from the freeze check

    def _is_watched(self) -> bool:
        """True if the warden lives. Otherwise, the worker is killed, because its processes cannot be listed."""
        group = self.group
        if self._warden.has_ended():
            signal_group(group, signal.SIGKILL)
            return False
        return True

    def _settle(self, change: Callable[[int], None]) -> bool:
        """True if the freeze check succeeds. If it fails, all processes of the worker are ended, which `receive` then
        reports.
        """
        try:
            change(self._warden.number)
        except RestlessError:
            self._warden.end()
            self._place.signal(self.group, signal.SIGKILL)
            return False
        return True

    def let_go(self) -> None:
        """Make the warden end the worker. Does not wait for it."""
        if not self.is_stopped:
            self._warden.let_go()

    def stop(self) -> None:
        """End all processes of the worker, and remove its folder."""
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
        """Return the end of errors.txt, even if the worker has replaced the file in its folder."""
        if self._errors.closed:
            return ""
        descriptor = self._errors.fileno()  # the file position is shared with the worker, so reading must not move it
        start = max(0, os.fstat(descriptor).st_size - LAST_WORDS)
        return os.pread(descriptor, LAST_WORDS, start).decode("utf-8", errors="replace").strip()

    def has_ended(self) -> bool:
        """True if the warden has ended. It ends when the worker has ended."""
        return self._warden.has_ended()

    def ran_out_of_memory(self) -> bool:
        """Always False, because the limit makes allocations fail instead, which the session reports."""
        return False
