"""What is kept of a file: source text, a platform's list, and what a student's own archive holds.

An archive is opened once and then dropped. What lies in an archive in it is not looked for.
"""

import io

from grader.intake.archive import list_archive
from grader.intake.listing import ARCHIVE, METADATA, OTHER_ARCHIVES, SOURCE, Budget, File, Read, RefusedError, ending
from grader.submission import SIZE_LIMIT

ARCHIVE_LIMIT = 16 * 1024 * 1024
"""Bytes of a student's own archive: source text is a thousandth of it."""

METADATA_LIMIT = 32 * 1024 * 1024
"""Bytes of a platform's own list: Gradescope's holds every student's test output."""

ASK = "ask for the .cl file, or a zip of it"


class Keeper:
    """Keeps files of what was named itself."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._inside = InnerKeeper(budget)

    def __call__(self, parts: tuple[str, ...], read: Read) -> File:
        """A file; raises RefusedError if it should be read and cannot be."""
        name = parts[-1]
        if name == METADATA:
            data = self._budget.keep(read(METADATA_LIMIT + 1))
            if len(data) > METADATA_LIMIT:
                raise RefusedError(f"is over {METADATA_LIMIT // 1024**2} MiB")
            return File(parts=parts, data=data)
        if ending(name) != ARCHIVE:
            return self._inside(parts, read)
        packed = self._budget.read(read(ARCHIVE_LIMIT + 1))
        if len(packed) > ARCHIVE_LIMIT:
            raise RefusedError(f"is over {ARCHIVE_LIMIT // 1024**2} MiB; {ASK}")
        inside = list_archive(io.BytesIO(packed), "/".join(parts), self._inside, self._budget)
        if not inside.files and not inside.unplaced:
            raise RefusedError("is an empty archive")
        return File(parts=parts, inside=inside)


class InnerKeeper:
    """Keeps files of a student's archive."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def __call__(self, parts: tuple[str, ...], read: Read) -> File:
        """A file; raises RefusedError if it should be read and cannot be."""
        name = parts[-1]
        if ending(name) in OTHER_ARCHIVES:
            raise RefusedError(f"is an archive of a kind that is not opened; {ASK}")
        if ending(name) == ARCHIVE:
            raise RefusedError(f"is an archive in an archive, which is not opened; {ASK}")
        if ending(name) == SOURCE:
            return File(parts=parts, data=self._budget.keep(read(SIZE_LIMIT + 1)))
        return File(parts=parts)
