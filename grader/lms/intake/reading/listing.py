"""The files in a folder or archive before they are sorted by owner: their names, functions to read them, and remarks
about them in safe text, because strangers chose the names.

Nothing is read yet, since the limit on reading depends on the owner. The cost of a listing grows only with the number
of its files.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.course.submissions.handin import Remark
from grader.protocol.text import REPLACEMENT, showable

MEMBER_LIMIT = 10_000
"""Maximum number of files in a student's own archive, which may be a working tree with everything that tools leave in
it.
"""

LISTED_LIMIT = 200_000
"""Maximum number of files in an archive that an instructor gives, enough for a thousand working trees of two hundred
files each.
"""

DEPTH_LIMIT = 32
"""Maximum depth of folders. Kernels are never deeper."""

TOO_DEEP = f"is below {DEPTH_LIMIT} folders; anything deeper is ignored"

METADATA_LIMIT = 32 * 1024 * 1024
"""Maximum number of bytes of a platform's own list. Gradescope's list contains every student's test output."""

METADATA = "submission_metadata.yml"

SOURCE, ARCHIVE = ".cl", ".zip"
SOURCE_AS_TEXT = ".cl.txt"
"""Ending of ".cl" files from browsers and systems that hide endings."""

TEXTS = (".txt", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".ocl", ".opencl", ".clc")
"""Endings of files that may contain a kernel under another name."""

TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
OTHER_ARCHIVES = (".gz", ".bz2", ".xz", ".7z", ".rar", ".zst")

DIVIDED = re.compile(
    r"(?P<base>.*)(?P<first>\.tar|\.cl)(?P<copy>\s*\([0-9]{1,9}\)|-[0-9]{1,9})(?P<last>\.[a-z0-9]+)\s*",
    re.IGNORECASE | re.DOTALL,
)
"""Matches the name of a copy whose number is inside a double ending, such as "kernels.tar-1.gz" and "kernels.cl
(2).txt".
"""

JUNK = re.compile(
    r"__MACOSX|\.DS_Store|\._.*|Thumbs\.db|desktop\.ini"  # files that systems leave behind
    r"|\.git|\.svn|\.hg|\.idea|\.vscode|__pycache__",  # files that tools keep next to the work
    re.IGNORECASE | re.DOTALL,
)

BACKUP = re.compile(r".*~|#.*#|\.#.*|.*\.(?:swp|swo|bak|orig|tmp)", re.IGNORECASE | re.DOTALL)
"""Matches the name of a file that an editor leaves behind. A folder may have such a name because of a student's name,
such as J. Bak.
"""

LENGTH = 200
"""Maximum number of characters of a path in a line. The two ends of a longer path are enough to recognise it."""

NAMES = 3
"""Maximum number of names in a line. The others are replaced by their number."""

BREAKS = re.compile("[\t\n\u2028\u2029]")


class UnreadableFileError(Exception):
    """Raised for something that is not read. The text of the error is the reason."""


Read = Callable[[int], bytes]
"""Reads a file up to this number of bytes. Raises UnreadableFileError if it cannot be read."""


@dataclass(frozen=True, kw_only=True)
class File:
    """A file with its path below the given path. `refused` is the reason why it is not read, or "" if it is."""

    parts: tuple[str, ...]
    read: Read | None = None
    refused: str = ""

    @property
    def name(self) -> str:
        """Last part of its path."""
        return self.parts[-1]


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The content of a folder or archive called `name`: its files, all folders, and the entries that could not be
    listed.
    """

    name: str
    files: tuple[File, ...]
    folders: frozenset[tuple[str, ...]] = frozenset()
    unplaced: tuple[Remark, ...] = ()

    @property
    def level(self) -> int:
        """Depth of the names that a platform gave, which is two if one folder contains everything, and one
        otherwise.
        """
        tops = {path[0] for path in (*self.folders, *(file.parts for file in self.files))}
        return 2 if len(tops) == 1 and tops <= {folder[0] for folder in self.folders} else 1

    def grouped(self, depth: int) -> dict[tuple[str, ...], list[File]]:
        """Return the files below `depth`, grouped by the first parts of their paths."""
        groups: dict[tuple[str, ...], list[File]] = {}
        for file in self.files:
            if len(file.parts) > depth:
                groups.setdefault(file.parts[:depth], []).append(file)
        return groups

    def where(self, file: File) -> str:
        """Return the file's path for messages."""
        return "/".join((self.name, *file.parts))


def ending(name: str) -> str:
    """Return the ending of a file's name in small letters, such as ".cl". The name ".cl" has the ending ".cl"."""
    _, dot, last = name.rpartition(".")
    return f".{last.casefold().strip()}" if dot else ""


def is_source(name: str) -> bool:
    """True if a file has the name of source text."""
    return _undivided(name).casefold().strip().endswith((SOURCE, SOURCE_AS_TEXT))


def is_tar(name: str) -> bool:
    """True if a file has the name of a tar."""
    return _undivided(name).casefold().strip().endswith(TARS)


def is_archive(name: str) -> bool:
    """True if a file has the name of an archive that is opened."""
    return ending(name) == ARCHIVE or is_tar(name)


def stem(name: str) -> str:
    """Return a file's name without ".cl" or the ending of an archive. The number of a copy stays."""
    plain = _undivided(name).rstrip()
    endings = (SOURCE_AS_TEXT, SOURCE, ARCHIVE, *sorted(TARS, key=len, reverse=True), *OTHER_ARCHIVES)
    found = next((each for each in endings if plain.casefold().endswith(each)), "")
    return (
        plain[: -len(found)] if found else name
    )  # counted from the end, because "\u0130pek" is longer in small letters


def _undivided(name: str) -> str:
    """Return the name with the number of a copy moved in front of the whole ending, because platforms and browsers put
    it before the last dot.
    """
    match = DIVIDED.fullmatch(name)
    if match is None or f"{match['first']}{match['last']}".casefold() not in {*TARS, SOURCE_AS_TEXT}:
        return name
    return f"{match['base']}{match['copy']}{match['first']}{match['last']}"


def is_junk(parts: tuple[str, ...]) -> bool:
    """True if this is not the student's work. It is ignored without a remark."""
    return any(JUNK.fullmatch(part) for part in parts)


def is_backup(name: str) -> bool:
    """True if a file is an editor's backup."""
    return BACKUP.fullmatch(name) is not None


def normal(name: str) -> str:
    """Return the name with its accents in one form, since systems differ in this."""
    return unicodedata.normalize("NFC", name)


def is_missing(listing: Listing) -> bool:
    """True if nothing in the listing could be a submission."""
    return not any(
        file.refused
        or is_source(file.name)
        or is_archive(file.name)
        or file.name == METADATA
        or ending(file.name) in OTHER_ARCHIVES
        or (len(file.parts) > 1 and ending(file.name) in TEXTS)
        for file in listing.files
    )


def one_line(text: str) -> str:
    """Return the text on one line. Characters that could break out of the line are replaced, and a long text loses its
    middle.
    """
    shown = BREAKS.sub(REPLACEMENT, showable(text))
    half = LENGTH // 2
    return shown if len(shown) <= LENGTH else f"{shown[:half]}...{shown[-half:]}"


def remark(where: str | Sequence[str], why: str) -> Remark:
    """Return a remark on one path, or on several paths together."""
    wheres = [where] if isinstance(where, str) else list(where)
    named = ", ".join(one_line(each) for each in wheres[:NAMES])
    more = f" and {len(wheres) - NAMES} more" if len(wheres) > NAMES else ""
    return Remark(where=named + more, why=BREAKS.sub(REPLACEMENT, showable(why)))
