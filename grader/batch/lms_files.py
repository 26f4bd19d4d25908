"""Files for an instructor to upload: edited copies of what a platform gave, and feedback in the shape that it takes.

RESULTS/moodle-worksheet.csv     a copy of the grading worksheet, with grades and comments
RESULTS/moodle-feedback.zip      the page of every submission, for "Upload multiple feedback files in a zip"
RESULTS/canvas-gradebook.csv     a copy of the exported gradebook, with scores
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from grader.batch.outputs import Outputs
from grader.common.errors import InputError
from grader.common.files import read_bytes
from grader.common.optional import Fault, attempt
from grader.course.submissions.handin import Remark, Student
from grader.lms.exports.canvas import BY_OPTION, canvas_gradebook, students
from grader.lms.exports.columns import Filled
from grader.lms.exports.feedback_zip import feedback_zip
from grader.lms.exports.moodle import BY_OPTIONS, Remedies, late, moodle_worksheet, participants, submitted
from grader.lms.exports.sheet import Sheet, read_sheet
from grader.lms.intake import MOODLE
from grader.lms.intake.owners import Owner
from grader.results.gradebook import Gradebook, StudentRow, for_students, totals

FEEDBACK = "moodle-feedback.zip"

NOT_RELEASED = "its grades leave out hidden checks, which count as zero; with --release they are complete."


@dataclass(frozen=True, kw_only=True)
class MoodleWorksheet:
    """A grading worksheet as Moodle gave it, the columns to fill where their headings are not known, and what to do
    where one is not named.
    """

    sheet: Sheet
    grade_column: str | None = None
    feedback_column: str | None = None
    remedies: Remedies = BY_OPTIONS
    name: str = "moodle-worksheet.csv"

    def roster(self) -> tuple[Owner, ...]:
        """Everybody in the course."""
        return tuple(Owner(name=name, key=key) for name, key in participants(self.sheet))

    def late(self) -> frozenset[str]:
        """The keys of those who were late: a download from Moodle does not tell."""
        return late(self.sheet)

    def submitted(self) -> dict[str, datetime]:
        """By key, when work was handed in."""
        return submitted(self.sheet)

    def fill(self, book: Gradebook) -> Filled:
        """Fill in points: of a batch of several assignments the sum, since a worksheet is about one."""
        rows = totals(book) if len(book.assignments) > 1 else book.rows
        return moodle_worksheet(self.sheet, rows, self.grade_column, self.feedback_column, self.remedies)


@dataclass(frozen=True, kw_only=True)
class CanvasGradebook:
    """A gradebook as Canvas exported it; `column` names the assignment's column if its heading does not, and `remedy`
    is what to do where it is not named.
    """

    sheet: Sheet
    column: str | None = None
    remedy: str = BY_OPTION
    name: str = "canvas-gradebook.csv"

    def roster(self) -> tuple[Owner, ...]:
        """Everybody in the course."""
        return tuple(Owner(name=name, key=key) for name, key in students(self.sheet))

    def late(self) -> frozenset[str]:
        """Nobody: Canvas says it in the download."""
        return frozenset()

    def submitted(self) -> dict[str, datetime]:
        """Nothing: Canvas does not tell."""
        return {}

    def fill(self, book: Gradebook) -> Filled:
        """Fill in the scores of each assignment, in its own column."""
        if self.column is not None and len(book.assignments) > 1:
            raise InputError("--canvas-column names one column for several assignments: grade one at a time.")
        filled = Filled(data=self.sheet.filled({}), grades=0, remarks=())
        for assignment in book.assignments:
            one = canvas_gradebook(read_sheet(self.sheet.name, filled.data), book, assignment, self.column, self.remedy)
            remarks = (*filled.remarks, *one.remarks)
            filled = Filled(data=one.data, grades=filled.grades + one.grades, remarks=remarks)
        return filled


Upload = MoodleWorksheet | CanvasGradebook
"""A file that a platform gave, to be filled in."""


def read_upload(path: Path) -> Sheet:
    """A file that is to be filled in; raises InputError if it cannot be."""
    return read_sheet(path.name, read_bytes(path))


def write_uploads(uploads: Iterable[Upload], book: Gradebook, outputs: Outputs) -> tuple[Remark, ...]:
    """Write them; what the instructor should know before uploading. Students see them, so nothing in them tells how
    hidden checks went.
    """
    remarks: list[Remark] = []
    public = for_students(book)
    for upload in uploads:
        filled = attempt(f"the file {upload.name}", partial(_filled, upload, public, outputs))
        if isinstance(filled, Fault):
            remarks.append(Remark(where=upload.name, why=filled.sentence))
            continue
        remarks += filled.remarks
        if any(row.hidden_points for row in book.rows):
            remarks.append(Remark(where=upload.name, why=NOT_RELEASED))
    if book.shape == MOODLE:
        zipped = attempt(f"the file {FEEDBACK}", lambda: _zipped(book, outputs))
        remarks += [Remark(where=FEEDBACK, why=zipped.sentence)] if isinstance(zipped, Fault) else zipped
    return tuple(remarks)


def _filled(upload: Upload, book: Gradebook, outputs: Outputs) -> Filled:
    filled = upload.fill(book)
    outputs.write(upload.name, filled.data)
    return filled


def _zipped(book: Gradebook, outputs: Outputs) -> tuple[Remark, ...]:
    with outputs.making(FEEDBACK) as path:
        return feedback_zip(path, _pages(book.rows, outputs))


def _pages(rows: tuple[StudentRow, ...], outputs: Outputs) -> Iterator[tuple[Student, str, bytes]]:
    for row in rows:
        name = f"{row.assignment}.html"
        path = outputs.path(f"students/{row.student.label}/{name}")
        if row.grade is not None and row.where and path.is_file():  # a missing page is reported elsewhere
            yield row.student, name, path.read_bytes()
