"""Detects when a file is saved, by checking its directory entry ten times a second.

This costs almost nothing, needs no library, and works where file-system events do not arrive: on network folders, in
containers and under WSL. Editors write a new file and rename it, or truncate the old file and write it again, or do so
twice. A save therefore counts only after two consecutive checks have found the same entry.
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from grader.course.submissions.submission import SIZE_LIMIT

EVERY = 0.1
"""Seconds between two checks."""

Entry = tuple[int, int, int] | None
"""Modification time, size and inode number of the file, or None while it does not exist."""


class Saves:
    """Contents of a file: first its current content, then each new one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: Entry = None
        self._sha256 = ""

    def contents(self) -> Iterator[bytes]:
        """Yield the content after each save. A save that does not change the content is skipped."""
        while True:
            before = self._entry()
            if before is not None and before != self._taken:
                data = self._settled(before)
                if data is not None and (digest := hashlib.sha256(data).hexdigest()) != self._sha256:
                    self._sha256 = digest
                    yield data
                    continue
            time.sleep(EVERY)

    def is_saved_again(self) -> bool:
        """True if the file differs from the one that was last read. A file that is just being replaced does not
        count.
        """
        now = self._entry()
        return now is not None and now != self._taken

    def _settled(self, before: Entry) -> bytes | None:
        """Return the content of the file, or None while it is changing. An empty file counts as still being written."""
        time.sleep(EVERY / 2)
        with suppress(OSError):
            with self._path.open("rb") as file:
                data = file.read(SIZE_LIMIT + 1)  # one byte over the limit is enough, because longer files are refused
            if data and self._entry() == before:
                self._taken = before
                return data
        return None

    def _entry(self) -> Entry:
        with suppress(OSError):
            found = self._path.stat()
            if not S_ISREG(found.st_mode):
                return None  # reading a pipe would block
            return found.st_mtime_ns, found.st_size, found.st_ino
        return None
