"""Notices when a file is saved: it looks at its entry in the folder, ten times a second.

That costs next to nothing, needs no library, and works where events of the file system do not reach: network folders,
containers, WSL. Editors write a new file and rename it, or empty the old one and write it again, or do so twice: a save
is taken when nothing has changed from one look to the next.
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from grader.course.submissions.submission import SIZE_LIMIT

EVERY = 0.1
"""Seconds between two looks."""

Entry = tuple[int, int, int] | None
"""When it was written, how long it is, which file it is; None while there is none."""


class Saves:
    """The contents of a file: first what it holds, then what it is given."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: Entry = None
        self._sha256 = ""

    def contents(self) -> Iterator[bytes]:
        """Each content, as soon as it is saved; the same again is none."""
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
        """Whether the file is another than the one that was taken last; a file that is being replaced is none yet."""
        now = self._entry()
        return now is not None and now != self._taken

    def _settled(self, before: Entry) -> bytes | None:
        """What the file holds, if it rests; an empty one is still being written."""
        time.sleep(EVERY / 2)
        with suppress(OSError):
            with self._path.open("rb") as file:
                data = file.read(SIZE_LIMIT + 1)  # longer ones are refused
            if data and self._entry() == before:
                self._taken = before
                return data
        return None

    def _entry(self) -> Entry:
        with suppress(OSError):
            found = self._path.stat()
            if not S_ISREG(found.st_mode):
                return None  # a pipe would be waited for
            return found.st_mtime_ns, found.st_size, found.st_ino
        return None
