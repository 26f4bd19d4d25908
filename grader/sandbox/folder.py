"""A worker's folder on the host, and what is left of those whose judge was killed.

    grader-worker-XXXX/   locked (flock) by its judge for as long as that lives
        in.bin out.bin    arrays (see protocol.py)
        ...               whatever the sandbox adds

The lock is the judge's sign of life: it holds across containers and ends with the judge, however that ends.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from grader.arrays import ArrayFiles
from grader.errors import WorkerError
from grader.protocol import INPUT_FILE

PREFIX = "grader-worker-"


class WorkerFolder:
    """A folder of this judge's, with the two array files in it."""

    def __init__(self, path: Path, lock: int, files: ArrayFiles) -> None:
        self.path = path
        self.files = files
        self._lock: int | None = lock

    @classmethod
    def make(cls, parent: Path) -> "WorkerFolder":
        """A new folder that only this user can enter. Raises WorkerError if there can be none."""
        with ExitStack() as undo:
            try:
                path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
                undo.callback(shutil.rmtree, path, ignore_errors=True)
                lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
                undo.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a sweep looks at a folder only when it has files
                files = ArrayFiles(path)
            except OSError as error:
                raise WorkerError(f"cannot make a folder for a worker in {parent}: {error.strerror}.") from error
            undo.pop_all()
        return cls(path, lock, files)

    def remove(self) -> None:
        """Remove it with everything in it. Can be called again."""
        if self._lock is not None:
            self.files.close()
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = None


@contextmanager
def abandoned(parent: Path) -> Iterator[tuple[Path, ...]]:
    """The folders of this user's judges that were killed; they are removed afterwards."""
    locks = {path: lock for path in parent.glob(f"{PREFIX}*") if (lock := _take_lock(path)) is not None}
    try:
        yield tuple(locks)
    finally:
        for path, lock in locks.items():
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)


def _take_lock(path: Path) -> int | None:
    """A descriptor that holds the lock of a folder that was left; None if it is in use, another user's, or not ours."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with suppress(OSError):
        ours = os.fstat(lock).st_uid == os.geteuid() and (path / INPUT_FILE).exists()
        if ours:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
    os.close(lock)
    return None
