"""The files in a folder or an archive, not yet sorted by owner: their names, and how to read them.

Nothing is read yet: how much may be read depends on the owner. The cost of a listing grows with its files only.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from grader.course.submissions.handin import Remark

MEMBER_LIMIT = 10_000
"""Files of a student's own archive: a working tree with all that its tools leave."""

LISTED_LIMIT = 200_000
"""Files of an archive that an instructor names: a thousand working trees of two hundred files each."""

DEPTH_LIMIT = 32
"""Levels of folders; no kernel lies deeper."""

TOO_DEEP = f"lies under {DEPTH_LIMIT} folders; anything deeper is ignored"

METADATA_LIMIT = 32 * 1024 * 1024
"""Bytes of a platform's own list: Gradescope's holds every student's test output."""

METADATA = "submission_metadata.yml"

SOURCE, ARCHIVE = ".cl", ".zip"
SOURCE_AS_TEXT = ".cl.txt"
"""What browsers and systems that hide endings make of ".cl"."""

TEXTS = (".txt", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".ocl", ".opencl", ".clc")
"""Endings of files that may hold a kernel under another name."""

TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
OTHER_ARCHIVES = (".gz", ".bz2", ".xz", ".7z", ".rar", ".zst")

DIVIDED = re.compile(
    r"(?P<base>.*)(?P<first>\.tar|\.cl)(?P<copy>\s*\([0-9]{1,9}\)|-[0-9]{1,9})(?P<last>\.[a-z0-9]+)\s*",
    re.IGNORECASE | re.DOTALL,
)
"""The name of a copy with its number within a double ending: "kernels.tar-1.gz", "kernels.cl (2).txt"."""

JUNK = re.compile(
    r"__MACOSX|\.DS_Store|\._.*|Thumbs\.db|desktop\.ini"  # what systems leave behind
    r"|\.git|\.svn|\.hg|\.idea|\.vscode|__pycache__",  # what tools keep beside the work
    re.IGNORECASE | re.DOTALL,
)

BACKUP = re.compile(r".*~|#.*#|\.#.*|.*\.(?:swp|swo|bak|orig|tmp)", re.IGNORECASE | re.DOTALL)
"""A file that an editor leaves behind. A folder may be called so: after a student, J. Bak."""


class UnreadableFileError(Exception):
    """Something is not read, for the reason that the exception's text gives."""


Read = Callable[[int], bytes]
"""Reads a file, so many bytes at most; raises UnreadableFileError if it cannot be read."""


@dataclass(frozen=True, kw_only=True)
class File:
    """A file by its path below what was named; `refused` says why it is not read, if it is not."""

    parts: tuple[str, ...]
    read: Read | None = None
    refused: str = ""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.parts[-1]


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The content of a folder or archive called `name`: files, all folders, and what could not be listed."""

    name: str
    files: tuple[File, ...]
    folders: frozenset[tuple[str, ...]] = frozenset()
    unplaced: tuple[Remark, ...] = ()

    @property
    def level(self) -> int:
        """The depth of the names that a platform gave: two if one folder is around everything, else one."""
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


def ending(name: str) -> str:
    """The ending of a file's name in small letters, e.g. ".cl"; that of ".cl" is ".cl"."""
    _, dot, last = name.rpartition(".")
    return f".{last.casefold().strip()}" if dot else ""


def is_source(name: str) -> bool:
    """Whether a file is named as source text."""
    return _undivided(name).casefold().strip().endswith((SOURCE, SOURCE_AS_TEXT))


def is_tar(name: str) -> bool:
    """Whether a file is named as a tar."""
    return _undivided(name).casefold().strip().endswith(TARS)


def is_archive(name: str) -> bool:
    """Whether a file is named as an archive that is opened."""
    return ending(name) == ARCHIVE or is_tar(name)


def stem(name: str) -> str:
    """A file's name without ".cl" or the ending of an archive; it keeps the number of a copy."""
    plain = _undivided(name).rstrip()
    endings = (SOURCE_AS_TEXT, SOURCE, ARCHIVE, *sorted(TARS, key=len, reverse=True), *OTHER_ARCHIVES)
    found = next((each for each in endings if plain.casefold().endswith(each)), "")
    return plain[: -len(found)] if found else name  # counted from the end: "\u0130pek" is longer in small letters


def _undivided(name: str) -> str:
    """The name with the number of a copy moved before the whole ending: platforms and browsers put it before the last
    dot.
    """
    match = DIVIDED.fullmatch(name)
    if match is None or f"{match['first']}{match['last']}".casefold() not in {*TARS, SOURCE_AS_TEXT}:
        return name
    return f"{match['base']}{match['copy']}{match['first']}{match['last']}"


def is_junk(parts: tuple[str, ...]) -> bool:
    """Whether this is not the student's work, and is ignored without a remark."""
    return any(JUNK.fullmatch(part) for part in parts)


def is_backup(name: str) -> bool:
    """Whether a file is an editor's backup."""
    return BACKUP.fullmatch(name) is not None


def normal(name: str) -> str:
    """The name with its accents in one form: systems differ in that."""
    return unicodedata.normalize("NFC", name)


def is_missing(listing: Listing) -> bool:
    """Whether nothing in it could be a submission."""
    return not any(
        file.refused
        or is_source(file.name)
        or is_archive(file.name)
        or file.name == METADATA
        or ending(file.name) in OTHER_ARCHIVES
        or (len(file.parts) > 1 and ending(file.name) in TEXTS)
        for file in listing.files
    )
