"""Sandbox `process`: a worker as a child process, for code that its own author runs.

It keeps accidents in: a crash, an endless loop, a memory or output flood. It is no wall against
malice: native code in the worker has the rights of the user who runs the grader (user.py gives it fewer).

The worker's folder (folder.py) is in the temporary folder, and also holds

    errors.txt    its error stream, and what kernels print
    home/         caches of the OpenCL driver; private, since they hold code that is loaded again
    link/         names of libraries, for the linker
"""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from grader.common.errors import WorkerError
from grader.common.interrupts import uninterrupted
from grader.common.record import replace
from grader.execution.arrays import ArrayFiles
from grader.execution.own_driver import driver_environment
from grader.execution.sandbox.environment import environment
from grader.execution.sandbox.folder import ENOUGH_FOR_ROUNDS, WorkerFolder, abandoned, sweep_rounds
from grader.execution.sandbox.linking import make_names
from grader.execution.sandbox.rules import Fact, Rules
from grader.execution.sandbox.running import Running
from grader.protocol.messages import Limits

HOME = "home"
LINK = "link"
READ_SIZE = 64 * 1024
LAST_WORDS = 2000

MODULE = "grader.worker"

WARDEN = (sys.executable, "-I", "-S", str(Path(__file__).with_name("warden.py")))

AGAIN = 0.5
"""Seconds after which a warden that does not end gets SIGCONT, in case that it was stopped."""

PATIENCE = 10.0
"""Seconds for a warden to end all that there is; it takes some hundredths of one."""

LINKERS = ("ld", "ld.lld")
"""PoCL calls one of these to load a kernel; the worker's PATH is the folder that holds it."""


class ProcessSandbox:
    """Starts workers as process groups of their own, each below a warden, with an empty environment."""

    def __init__(self, rules: Rules) -> None:
        self._limits = rules.limits
        self._parent = Path(tempfile.gettempdir())
        self._running = Running[ProcessWorker]()
        with abandoned(self._parent):
            pass  # their workers have ended by themselves
        sweep_rounds()

    def limits(self) -> Limits:
        """The given limits; the process limit counts what the user already runs, since the kernel does too."""
        if self._limits.processes is None:
            return self._limits
        return replace(self._limits, processes=self._limits.processes + _tasks_of_user())

    def facts(self) -> dict[str, Fact]:
        """The limits of a worker."""
        return self._limits.model_dump(exclude_none=True)

    def close(self) -> None:
        """Stop all workers that still run."""
        self._running.stop()

    def start(self) -> "ProcessWorker":
        """Start a worker in a fresh temporary folder."""
        return self._running.start(self._start)

    def _start(self) -> "ProcessWorker":
        return ProcessWorker.start(StartCommand(command=worker_command(), folder=new_folder(self._parent)))


def worker_command() -> tuple[str, ...]:
    """A worker, run by our own Python."""
    return (sys.executable, "-I", "-m", MODULE)


def new_folder(parent: Path) -> WorkerFolder:
    """A worker's folder with a home in it."""
    folder = WorkerFolder.make(parent, ENOUGH_FOR_ROUNDS)
    (folder.path / HOME).mkdir(mode=0o700)
    make_names(folder.path / LINK)
    return folder


def _environment(folder: Path) -> dict[str, str]:
    linkers = [path for path in map(shutil.which, LINKERS) if path]
    passed_on = {name: os.environ[name] for name in ("OCL_ICD_VENDORS", "LD_LIBRARY_PATH") if name in os.environ}
    path = os.pathsep.join(dict.fromkeys(str(Path(path).parent) for path in linkers))
    given = {"PATH": path, "LIBRARY_PATH": str(folder / LINK), **environment(str(folder / HOME))}
    return {**given, **passed_on, **driver_environment(os.environ)}


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


@dataclass(frozen=True, kw_only=True)
class StartCommand:
    """How a worker is started; `end_others` ends processes that may have left its process group, and
    `signal` reaches its processes: all of the group, or more where that is possible.
    """

    command: Sequence[str]
    folder: WorkerFolder
    end_others: Callable[[], None] = lambda: None
    signal: Callable[[int, int], None] = signal_group


