"""One timed section at a time on a device, across all graders of a host."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.errors import WorkerError
from grader.protocol import DeviceFacts


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


def _identity(device: DeviceFacts) -> str:
    """The same for every driver and sandbox that reaches the device; all CPU drivers share the one CPU."""
    if device.type == "cpu":
        return "cpu"
    return re.sub(r"\W+", "-", device.bus or device.name).strip("-").lower()


def _open(path: Path) -> int:
    """Another user's lock file serves as well, though in a sticky folder it cannot be opened for writing."""
    try:
        try:
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(descriptor, 0o644)
            return descriptor
    except FileExistsError:
        return _open(path)
    except OSError as error:
        raise WorkerError(
            f"cannot lock the device with {path}: {error.strerror}; set GRADER_LOCKS to a folder that every grader of "
            "this host can write to."
        ) from error
