"""Who may use a device: one timed section at a time and nothing beside it, across all graders of a host.

Work that is not timed shares the device with other such work. A grader that needs the device alone first shuts the
gate, so that no more of those come in, and then waits until the ones inside have left. It opens the gate when it has
been inside itself; until then, others that need the device alone go in one after the other. So all that is timed comes
together, and then all that is not: in turn, a device would be waited for twice as often.

    grader-DEVICE.gate   held by a grader that goes through; shared by those that keep it shut
    grader-DEVICE.lock   held by those who are inside: shared, or by one alone

Nobody waits for ever: each grading is timed once, and shares the device before that.
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

READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # whatever another user has put there in place of a file

CPU = "cpu"
"""All CPU drivers share the one CPU, and so does the simulator."""


def exclusive(device: DeviceFacts, folder: Path) -> AbstractContextManager[None]:
    """Wait until no other grader uses the device, and keep it alone until the end of the block.

    The locks are on files in `folder`, which all graders of the host must share. They end with the process that holds
    them. Whoever shares the device must not ask for it alone.
    """
    return _alone(_identity(device), folder)


def shared(device: DeviceFacts, folder: Path) -> AbstractContextManager[None]:
    """Wait until no other grader has the device alone, and let none have it alone until the end of the block."""
    return _together(_identity(device), folder)


def shared_cpu(folder: Path) -> AbstractContextManager[None]:
    """The same for work on processor cores that is not a kernel on a device."""
    return _together(CPU, folder)


class SharedCpu:
    """The processor, shared with other graders for as long as any part of a grading needs it.

    A grading must not ask for a second share while it has one, or it can come to a deadlock. If another grader has shut
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
    """Within `shared_cpu`, the device as well, unless that is the processor. Whoever needs both takes them in this
    order, or two could wait for each other.
    """
    return nullcontext() if _identity(device) == CPU else shared(device, folder)


def _identity(device: DeviceFacts) -> str:
    """Equal for every driver and sandbox that reaches the device."""
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
    """The lock on a file, waited for, until the end of the block."""
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


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


def _open(path: Path) -> int:
    """Open or make a lock file. One of another user will do, although it cannot be written in a sticky folder."""
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
