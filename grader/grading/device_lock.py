"""Locks on devices. A timed section has exclusive use of its device across all graders of a host.

Untimed work shares the device with other untimed work. A grader that needs exclusive use first shuts the gate, so that
no more untimed work starts, and then waits for the untimed work in progress. It opens the gate at the end of its timed
section. While the gate is shut, other graders that need exclusive use get it one after the other. Therefore several
timed sections run in succession, and then untimed work runs in parallel. If the two kinds alternated, graders would
wait for the device twice as often.

    grader-DEVICE.gate   held exclusively for a moment when untimed work starts; shared by graders that shut the gate
    grader-DEVICE.lock   shared by untimed work in progress, or held exclusively by one timed section

No grader waits forever, because each grading has one timed section and shares the device before that.
"""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

from grader.common.errors import WorkerError
from grader.protocol.messages import DeviceFacts

READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # safe even if another user has put a link or a pipe there

CPU = "cpu"
"""Name of the CPU in lock files, which all CPU drivers and the simulator share."""


def exclusive(device: DeviceFacts, folder: Path) -> AbstractContextManager[None]:
    """Wait until no other grader uses the device, and use it exclusively until the end of the block. The locks are on
    files in `folder`, which all graders of the host must share. They end with the process that holds them. A grader
    that shares the device must not call this function.
    """
    return _alone(_identity(device), folder)


def shared(device: DeviceFacts, folder: Path) -> AbstractContextManager[None]:
    """Wait until no other grader uses the device exclusively, and share it until the end of the block."""
    return _together(_identity(device), folder)


def shared_cpu(folder: Path) -> AbstractContextManager[None]:
    """Share the processor with other graders until the end of the block, for work that is not a kernel on a device."""
    return _together(CPU, folder)


class SharedCpu:
    """A share of the processor, which a grading holds as long as any part of it needs the processor.

    A grading must not take a second share while it holds one, because that can deadlock. If another grader has shut the
    gate, that grader waits until the first share ends, while the second share waits until the gate opens.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._users, self._share = folder, 0, ExitStack()

    def __enter__(self) -> None:
        """Take the share, unless another part of the grading already holds it."""
        if not self._users:
            self._share.enter_context(shared_cpu(self._folder))
        self._users += 1

    def __exit__(self, *_: object) -> None:
        """Release the share when no other part needs it."""
        self._users -= 1
        if not self._users:
            self._share.close()


def also_shared(device: DeviceFacts, folder: Path) -> AbstractContextManager[None]:
    """Share the device in addition to the processor, within `shared_cpu`. No-op if the device is the processor.

    All graders that need both must take them in this order. Otherwise two graders could wait for each other.
    """
    return nullcontext() if _identity(device) == CPU else shared(device, folder)


def _identity(device: DeviceFacts) -> str:
    """Name of the device in lock files. It is equal for all drivers and sandboxes through which the device is used."""
    if device.type == "cpu":
        return CPU
    return re.sub(r"\W+", "-", device.bus or device.name).strip("-").lower()


@contextmanager
def _alone(name: str, folder: Path) -> Iterator[None]:
    with _held(folder / f"grader-{name}.gate", fcntl.LOCK_SH), _held(folder / f"grader-{name}.lock", fcntl.LOCK_EX):
        yield


@contextmanager
def _together(name: str, folder: Path) -> Iterator[None]:
    with ExitStack() as inside:
        with _held(folder / f"grader-{name}.gate", fcntl.LOCK_EX):
            inside.enter_context(_held(folder / f"grader-{name}.lock", fcntl.LOCK_SH))
        yield


@contextmanager
def _held(path: Path, how: int) -> Iterator[None]:
    """Wait for the lock on a file, and hold it until the end of the block."""
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


def _make(path: Path) -> None:
    """Create the file so that all users can read it from the start. No-op if another grader has already created it."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    try:
        os.fchmod(descriptor, 0o444)
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.close(descriptor)
        Path(name).unlink()


def _open(path: Path) -> int:
    """Open the lock file, and create it if it does not exist. A file of another user can be used, too, because a lock
    does not need write permission, which a sticky folder would not give. Raises WorkerError if the file can neither be
    opened nor created.
    """
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
