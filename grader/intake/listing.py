"""What lies in a folder or an archive, before anybody asks whose it is."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from grader.handin import Remark

KEPT_LIMIT = 512 * 1024 * 1024
"""Bytes of source text kept of everything together: a course of 1,000 students with 5 assignments of 10 KB each is a
tenth of it, and it fits in the memory of a laptop. Only archives made for it come near.
"""

READ_LIMIT = 16 * 1024**3
"""Bytes of students' archives read one after another: 1,000 of the largest that are opened."""

FILE_LIMIT = 200_000
"""Files looked at in everything together; a thousand working trees of two hundred files each."""

ARCHIVE_LIMIT = 16 * 1024 * 1024
"""Bytes of a student's own archive: source text is a thousandth of it."""

METADATA_LIMIT = 32 * 1024 * 1024
"""Bytes of a platform's own list: Gradescope's holds every student's test output."""

METADATA = "submission_metadata.yml"

SOURCE, ARCHIVE = ".cl", ".zip"
OTHER_ARCHIVES = (".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar", ".zst")

JUNK = re.compile(
    r"__MACOSX|\.DS_Store|\._.*|Thumbs\.db|desktop\.ini"  # what systems leave behind
    r"|\.git|\.svn|\.hg|\.idea|\.vscode|__pycache__"  # what tools keep beside the work
    r"|.*~|#.*#|\.#.*|.*\.(?:swp|swo|bak|orig|tmp)",  # what editors leave behind
    re.IGNORECASE | re.DOTALL,
)


class RefusedError(Exception):
    """Something is not read, for the reason that the exception's text gives."""


@dataclass(frozen=True, kw_only=True)
class File:
    """A file by its path below what was named.

    `data` is what it holds, cut one byte after the limit of its kind; None of a file of a kind that is never read.
    `inside` is what a student's archive holds. `refused` says why there is neither although there should be.
    """

    parts: tuple[str, ...]
    data: bytes | None = None
    inside: "Listing | None" = None
    refused: str = ""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.parts[-1]


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What lies in a folder or archive called `name`: files, all folders, and what has no place among them."""

    name: str
    files: tuple[File, ...]
    folders: frozenset[tuple[str, ...]] = frozenset()
    unplaced: tuple[Remark, ...] = ()

    @property
    def level(self) -> int:
        """How many parts the paths of a platform's own names have: two, if one folder is around everything."""
        tops = {path[0] for path in (*self.folders, *(file.parts for file in self.files))}
        return 2 if len(tops) == 1 and tops <= {folder[0] for folder in self.folders} else 1

    def grouped(self, depth: int) -> dict[tuple[str, ...], list[File]]:
        """The files that lie deeper, by the first parts of their paths."""
        groups: dict[tuple[str, ...], list[File]] = {}
        for file in self.files:
            if len(file.parts) > depth:
                groups.setdefault(file.parts[:depth], []).append(file)
        return groups

    def where(self, file: File) -> str:
        """The file's path, for people."""
        return "/".join((self.name, *file.parts))


Read = Callable[[int], bytes]
"""Reads a file, so many bytes at most; raises RefusedError if it cannot be read."""

Keep = Callable[[tuple[str, ...], Read], File]
"""Makes a file of a listing of its path and what reads it; raises RefusedError if it is to be refused."""


class Budget:
    """How much may still be kept, read and looked at, over everything that was named."""

    def __init__(self) -> None:
        self._kept = KEPT_LIMIT
        self._read = READ_LIMIT
        self._files = FILE_LIMIT

    def keep(self, data: bytes) -> bytes:
        """Account for data that stay in memory; raises RefusedError if they are too many."""
        self._kept -= len(data)
        self.check()
        return data

    def read(self, data: bytes) -> bytes:
        """Account for data that are read and not kept; raises RefusedError if they are too many."""
        self._read -= len(data)
        self.check()
        return data

    def see(self, files: int) -> None:
        """Account for files that are looked at; raises RefusedError if they are too many."""
        self._files -= files
        self.check()

    def check(self) -> None:
        """Raises RefusedError if there was too much already."""
        if self._kept < 0:
            raise RefusedError(f"there are over {KEPT_LIMIT // 1024**2} MiB of source text in all; grade in parts")
        if self._read < 0:
            raise RefusedError(f"there are over {READ_LIMIT // 1024**3} GiB of archives in all; grade in parts")
        if self._files < 0:
            raise RefusedError(f"there are over {FILE_LIMIT:,} files in all; grade in parts")


def ending(name: str) -> str:
    """The ending of a file's name in small letters, e.g. ".cl"; that of ".cl" is ".cl"."""
    _, dot, last = name.rpartition(".")
    return f".{last.casefold().strip()}" if dot else ""


def stem(name: str) -> str:
    """A file's name without ".cl" or the ending of an archive."""
    return name[: name.rindex(".")] if ending(name) in {SOURCE, ARCHIVE, *OTHER_ARCHIVES} else name


def is_junk(parts: tuple[str, ...]) -> bool:
    """Whether this is none of the student's work, and not worth a word."""
    return any(JUNK.fullmatch(part) for part in parts)


def normal(name: str) -> str:
    """The same name for every way to write its accents: systems differ in that."""
    return unicodedata.normalize("NFC", name)


def is_missing(listing: Listing) -> bool:
    """Whether nothing in it could be a submission."""
    seen = (SOURCE, ARCHIVE, *OTHER_ARCHIVES)
    return not any(file.refused or ending(file.name) in seen or file.name == METADATA for file in listing.files)
