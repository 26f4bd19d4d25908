"""Makes files for an instructor to upload: filled-in copies of a platform's files, and feedback in the platform's
format.

RESULTS/moodle-worksheet.csv     a copy of the grading worksheet, with grades and comments
RESULTS/moodle-feedback.zip      the page of every submission, for "Upload multiple feedback files in a zip"
RESULTS/canvas-gradebook.csv     a copy of the exported gradebook, with scores

lms/platforms.py lists the files of each platform.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.batch.outputs import Outputs
from grader.common.files import read_bytes
from grader.common.optional import OptionalWork
from grader.course.submissions.handin import Remark, Student
from grader.lms.exports.columns import Filled
from grader.lms.exports.sheet import read_sheet
from grader.lms.platforms import PLATFORMS, FeedbackFile, GradeFile, Upload
from grader.results.gradebook import Gradebook, StudentRow, for_students

NOT_RELEASED = "its grades leave out hidden checks, which count as zero; with --release they are complete."


def read_uploads(options: Mapping[str, Any]) -> tuple[Upload, ...]:
    """Read the files that are to be filled and uploaded. Raises InputError if one of them cannot be read."""
    return tuple(
        _read(grades, options)
        for grades in (each.grades for each in PLATFORMS)
        if grades is not None and grades.option in options
    )


def _read(grades: GradeFile, options: Mapping[str, Any]) -> Upload:
    path: Path = options[grades.option]
    columns = {name: options[name] for name in grades.columns if name in options}
    return grades.export().upload(read_sheet(path.name, read_bytes(path)), columns)


def write_uploads(uploads: Iterable[Upload], book: Gradebook, outputs: Outputs) -> tuple[Remark, ...]:
    """Write the files for upload. Return remarks that the instructor should read before uploading. Students see these
    files, so they must not reveal the results of hidden checks.
    """
    remarks: list[Remark] = []
    public = for_students(book)
    for upload in uploads:
        with OptionalWork(f"the file {upload.name}") as work:
            remarks += _filled(upload, public, outputs).remarks
            if any(row.hidden_points for row in book.rows):
                remarks.append(Remark(where=upload.name, why=NOT_RELEASED))
            continue
        remarks.append(Remark(where=upload.name, why=work.fault.sentence))
    for feedback in (each.feedback for each in PLATFORMS if each.download == book.shape):
        if feedback is not None:
            remarks += _write_feedback(feedback, book, outputs)
    return tuple(remarks)


def _filled(upload: Upload, book: Gradebook, outputs: Outputs) -> Filled:
    filled = upload.fill(book)
    outputs.write(upload.name, filled.data)
    return filled


def _write_feedback(feedback: FeedbackFile, book: Gradebook, outputs: Outputs) -> tuple[Remark, ...]:
    with OptionalWork(f"the file {feedback.name}") as work, outputs.making(feedback.name) as path:
        return feedback.write(path, _pages(book.rows, outputs))
    return (Remark(where=feedback.name, why=work.fault.sentence),)


def _pages(rows: tuple[StudentRow, ...], outputs: Outputs) -> Iterator[tuple[Student, str, bytes]]:
    for row in rows:
        name = f"{row.assignment}.html"
        path = outputs.path(f"students/{row.student.label}/{name}")
        if row.grade is not None and row.where and path.is_file():  # a missing page is reported elsewhere
            yield row.student, name, path.read_bytes()
