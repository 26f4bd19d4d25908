"""The learning platforms, each with the modules that read its download and fill in its files.

All code that lists platforms iterates over PLATFORMS: detection, options of `grader batch`, files for upload, and
exports of the service. A module is loaded only when it is used, so that `grader --help` answers at once.
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
    """A layout of submissions in a folder or archive. It is a module in intake/platforms/."""

    def recognises(self, listing: "Listing", assignments: "tuple[Coursework, ...]", /) -> bool:
        """True if the files have this layout."""

    def sort(self, listing: "Listing", assignments: "tuple[Coursework, ...]", /) -> "Sorted":
        """Sort the files by owner. Raises InputError if the list of owners is damaged."""


class Upload(Protocol):
    """A file that a platform has exported. The grades are written into a copy, which the platform imports."""

    @property
    def name(self) -> str:
        """Name of the copy, which is the name of the option with the ending .csv."""

    def roster(self) -> "tuple[Owner, ...]":
        """Return all students of the course."""

    def late(self) -> frozenset[str]:
        """Return the keys of students who were late, if this is known only from this file."""

    def submitted(self) -> "dict[str, datetime]":
        """Return the time at which each student handed in, by key, if this is known only from this file."""

    def fill(self, book: "Gradebook") -> "Filled":
        """Fill in the grades. Raises InputError if the file has no place for them."""


class Export(Protocol):
    """The grades of one platform. It is a module in exports/."""

    def upload(self, sheet: "Sheet", columns: Mapping[str, str], /) -> Upload:
        """Return the file to fill. `columns` contains the headings that the instructor gave, by the names of their
        options.
        """

    def from_page(self, sheet: "Sheet", /) -> Upload:
        """Return the file to fill that was uploaded on a page. Its messages do not mention options, since a page has
        none.
        """


@dataclass(frozen=True, kw_only=True)
class GradeFile:
    """A platform's file for grades: its name, its option, and the options for unknown columns."""

    name: str
    option: str
    columns: Mapping[str, str]
    export: Callable[[], Export]

    @property
    def help(self) -> str:
        """Help text for the option."""
        return f"{self.name} to copy and fill in."

    @property
    def kind(self) -> str:
        """Kind of file, such as "worksheet". It is the name of the option without the platform's name."""
        return self.option.partition("_")[2].replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class FeedbackFile:
    """A file with the pages of all students that a platform can import: its name, and the function that writes it."""

    name: str
    write: "Callable[[Path, Iterable[tuple[Student, str, bytes]]], tuple[Remark, ...]]"


@dataclass(frozen=True, kw_only=True)
class LearningPlatform:
    """A platform. `download` is the name of its download in messages."""

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
    from grader.lms.exports.feedback import feedback_zip

    return feedback_zip(path, pages)


def _canvas_intake() -> Shape:
    from grader.lms.intake.platforms import canvas

    return canvas


def _canvas_export() -> Export:
    from grader.lms.exports import canvas

    return canvas


PLATFORMS: tuple[LearningPlatform, ...] = (
    LearningPlatform(name="Gradescope", download="an export from Gradescope", intake=_gradescope_intake),
    LearningPlatform(
        name="Moodle",
        download="a download from Moodle",
        intake=_moodle_intake,
        grades=GradeFile(
            name="Moodle's grading worksheet",
            option="moodle_worksheet",
            columns={
                "moodle_grade_column": "Heading of its column for grades, if not recognised.",
                "moodle_feedback_column": "Heading of its column for comments, if not recognised.",
            },
            export=_moodle_export,
        ),
        feedback=FeedbackFile(name="moodle-feedback.zip", write=_moodle_feedback),
    ),
    LearningPlatform(
        name="Canvas",
        download="a download from Canvas",
        intake=_canvas_intake,
        grades=GradeFile(
            name="Canvas's gradebook",
            option="canvas_gradebook",
            columns={"canvas_column": "Heading of its column for the assignment, if not recognised."},
            export=_canvas_export,
        ),
    ),
)
"""Platforms in the order of detection. The first one that recognises a download sorts it."""
