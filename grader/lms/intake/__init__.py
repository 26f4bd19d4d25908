"""Turns a path that an instructor gives into gradable work: folders, archives, downloads from platforms, checkouts.

path -> Listing (folder, archive) -> Sorted by owner (a shape) -> files opened, the latest chosen -> Intake
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from grader.common.errors import InputError
from grader.course.submissions.handin import Intake
from grader.course.submissions.submission import FILE_NAME
from grader.course.suite import Coursework
from grader.lms.intake.choosing import place
from grader.lms.intake.owners import Owner, Sorted
from grader.lms.intake.platforms import by_assignment, students
from grader.lms.intake.reading import checkouts
from grader.lms.intake.reading.archive import list_archive
from grader.lms.intake.reading.folder import list_folder
from grader.lms.intake.reading.listing import ARCHIVE, LISTED_LIMIT, Listing, UnreadableFileError, ending, is_missing
from grader.lms.intake.roster import enrolled
from grader.lms.platforms import PLATFORMS, Shape

DOWNLOADS: dict[str, Shape] = {each.download: each.intake() for each in PLATFORMS}
"""Downloads from platforms. A zip may contain several of them, for example if an instructor has several groups."""

SHAPES: dict[str, Shape] = {
    **DOWNLOADS,
    "a folder for each assignment": by_assignment,
    "a folder or file for each student": students,
}
"""Shapes by name. The first one that recognises a listing sorts it."""

CHECKOUTS = "a list of checkouts"

NESTED_LIMIT = 512 * 1024 * 1024
"""Maximum number of bytes of a download within a zip, since it is read as a whole."""


def take_all(paths: Sequence[Path], assignments: tuple[Coursework, ...], roster: tuple[Owner, ...] = ()) -> Intake:
    """Read all gradable work in folders, zips and CSVs of checkouts. Problems in submissions become remarks.

    If a student has work in several paths, the later one counts. The result includes all students on the roster, even
    those who have not handed in anything.

    Raises InputError if a path is of another kind, cannot be read at all, or contains nothing that looks like a
    submission.
    """
    with ExitStack() as being_read:
        sources = [source for path in paths for source in _sources(path, assignments, being_read)]
        found = tuple(enrolled(everything, roster) for _, everything in sources)
        return place(" and ".join(dict.fromkeys(name for name, _ in sources)), found, assignments)


def _sources(path: Path, assignments: tuple[Coursework, ...], being_read: ExitStack) -> Iterable[tuple[str, Sorted]]:
    """Return each source in a path with the name of its shape. A path with downloads from platforms may have
    several.
    """
    if path.suffix.casefold() == ".csv":
        return [(CHECKOUTS, checkouts.sort(path, assignments))]
    listing = _list(path, being_read)
    if is_missing(listing):
        raise InputError(f"{path} contains no submissions: it has neither NAME/{FILE_NAME} nor NAME.cl.")
    name = next(name for name, shape in SHAPES.items() if shape.recognises(listing, assignments))
    several = name not in DOWNLOADS and len(listing.files) > 1  # otherwise, it may be the hand-in of one student
    inside = list(_downloads_in(listing, assignments)) if several else []
    if inside and len(inside) == len(listing.files):
        return [(name, _sorted(name, each, assignments)) for name, each in inside]
    return [(name, _sorted(name, listing, assignments))]


def _sorted(name: str, listing: Listing, assignments: tuple[Coursework, ...]) -> Sorted:
    found = SHAPES[name].sort(listing, assignments)
    return Sorted(piles=found.piles, unplaced=(*listing.unplaced, *found.unplaced), remarks=found.remarks)


def _downloads_in(listing: Listing, assignments: tuple[Coursework, ...]) -> Iterator[tuple[str, Listing]]:
    """Yield the downloads from platforms among the files, each with the name of its shape. Stops at the first other
    file.
    """
    for file in listing.files:
        if file.read is None or ending(file.name) != ARCHIVE or len(file.parts) > listing.level:
            return
        try:
            data = file.read(NESTED_LIMIT + 1)
            inside = list_archive(io.BytesIO(data), listing.where(file), LISTED_LIMIT)
        except UnreadableFileError:
            return
        name = next((name for name, shape in DOWNLOADS.items() if shape.recognises(inside, assignments)), None)
        if name is None or len(data) > NESTED_LIMIT:
            return
        yield name, inside


def _list(path: Path, being_read: ExitStack) -> Listing:
    try:
        if path.is_dir():
            return list_folder(path)
        return list_archive(being_read.enter_context(path.open("rb")), path.name, LISTED_LIMIT)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnreadableFileError as error:
        raise InputError(
            f"{path} {error}. Give a folder of submissions, a zip of them, or a CSV of checkouts."
        ) from error
