"""Detects when a file is saved, by checking its entry in the folder ten times a second.

This costs almost nothing, needs no library, and works where file-system events do not arrive: network folders,
containers, WSL. Editors write a new file and rename it, or empty the old file and write it again, or do so twice. So a
save counts only after two checks in a row with the same entry.
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
"""Modification time, size and inode number of the file; None while it does not exist."""


class Saves:
    """Contents of a file: first the present content, then each new one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: Entry = None
        self._sha256 = ""

    def contents(self) -> Iterator[bytes]:
        """Yield each content after it is saved. A save that changes nothing is skipped."""
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
        """True if the file differs from the one that was read last. A file that is being replaced does not count."""
        now = self._entry()
        return now is not None and now != self._taken

    def _settled(self, before: Entry) -> bytes | None:
        """Return the content of the file, or None while it changes. An empty file is still being written."""
        time.sleep(EVERY / 2)
        with suppress(OSError):
            with self._path.open("rb") as file:
                data = file.read(SIZE_LIMIT + 1)  # one byte over the limit is enough: longer files are refused
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
