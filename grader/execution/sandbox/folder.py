"""A worker's folder on the host, and the removal of folders whose judge was killed.

    grader-worker-XXXX/   locked (flock) by its judge for as long as that lives
        in.bin out.bin    arrays (see protocol/messages.py)
        rounds            a link to the folder of this name in the other folder
        ...               whatever the sandbox adds

    grader-rounds-XXXX/   the same, in shared memory where there is some: pages of a disk's file are slow to write to
        rounds/           what the worker may see: the arrays of a launch
        next/             what it must not see yet

The lock is the judge's sign of life: it works across containers, and ends with the judge in any case.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from grader.common.errors import WorkerError
from grader.common.interrupts import uninterrupted
from grader.execution.arrays import ArrayFiles
from grader.protocol.messages import INPUT_FILE, ROUND_FILE

PREFIX = "grader-worker-"
ROUNDS = str(Path(ROUND_FILE).parent)
ROUNDS_PREFIX = "grader-rounds-"

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - folders made there are our own, and closed to others
ENOUGH_MEMORY = 256 * 1024**2
"""Bytes; containers have a quarter of this, if nobody asks for more, which the arrays of one launch can fill."""

ENOUGH_FOR_ROUNDS = 48 * 1024**2
"""Bytes, for the arrays of rounds: a launch of ours shares at most 24 MB, which are freed after each turn. On a disk,
kernels wait for pages to be written: there, the same kernel was seen to be 6 times as fast as itself."""


class LockedFolder:
    """A temporary folder of this process, locked as long as the process lives."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self.is_removed = False
        self._lock = lock

    @classmethod
    def make(cls, parent: Path, prefix: str) -> "LockedFolder":
        """A new folder that only this user can enter. Raises OSError if there can be none."""
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with ExitStack() as undo:
            undo.callback(shutil.rmtree, path, ignore_errors=True)
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            undo.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a sweep looks at a folder only when it has its sign
            undo.pop_all()
        return cls(path, lock)

    def remove(self) -> None:
        """Remove it with everything in it. Can be called again."""
        if not self.is_removed:
            with uninterrupted():
                self.is_removed = True
                _remove_tree(self.path)
                os.close(self._lock)


class WorkerFolder:
    """A folder of this judge's, with the two array files in it."""

    def __init__(self, folder: LockedFolder, rounds: LockedFolder, files: ArrayFiles) -> None:
        self.path = folder.path
        self.rounds = rounds.path / ROUNDS
        self.files = files
        self._folders = (folder, rounds)

    @classmethod
    def make(cls, parent: Path, enough: int = ENOUGH_MEMORY) -> "WorkerFolder":
        """A new folder that only this user can enter. Arrays of rounds lie in shared memory if `enough` bytes are left
        there. Raises WorkerError if there can be none.
        """
        with ExitStack() as undo:
            try:
                folder = LockedFolder.make(parent, PREFIX)
                undo.callback(folder.remove)
                rounds = LockedFolder.make(array_folder(enough), ROUNDS_PREFIX)
                undo.callback(rounds.remove)
                files = ArrayFiles(folder.path, rounds.path)
                (folder.path / ROUNDS).symlink_to(rounds.path / ROUNDS)
            except OSError as error:
                raise WorkerError(f"cannot make a folder for a worker in {parent}: {error.strerror}.") from error
            undo.pop_all()
        return cls(folder, rounds, files)

    def admit(self, user: int) -> None:
        """Let a worker that runs as this user and its group in: it may read and write the array files, and no more."""
        self.files.share()
        for folder in self._folders:
            os.chown(folder.path, -1, user)
            folder.path.chmod(0o710)

    def remove(self) -> None:
        """Remove it with everything in it. Can be called again."""
        if not self._folders[0].is_removed:
            self.files.close()
            for folder in self._folders:
                folder.remove()


def array_folder(enough: int = ENOUGH_MEMORY) -> Path:
    """Where arrays lie: in shared memory if it has `enough` bytes left, so that they never touch a disk."""
    has_room = os.access(SHARED_MEMORY, os.W_OK) and shutil.disk_usage(SHARED_MEMORY).free >= enough
    return SHARED_MEMORY if has_room else Path(tempfile.gettempdir())


def sweep_rounds() -> None:
    """Remove the arrays of workers whose judge was killed."""
    for parent in {SHARED_MEMORY, Path(tempfile.gettempdir())}:
        with abandoned(parent, ROUNDS_PREFIX, ROUNDS):
            pass


@contextmanager
def abandoned(parent: Path, prefix: str = PREFIX, sign: str = INPUT_FILE) -> Iterator[tuple[Path, ...]]:
    """Folders with this prefix whose owners, processes of this user's, were killed; they are removed afterwards.

    `sign` is what an owner puts into a folder first, once it is locked.
    """
    found = parent.glob(f"{prefix}*")
    locks = {path: lock for path in found if (lock := _take_lock(path, sign)) is not None}
    try:
        yield tuple(locks)
    finally:
        for path, lock in locks.items():
            _remove_tree(path)
            os.close(lock)


def _remove_tree(path: Path) -> None:
    """Remove a folder with everything in it, as far as possible."""
    try:
        shutil.rmtree(path, ignore_errors=True)
    except RecursionError:  # a worker can nest folders deeper than that goes, up to Python 3.12
        subprocess.run(["rm", "-rf", path], capture_output=True, check=False)  # noqa: S603, S607


def _take_lock(path: Path, sign: str) -> int | None:
    """A descriptor that holds the lock of a folder that was left; None if it is in use, another user's, or not ours."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with suppress(OSError):
        ours = os.fstat(lock).st_uid == os.geteuid() and (path / sign).exists()
        if ours:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
    os.close(lock)
    return None
