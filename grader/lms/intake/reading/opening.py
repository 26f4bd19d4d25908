"""Opens an owner's files, which are source texts and archives, within a budget for each owner.

An archive is opened once and then dropped. Archives within archives are not opened.
"""

import io
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from grader.course.submissions.submission import FILE_NAME, SIZE_LIMIT, UTF16_MARKS
from grader.lms.intake.owners import Piece
from grader.lms.intake.reading.archive import list_archive
from grader.lms.intake.reading.listing import (
    MEMBER_LIMIT,
    OTHER_ARCHIVES,
    TEXTS,
    Listing,
    Read,
    UnreadableFileError,
    ending,
    is_archive,
    is_source,
    is_tar,
)
from grader.lms.intake.reading.tarball import list_tar

ARCHIVE_LIMIT = 16 * 1024 * 1024
"""Maximum number of bytes of a student's own archive. Source text is a thousandth of this."""

READ_LIMIT = 64 * 1024 * 1024
"""Maximum number of bytes that are read for one student, enough for the largest archives and the source text in
them.
"""

ASK = "ask for the .cl file, or a zip or tar of it"


class Budget:
    """The number of bytes that may still be read for one student."""

    def __init__(self) -> None:
        self._left = READ_LIMIT

    def read(self, read: Read, limit: int) -> bytes:
        """Return the file's content, cut off one byte after the limit. Raises UnreadableFileError if the budget is used
        up.
        """
        if self._left < 0:
            raise UnreadableFileError(f"is not read: this student's files are over {READ_LIMIT // 1024**2} MiB; {ASK}")
        data = read(limit + 1)
        self._left -= len(data)
        return data


def opened(pieces: tuple[Piece, ...], budget: Budget) -> Iterator[Piece]:
    """Yield the files of one student: sources with their data, and the members of archives in place of the archives.

    Files with the requested name come first, and files that may be source text under another name come last, so that
    the most important files get their share of the budget.
    """
    for each in sorted(pieces, key=_turn):
        try:
            yield from _opened(each, budget)
        except UnreadableFileError as error:
            yield replace(each, refused=str(error))


def _opened(each: Piece, budget: Budget) -> Iterator[Piece]:
    if each.read is None or each.refused or not is_archive(each.parts[-1]):
        yield _with_text(each, budget)
        return
    packed = budget.read(each.read, ARCHIVE_LIMIT)
    if len(packed) > ARCHIVE_LIMIT:
        raise UnreadableFileError(f"is over {ARCHIVE_LIMIT // 1024**2} MiB; {ASK}")
    if is_tar(each.parts[-1]):
        inside = list_tar(packed, each.where, MEMBER_LIMIT)
    else:
        inside = list_archive(io.BytesIO(packed), each.where, MEMBER_LIMIT)
    if not inside.files and not inside.unplaced:
        raise UnreadableFileError("is an empty archive")
    yield from opened(tuple(_members(each, inside)), budget)


def _members(archive: Piece, inside: Listing) -> Iterator[Piece]:
    for file in inside.files:
        nested = "is an archive in an archive, which is not opened; " + ASK if is_archive(file.name) else ""
        parts, where = (*archive.parts, *file.parts), "/".join((archive.where, *file.parts))
        yield replace(archive, parts=parts, where=where, read=file.read, refused=file.refused or nested)
    for slip in inside.unplaced:
        yield replace(archive, where=slip.where, read=None, refused=slip.why)


def _with_text(each: Piece, budget: Budget) -> Piece:
    if each.read is None or each.refused:
        return each
    if is_source(each.parts[-1]):
        return replace(each, data=_utf8(budget.read(each.read, SIZE_LIMIT)))
    if ending(each.parts[-1]) in OTHER_ARCHIVES:
        raise UnreadableFileError(f"is an archive of a kind that is not opened; {ASK}")
    with suppress(UnreadableFileError):
        if _is_text(each):
            return replace(each, data=_utf8(budget.read(each.read, SIZE_LIMIT)))
    return each


def _turn(each: Piece) -> int:
    """Return the position of a file in the order in which files are read."""
    if each.parts[-1].casefold() == FILE_NAME:
        return 0
    return 2 if _is_text(each) else 1


def _is_text(each: Piece) -> bool:
    return ending(each.parts[-1]) in TEXTS and not is_source(each.parts[-1])


def _utf8(data: bytes) -> bytes:
    """Convert UTF-16, which some editors on Windows write, to UTF-8. Other data is returned unchanged."""
    if not data.startswith(UTF16_MARKS) or len(data) > SIZE_LIMIT:
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeError:
        return data
