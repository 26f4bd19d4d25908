"""A worker's folder on the host, and the removal of folders whose judge was killed.

    grader-worker-XXXX/   locked (flock) by its judge while the judge lives
        in.bin out.bin    arrays (see protocol/messages.py)
        rounds            a link to the folder rounds/ below
        ...               other files of the sandbox

    grader-rounds-XXXX/   also locked; in shared memory if possible, because writes to pages of a file on disk are slow
        rounds/           the arrays of a launch, visible to the worker
        next/             the arrays of the next launch, not visible to the worker

The lock shows that the judge is alive. It works across containers, and the OS kernel releases it when the judge ends.
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
from grader.execution.array_files import ArrayFiles
from grader.protocol.messages import INPUT_FILE, ROUND_FILE

PREFIX = "grader-worker-"
ROUNDS = str(Path(ROUND_FILE).parent)
ROUNDS_PREFIX = "grader-rounds-"

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the grader's folders there are closed to other users
ENOUGH_MEMORY = 256 * 1024**2
"""Number of bytes of shared memory that must be free for arrays. A container has a quarter of this by default, which
the arrays of one launch can fill.
"""

ENOUGH_FOR_ROUNDS = 48 * 1024**2
"""Number of bytes of shared memory that must be free for the arrays of rounds. A launch shares at most 24 MB, and they
are freed after each round. On a disk, a kernel waits until pages are written, and the times of one kernel differed by a
factor of 6.
"""


class LockedFolder:
    """A temporary folder of this process, which is locked while the process lives."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self.is_removed = False
        self._lock = lock

    @classmethod
    def make(cls, parent: Path, prefix: str) -> "LockedFolder":
        """Create a folder that only this user can enter. Raises OSError if that fails."""
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with ExitStack() as undo:
            undo.callback(shutil.rmtree, path, ignore_errors=True)
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            undo.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a sweep ignores the folder until it contains the sign
            undo.pop_all()
        return cls(path, lock)

    def remove(self) -> None:
        """Remove the folder with all its content. Can be called more than once."""
        if not self.is_removed:
            with uninterrupted():
                self.is_removed = True
                _remove_tree(self.path)
                os.close(self._lock)


class WorkerFolder:
    """A folder of this judge for one worker, with its array files."""

    def __init__(self, folder: LockedFolder, rounds: LockedFolder, files: ArrayFiles) -> None:
        self.path = folder.path
        self.rounds = rounds.path / ROUNDS
        self.files = files
        self._folders = (folder, rounds)

    @classmethod
    def make(cls, parent: Path, enough: int = ENOUGH_MEMORY) -> "WorkerFolder":
        """Create a folder that only this user can enter. The arrays of rounds are in shared memory if `enough` bytes
        are free there. Raises WorkerError if the folder cannot be created.
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
        """Allow a worker with this user and group to enter the folder. It may read and write only the array files."""
        self.files.share()
        for folder in self._folders:
            os.chown(folder.path, -1, user)
            folder.path.chmod(0o710)

    def remove(self) -> None:
        """Remove the folder with all its content. Can be called more than once."""
        if not self._folders[0].is_removed:
            self.files.close()
            for folder in self._folders:
                folder.remove()


def array_folder(enough: int = ENOUGH_MEMORY) -> Path:
    """Return the folder for arrays, which is in shared memory if `enough` bytes are free there, so that arrays are not
    written to a disk.
    """
    has_room = os.access(SHARED_MEMORY, os.W_OK) and shutil.disk_usage(SHARED_MEMORY).free >= enough
    return SHARED_MEMORY if has_room else Path(tempfile.gettempdir())


def sweep_rounds() -> None:
    """Remove the folders for shared arrays of workers whose judge was killed."""
    for parent in {SHARED_MEMORY, Path(tempfile.gettempdir())}:
        with abandoned(parent, ROUNDS_PREFIX, ROUNDS):
            pass


@contextmanager
def abandoned(parent: Path, prefix: str = PREFIX, sign: str = INPUT_FILE) -> Iterator[tuple[Path, ...]]:
    """Yield the folders with this prefix whose owner was killed. They are removed at the end of the block.

    An owner is a process of this user. `sign` is the first file that an owner creates in a folder after it has locked
    the folder.
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
    """Remove a folder with all its content, as far as possible."""
    try:
        shutil.rmtree(path, ignore_errors=True)
    except RecursionError:  # up to Python 3.12, rmtree fails for deeply nested folders, which a worker can create
        subprocess.run(["rm", "-rf", path], capture_output=True, check=False)  # noqa: S603, S607


def _take_lock(path: Path, sign: str) -> int | None:
    """Lock an abandoned folder and return the descriptor of the lock. Returns None if the folder is in use, belongs to
    another user, or was not created by grader.
    """
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
