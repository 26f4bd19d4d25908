"""Sandbox `process`: a worker as a child process, for code that its own author runs.

It keeps accidents in: a crash, an endless loop, a memory or output flood. It is no wall against
malice: native code in the worker has the rights of the user who runs the grader.

    grader-XXXX/          a temporary folder, removed with the worker
        in.bin out.bin    arrays (see protocol.py)
        errors.txt        its error stream, and what kernels print
        home/ tmp/        caches of the OpenCL driver; private, since they hold code that is loaded again
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.errors import WorkerError
from grader.protocol import Limits

READ_SIZE = 64 * 1024
LAST_WORDS = 2000

MODULE = "grader.worker"

LINKERS = ("ld", "ld.lld")
"""PoCL calls one of these to load a kernel; the worker's PATH is the folder that holds it."""


class ProcessSandbox:
    """Starts workers as process groups of their own with an empty environment."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def limits(self) -> Limits:
        """The given limits; the process limit counts what the user already runs, since the kernel does too."""
        return self._limits.model_copy(update={"processes": self._limits.processes + _tasks_of_user()})

    def start(self) -> "ProcessWorker":
        """Start a worker in a fresh temporary folder."""
        folder = Path(tempfile.mkdtemp(prefix="grader-"))
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        with (folder / "errors.txt").open("wb") as errors:
            try:
                process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
                    [sys.executable, "-I", "-m", MODULE],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    cwd=folder,
                    env=_environment(folder),
                    start_new_session=True,
                )
            except OSError as error:
                shutil.rmtree(folder, ignore_errors=True)
                raise WorkerError(f"cannot start a worker with {sys.executable}: {error.strerror}.") from error
        return ProcessWorker(process, folder)


def _environment(folder: Path) -> dict[str, str]:
    linkers = [path for path in map(shutil.which, LINKERS) if path]
    passed_on = {name: os.environ[name] for name in ("OCL_ICD_VENDORS", "LD_LIBRARY_PATH") if name in os.environ}
    return {
        "PATH": os.pathsep.join(dict.fromkeys(str(Path(path).parent) for path in linkers)),
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "XDG_CACHE_HOME": str(folder / "home"),
        "POCL_CACHE_DIR": str(folder / "home"),
        "POCL_AFFINITY": "1",  # else its threads share a core at random, and times double
        "PYOPENCL_NO_CACHE": "1",
        "OPENBLAS_NUM_THREADS": "1",  # its threads would not survive the fork of a session
        **passed_on,
    }


def _tasks_of_user() -> int:
    """How many processes and threads of this user there are; 0 where /proc does not tell."""
    tasks = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended while we looked
            if entry.stat().st_uid == os.getuid():
                tasks += len(list((entry / "task").iterdir()))
    return tasks


class ProcessWorker:
    """A running worker process."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self.folder = folder

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

    def stop(self) -> None:
        """Kill the process group and remove the folder."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def last_words(self) -> str:
        """The end of errors.txt."""
        try:
            with (self.folder / "errors.txt").open("rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(0, file.tell() - LAST_WORDS))
                return file.read(LAST_WORDS).decode("utf-8", errors="replace").strip()
        except OSError:
            return ""
