"""From what an instructor names to what can be graded: folders, archives, downloads of platforms, checkouts.

path -> Listing (folder, archive) -> Sorted by owner (a shape) -> files opened, the latest chosen -> Intake
"""

from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from grader.common.errors import InputError
from grader.course.submissions.handin import Intake
from grader.course.submissions.submission import FILE_NAME
from grader.course.suite import Coursework
from grader.lms.intake.assemble import place
from grader.lms.intake.owners import Owner, Sorted
from grader.lms.intake.platforms import by_assignment, canvas, gradescope, moodle, students
from grader.lms.intake.reading import checkouts
from grader.lms.intake.reading.archive import list_archive
from grader.lms.intake.reading.folder import list_folder
from grader.lms.intake.reading.listing import LISTED_LIMIT, Listing, RefusedError, is_missing
from grader.lms.intake.roster import enrolled


class Shape(Protocol):
    """One way in which submissions lie in a folder or an archive: a module with these functions."""

    def recognises(self, listing: Listing, assignments: tuple[Coursework, ...], /) -> bool:
        """Whether they lie in this way."""

    def sort(self, listing: Listing, assignments: tuple[Coursework, ...], /) -> Sorted:
        """Sort the files by owner; raises InputError if the list of owners is broken."""


MOODLE = "a download from Moodle"

SHAPES: dict[str, Shape] = {
    "an export from Gradescope": gradescope,
    MOODLE: moodle,
    "a download from Canvas": canvas,
    "a folder for each assignment": by_assignment,
    "a folder or file for each student": students,
}
"""The shapes by name; the first that recognises a listing sorts it."""

CHECKOUTS = "a list of checkouts"


def take_in(path: Path, assignments: tuple[Coursework, ...], roster: tuple[Owner, ...] = ()) -> Intake:
    """Everything that can be graded in a folder, a zip or a CSV of checkouts; problems in submissions become remarks.

    Everybody of the roster is in it, also with nothing handed in.

    Raises InputError if it is none of these, cannot be read at all, or holds nothing that looks like a submission.
    """
    if path.suffix.casefold() == ".csv":
        return place(CHECKOUTS, enrolled(checkouts.sort(path, assignments), roster), assignments)
    with ExitStack() as being_read:
        listing = _list(path, being_read)
        if is_missing(listing):
            raise InputError(f"{path} holds no submissions: neither NAME/{FILE_NAME} nor NAME.cl.")
        name, shape = next((name, shape) for name, shape in SHAPES.items() if shape.recognises(listing, assignments))
        found = shape.sort(listing, assignments)
        everything = Sorted(piles=found.piles, unplaced=(*listing.unplaced, *found.unplaced), remarks=found.remarks)
        return place(name, enrolled(everything, roster), assignments)


def _list(path: Path, being_read: ExitStack) -> Listing:
    try:
        if path.is_dir():
            return list_folder(path)
        return list_archive(being_read.enter_context(path.open("rb")), path.name, LISTED_LIMIT)
    except FileNotFoundError:
        raise InputError(f"there is no {path}; check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except RefusedError as error:
        raise InputError(
            f"{path} {error}. Name a folder of submissions, a zip of them, or a CSV of checkouts."
        ) from error