class ProcessWorker:
    """A running worker process, below its warden (warden.py)."""

    def __init__(
        self, launch: StartCommand, warden: subprocess.Popen[bytes], lifeline: socket.socket, errors: BinaryIO
    ) -> None:
        self._launch = launch
        self._folder = launch.folder
        self._warden = warden
        self._lifeline = lifeline
        self._errors = errors
        self._unsent = b""
        self._group: int | None = None
        self.is_stopped = False

    @classmethod
    def start(cls, launch: StartCommand) -> Self:
        """Run the command in the folder, which is removed if that fails (WorkerError)."""
        path = launch.folder.path
        errors = (path / "errors.txt").open("w+b")
        lifeline, wardens = socket.socketpair()
        try:
            with wardens:
                warden = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
                    [*WARDEN, str(wardens.fileno()), *launch.command],
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    cwd=path,
                    env=_environment(path),
                    start_new_session=True,
                    pass_fds=(wardens.fileno(),),
                )
        except OSError as error:
            lifeline.close()
            errors.close()
            launch.folder.remove()
            raise WorkerError(f"cannot start a worker with {launch.command[0]}: {error.strerror}.") from error
        assert warden.stdin is not None
        os.set_blocking(warden.stdin.fileno(), False)
        return cls(launch, warden, lifeline, errors)

    @property
    def files(self) -> ArrayFiles:
        """The array files in its folder."""
        return self._folder.files

    @property
    def group(self) -> int:
        """Its process group, to which the warden does not belong; raises WorkerError if it never came so far."""
        group = self._told_group(PATIENCE)
        if group is None:
            raise WorkerError("a worker could not be started.")
        return group

    def _told_group(self, seconds: float) -> int | None:
        """The worker's process group, which the warden sends once, if it comes within so many seconds."""
        if self._group is None:
            with suppress(OSError):
                self._lifeline.settimeout(seconds)
                told = self._lifeline.recv(READ_SIZE)
                self._group = int(told) if told else None
        return self._group

    def send(self, data: bytes) -> None:
        """Write to the worker's input what it takes at once; the rest follows while `receive` waits for an answer."""
        self._unsent += data
        self._write()

    def receive(self, timeout: float) -> bytes:
        """Some bytes of its output; b"" at its end."""
        assert self._warden.stdin is not None
        assert self._warden.stdout is not None
        end = time.monotonic() + timeout
        output = self._warden.stdout.fileno()
        poll = select.poll()
        poll.register(output, select.POLLIN)
        while True:
            if self._unsent:
                poll.register(self._warden.stdin, select.POLLOUT)
            ready = {descriptor for descriptor, _ in poll.poll(1000 * max(0.0, end - time.monotonic()))}
            if not ready:
                raise TimeoutError
            if output in ready:
                return os.read(output, READ_SIZE)
            self._write()
            poll.unregister(self._warden.stdin)

    def _write(self) -> None:
        """Write as much as the pipe takes now; what is sent to a worker that has ended is dropped."""
        assert self._warden.stdin is not None
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._warden.stdin.fileno(), self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent = b""

    def freeze(self) -> None:
        """Stop the process group, and what has left it as far as that can be found.

        It should be idle: Linux tells a child that is just being forked of SIGSTOP, but not of the SIGCONT after it.
        """
        self._launch.signal(self.group, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._launch.signal(self.group, signal.SIGCONT)

    def stop(self) -> None:
        """End everything that the worker has started, and remove the folder."""
        if not self.is_stopped:
            with uninterrupted():
                self.is_stopped = True
                self._stop()

    def _stop(self) -> None:
        with ExitStack() as afterwards:
            afterwards.callback(self._folder.remove)
            afterwards.callback(self._launch.end_others)
            afterwards.callback(self._errors.close)
            afterwards.callback(self._lifeline.close)
            for stream in (self._warden.stdin, self._warden.stdout):
                if stream is not None:
                    afterwards.callback(stream.close)
            self._end_warden()

    def _end_warden(self) -> None:
        """Close the lifeline, and wait until the warden ends. Code with this user's rights can stop or kill it."""
        group = self._told_group(0.0)
        with suppress(OSError):
            self._lifeline.shutdown(socket.SHUT_WR)
        end = time.monotonic() + PATIENCE
        while not self._has_ended_within(AGAIN):
            if time.monotonic() > end:
                self._warden.kill()
                break
            self._warden.send_signal(signal.SIGCONT)
        if not self._has_ended_within(PATIENCE):
            raise WorkerError("a worker does not end, even when it is killed: its driver hangs. Restart the machine.")
        if self._warden.returncode != 0 and group is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)

    def _has_ended_within(self, seconds: float) -> bool:
        """Whether the warden has ended: its end of the lifeline closes then, which is waited for without polling."""
        self._lifeline.settimeout(seconds)
        with suppress(OSError, subprocess.TimeoutExpired):
            while self._lifeline.recv(READ_SIZE):
                pass
            self._warden.wait(AGAIN)
        return self._warden.returncode is not None

    def last_words(self) -> str:
        """The end of errors.txt, whatever the worker has put in its place."""
        if self._errors.closed:
            return ""
        descriptor = self._errors.fileno()  # whose place in the file is the worker's, too: reading must not move it
        start = max(0, os.fstat(descriptor).st_size - LAST_WORDS)
        return os.pread(descriptor, LAST_WORDS, start).decode("utf-8", errors="replace").strip()

    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._warden.poll() is not None

    def ran_out_of_memory(self) -> bool:
        """Never the whole worker: its limit makes allocations fail, which the session reports."""
        return False
