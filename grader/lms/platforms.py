"""The learning platforms, each with the modules that read its download and fill in its files.

All code that names platforms iterates over PLATFORMS: detection, options of `grader batch`, files for upload. A module
is loaded only when it is used, so that `grader --help` answers at once.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from grader.course.submissions.handin import Remark, Student
    from grader.course.suite import Coursework
    from grader.lms.exports.columns import Filled
    from grader.lms.exports.sheet import Sheet
    from grader.lms.intake.owners import Owner, Sorted
    from grader.lms.intake.reading.listing import Listing
    from grader.results.gradebook import Gradebook


class Shape(Protocol):
    """A layout of submissions in a folder or an archive: a module of intake/platforms/."""

    def recognises(self, listing: "Listing", assignments: "tuple[Coursework, ...]", /) -> bool:
        """True if the files have this layout."""

    def sort(self, listing: "Listing", assignments: "tuple[Coursework, ...]", /) -> "Sorted":
        """Sort the files by owner; raises InputError if the list of owners is broken."""


class Upload(Protocol):
    """A file that a platform has exported. A copy of it gets the grades, and the platform imports the copy."""

    @property
    def name(self) -> str:
        """Name of the copy: the option's name and .csv."""

    def roster(self) -> "tuple[Owner, ...]":
        """Return all students of the course."""

    def late(self) -> frozenset[str]:
        """Return the keys of students who were late, if only this file states it."""

    def submitted(self) -> "dict[str, datetime]":
        """Return the times of handing in by key, if only this file states them."""

    def fill(self, book: "Gradebook") -> "Filled":
        """Fill in the grades; raises InputError if the file has no place for them."""


class Export(Protocol):
    """The grades of one platform: a module of exports/."""

    def upload(self, sheet: "Sheet", columns: Mapping[str, str], /) -> Upload:
        """Return the file to fill; `columns` has the headings that the instructor gave, by their options' names."""


@dataclass(frozen=True, kw_only=True)
class GradeFile:
    """A platform's file that gets grades: its option with the help, and the options for unknown columns."""

    option: str
    help: str
    columns: Mapping[str, str]
    export: Callable[[], Export]


@dataclass(frozen=True, kw_only=True)
class FeedbackFile:
    """A file with the pages of all students, for import by a platform: its name, and the function that writes it."""

    name: str
    write: "Callable[[Path, Iterable[tuple[Student, str, bytes]]], tuple[Remark, ...]]"


@dataclass(frozen=True, kw_only=True)
class LearningPlatform:
    """A platform; `download` is the name of its download in messages."""

    name: str
    download: str
    intake: Callable[[], Shape]
    grades: GradeFile | None = None
    feedback: FeedbackFile | None = None


def _gradescope_intake() -> Shape:
    from grader.lms.intake.platforms import gradescope

    return gradescope


def _moodle_intake() -> Shape:
    from grader.lms.intake.platforms import moodle

    return moodle


def _moodle_export() -> Export:
    from grader.lms.exports import moodle

    return moodle


def _moodle_feedback(path: "Path", pages: "Iterable[tuple[Student, str, bytes]]") -> "tuple[Remark, ...]":
    from grader.lms.exports.feedback_zip import feedback_zip

    return feedback_zip(path, pages)


def _canvas_intake() -> Shape:
    from grader.lms.intake.platforms import canvas

    return canvas


def _canvas_export() -> Export:
    from grader.lms.exports import canvas

    return canvas


FEEDBACK = "moodle-feedback.zip"

PLATFORMS: tuple[LearningPlatform, ...] = (
    LearningPlatform(name="Gradescope", download="an export from Gradescope", intake=_gradescope_intake),
    LearningPlatform(
        name="Moodle",
        download="a download from Moodle",
        intake=_moodle_intake,
        grades=GradeFile(
            option="moodle_worksheet",
            help="Moodle's grading worksheet, to copy and fill.",
            columns={
                "moodle_grade_column": "Its column of grades, if not known.",
                "moodle_feedback_column": "Its column of comments, if not known.",
            },
            export=_moodle_export,
        ),
        feedback=FeedbackFile(name=FEEDBACK, write=_moodle_feedback),
    ),
    LearningPlatform(
        name="Canvas",
        download="a download from Canvas",
        intake=_canvas_intake,
        grades=GradeFile(
            option="canvas_gradebook",
            help="Canvas's gradebook, to copy and fill.",
            columns={"canvas_column": "Its column of the assignment, if not known."},
            export=_canvas_export,
        ),
    ),
)
"""Platforms in the order of detection: the first one that recognises a download sorts it."""
