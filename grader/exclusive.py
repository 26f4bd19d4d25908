"""One timed section at a time on a device, across all graders of a host."""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grader.errors import WorkerError
from grader.protocol import DeviceFacts

READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # whatever somebody has put there in place of a file


@contextmanager
def exclusive(device: DeviceFacts, folder: Path) -> Iterator[None]:
    """Wait until no other grader times on the device, and keep it until the end of the block.

    The lock is on a file in `folder`, which all graders of the host must share. It ends with the process that holds it.
    """
    lock = _open(folder / f"grader-{_identity(device)}.lock")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _make(path: Path) -> None:
    """Make the file, readable by all from its first moment; nothing happens if another grader was quicker."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    try:
        os.fchmod(descriptor, 0o444)
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.close(descriptor)
        Path(name).unlink()


def _identity(device: DeviceFacts) -> str:
    """The same for every driver and sandbox that reaches the device; all CPU drivers share the one CPU."""
    if device.type == "cpu":
        return "cpu"
    return re.sub(r"\W+", "-", device.bus or device.name).strip("-").lower()


def _open(path: Path) -> int:
    """Another user's lock file serves as well, though in a sticky folder it cannot be opened for writing."""
    try:
        with suppress(FileNotFoundError):
            return os.open(path, READING)
        _make(path)
        return os.open(path, READING)
    except OSError as error:
        raise WorkerError(
            f"cannot lock the device with {path}: {error.strerror}; set GRADER_LOCKS to a folder that every grader of "
            "this host can write to."
        ) from error
