"""Detects when a file is saved, by checking its directory entry ten times a second.

This costs almost nothing, needs no library, and works where file-system events do not arrive: on network folders, in
containers and under WSL. Editors write a new file and rename it, or truncate the old file and write it again, or do so
twice. A save therefore counts only after two consecutive checks have found the same entry.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from grader.course.submissions.submission import SIZE_LIMIT

EVERY = 0.1
"""Seconds between two checks."""

NOTED_AFTER = 10
"""Number of checks after which a file that cannot be graded is mentioned. Many editors empty or remove the file briefly
when they save it.
"""

Entry = tuple[int, int, int] | None
"""Modification time, size and inode number of the file, or None while it does not exist."""


class Saves:
    """Contents of a file: first its current content, then each new one.

    `note` is called with the reason if there is nothing to read for a second.
    """

    def __init__(self, path: Path, note: Callable[[str], None]) -> None:
        self._path, self._note = path, note
        self._taken: Entry = None
        self._sha256 = ""

    def contents(self) -> Iterator[bytes]:
        """Yield the content after each save. A save that does not change the content is skipped, unless the user has
        been told that the file was missing or empty.
        """
        lack, checks = "", 0
        while True:
            before = self._entry()
            earlier, lack = lack, self._lack(before)
            checks = checks + 1 if lack == earlier else 0
            if lack and checks == NOTED_AFTER:
                self._taken, self._sha256 = None, ""
                self._note(f"{self._path.name} {lack}")
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

    def _lack(self, entry: Entry) -> str:
        """Return what keeps the file from being graded and what to do, or "" if it has a content."""
        if entry is None:
            return "is missing; save it again under this name"
        if not os.access(self._path, os.R_OK):
            return "cannot be read; change its permissions"
        return "" if entry[1] else "is empty; write your kernel in it and save it"

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
