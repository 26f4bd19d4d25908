"""Sandbox `process`: a worker as a child process, for code that its own author runs.

It keeps accidents in: a crash, an endless loop, a memory or output flood. It is no wall against
malice: native code in the worker has the rights of the user who runs the grader (user.py gives it fewer).

The worker's folder (folder.py) is in the temporary folder, and also holds

    errors.txt    its error stream, and what kernels print
    home/         caches of the OpenCL driver; private, since they hold code that is loaded again
    link/         names of libraries, for the linker
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from grader.arrays import ArrayFiles
from grader.errors import WorkerError
from grader.interrupts import uninterrupted
from grader.own_driver import driver_environment
from grader.protocol import Limits
from grader.sandbox.environment import environment
from grader.sandbox.folder import WorkerFolder, abandoned, sweep_rounds
from grader.sandbox.linking import make_names
from grader.sandbox.rules import Fact, Rules
from grader.sandbox.running import Running

HOME = "home"
LINK = "link"
READ_SIZE = 64 * 1024
LAST_WORDS = 2000

MODULE = "grader.worker"

LINKERS = ("ld", "ld.lld")
"""PoCL calls one of these to load a kernel; the worker's PATH is the folder that holds it."""


class ProcessSandbox:
    """Starts workers as process groups of their own with an empty environment."""

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
        return self._limits.model_copy(update={"processes": self._limits.processes + _tasks_of_user()})

    def facts(self) -> dict[str, Fact]:
        """The limits of a worker."""
        return self._limits.model_dump(exclude_none=True)

    def close(self) -> None:
        """Stop what nobody has stopped."""
        self._running.stop()

    def start(self) -> "ProcessWorker":
        """Start a worker in a fresh temporary folder."""
        return self._running.start(
            lambda: ProcessWorker.start(Launch(command=worker_command(), folder=new_folder(self._parent)))
        )


def worker_command() -> tuple[str, ...]:
    """A worker, run by our own Python."""
    return (sys.executable, "-I", "-m", MODULE)


def new_folder(parent: Path) -> WorkerFolder:
    """A worker's folder with a home in it."""
    folder = WorkerFolder.make(parent)
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
        with contextlib.suppress(OSError):  # it ended while we looked
            if entry.stat().st_uid == os.getuid():
                tasks += len(list((entry / "task").iterdir()))
    return tasks


def signal_group(group: int, number: int) -> None:
    """Send a signal to all of a process group; one that has ended is none."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What a worker is started with; `end_others` ends what its process group may have got out of its group, and
    `signal` reaches its processes: all of the group, or more where that is possible.
    """

    command: Sequence[str]
    folder: WorkerFolder
    end_others: Callable[[], None] = lambda: None
    signal: Callable[[int, int], None] = signal_group


class ProcessWorker:
    """A running worker process."""

    def __init__(self, launch: Launch, process: subprocess.Popen[bytes], errors: BinaryIO) -> None:
        self._launch = launch
        self._folder = launch.folder
        self._process = process
        self._errors = errors
        self.is_stopped = False

    @classmethod
    def start(cls, launch: Launch) -> Self:
        """Run the command in the folder, which is removed if that fails (WorkerError)."""
        path = launch.folder.path
        errors = (path / "errors.txt").open("w+b")
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
                launch.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=path,
                env=_environment(path),
                start_new_session=True,
            )
        except OSError as error:
            errors.close()
            launch.folder.remove()
            raise WorkerError(f"cannot start a worker with {launch.command[0]}: {error.strerror}.") from error
        return cls(launch, process, errors)

    @property
    def files(self) -> ArrayFiles:
        """The array files in its folder."""
        return self._folder.files

    def send(self, data: bytes) -> None:
        """Write to the worker's input."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def receive(self, timeout: float) -> bytes:
        """Some bytes of its output; b"" at its end."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        ready, _, _ = select.select([descriptor], [], [], max(0.0, timeout))
        if not ready:
            raise TimeoutError
        return os.read(descriptor, READ_SIZE)

    def freeze(self) -> None:
        """Stop the process group, and what has left it as far as that can be found."""
        self._launch.signal(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._launch.signal(self._process.pid, signal.SIGCONT)

    def stop(self) -> None:
        """Kill the process group and what has left it, and remove the folder."""
        if not self.is_stopped:
            with uninterrupted():
                self._stop()
                self.is_stopped = True

    def _stop(self) -> None:
        signal_group(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()
        self._errors.close()
        try:
            self._launch.end_others()
        finally:
            self._folder.remove()

    def last_words(self) -> str:
        """The end of errors.txt, whatever the worker has put in its place."""
        if self._errors.closed:
            return ""
        descriptor = self._errors.fileno()  # whose place in the file is the worker's, too: reading must not move it
        start = max(0, os.fstat(descriptor).st_size - LAST_WORDS)
        return os.pread(descriptor, LAST_WORDS, start).decode("utf-8", errors="replace").strip()

    def has_ended(self) -> bool:
        """Whether the process is no more."""
        return self._process.poll() is not None

    def ran_out_of_memory(self) -> bool:
        """Never the whole worker: its limit makes allocations fail, which the session reports."""
        return False
