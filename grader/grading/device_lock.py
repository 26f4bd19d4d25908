"""Locks on devices: a timed section has its device alone, across all graders of a host.

Untimed work shares the device with other untimed work. A grader that needs the device alone first shuts the gate, so
that no more untimed work starts. Then it waits for the untimed work in progress to end. It opens the gate at the end of
its timed section. While the gate is shut, other graders that need the device alone get it one after the other. So timed
sections run together, and then untimed work runs together. If the two kinds alternated, graders would wait for the
device twice as often.

    grader-DEVICE.gate   exclusive for a moment when untimed work starts; shared by graders that keep the gate shut
    grader-DEVICE.lock   shared by untimed work in progress, or exclusive for one timed section

No grader waits for ever: each grading has one timed section, and shares the device before that.
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

READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # safe if another user made a link or a pipe there

CPU = "cpu"
"""Identity of the CPU, which all CPU drivers and the simulator share."""


def exclusive(device: DeviceFacts, folder: Path) -> AbstractContextManager[None]:
    """Wait until no other grader uses the device, and keep it alone until the end of the block.

    The locks are on files in `folder`, which all graders of the host must share. They end with the process that has
    them. A grader that shares the device must not ask for it alone.
    """
    return _alone(_identity(device), folder)


def shared(device: DeviceFacts, folder: Path) -> AbstractContextManager[None]:
    """Wait until no other grader has the device alone, and share it until the end of the block."""
    return _together(_identity(device), folder)


def shared_cpu(folder: Path) -> AbstractContextManager[None]:
    """Share the processor with other graders until the end of the block, for work that is not a kernel on a device."""
    return _together(CPU, folder)


class SharedCpu:
    """Share of the processor, which a grading keeps for as long as any part of it needs the processor.

    A grading must not ask for a second share while it has one, because that can deadlock: if another grader has shut
    the gate, that grader waits until the first share ends, and the second share waits until the gate opens.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._users, self._share = folder, 0, ExitStack()

    def __enter__(self) -> None:
        """Take the share, unless another part has it."""
        if not self._users:
            self._share.enter_context(shared_cpu(self._folder))
        self._users += 1

    def __exit__(self, *_: object) -> None:
        """Give the share back when no other part needs it."""
        self._users -= 1
        if not self._users:
            self._share.close()


def also_shared(device: DeviceFacts, folder: Path) -> AbstractContextManager[None]:
    """Share the device as well, within `shared_cpu`; do nothing if the device is the processor.

    All graders that need both must take them in this order, or two graders could wait for each other.
    """
    return nullcontext() if _identity(device) == CPU else shared(device, folder)


def _identity(device: DeviceFacts) -> str:
    """Name of the device in lock files, equal for every driver and sandbox that reaches it."""
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
    """Wait for the lock on a file, and keep it until the end of the block."""
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


def _make(path: Path) -> None:
    """Make the file so that all users can read it at once; do nothing if another grader has made it already."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    try:
        os.fchmod(descriptor, 0o444)
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.close(descriptor)
        Path(name).unlink()


def _open(path: Path) -> int:
    """Open the lock file, or make it first.

    The file of another user serves as well: a lock needs no right to write, which a sticky folder would not give.
    Raises WorkerError if the file can be neither opened nor made.
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
