"""Feedback to students on a platform: a grade in a few words, for a comment or a cell, and a zip of feedback files in
the form that Moodle accepts for a whole course at once.

The rules for the zip come from Moodle's importer (mod/assign/feedback/file/importziplib.php). The name of a folder
determines the student whose files are in it.
"""

import contextlib
import html
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.common.errors import InputError
from grader.course.rubric import Kind
from grader.course.submissions.handin import Remark, Student
from grader.lms.exports.sheet import FORMULA
from grader.protocol.text import showable
from grader.reports.words import correction_in_words, deduction_in_words, score_in_words
from grader.results.gradebook import Grade, StudentRow
from grader.results.verdicts import ABOUT_THE_FILE

SIGNATURE = "grader: "
"""Start of a comment that grader has written and may replace. All other comments are an instructor's."""

MAX_SENTENCE_LENGTH = 1000
"""Maximum number of characters of a message. The report contains the rest."""

UNFIT = re.compile(r'[_/\\:*?"<>|]')
"""Characters that are removed from names. Moodle takes an underscore for the end of the name, and file systems refuse
the others.
"""

UNFIT_FILE = re.compile(r'[/\\:*?"<>|\s]')

LONGEST_NAME = 60
"""Maximum number of characters of a name, each of up to four bytes. The name of a folder may have 255 bytes."""

FOLDER = "{name}_{number}_assignsubmission_file_"
"""Form of a folder's name. Moodle reads the number between the first two underscores. Releases before 4.1 need the last
underscore, too.
"""


def comment(row: StudentRow) -> str:
    """Return a comment in one line of HTML, which is the format of Moodle's comments. It contains the points in total
    and by kind (by kernel for a suite), the checks that were not made, and where to start, all as the student sees it.
    Empty without a grade.
    """
    grade = row.shown
    if grade is None or row.grade is None:
        return ""
    score = score_in_words(grade.points, grade.max_points, grade.unchecked, row.hidden_points)
    lines = [f"{SIGNATURE}{score}.", ", ".join(_shares(grade))]
    if grade.deduction is not None:
        lines.append(deduction_in_words(grade.deduction))
    if grade.correction is not None:
        lines.append(correction_in_words(grade.correction))
    first = grade.first_cause
    if first is not None:
        about = f"{first.part}: " if first.part and first.reason not in ABOUT_THE_FILE else ""
        lines.append(f"Start here: {about}{first.reason}: {first.message}"[:MAX_SENTENCE_LENGTH])
    text = "<br>".join(html.escape(" ".join(showable(line).split()), quote=False) for line in lines if line)
    return FORMULA.sub(
        lambda found: f"{found[1]}{found[2]}&#{ord(found[3])};", text
    )  # the character reference looks the same, but no spreadsheet runs it


def _shares(grade: Grade) -> Iterator[str]:
    """Yield the points of each part of the grade."""
    by_part = {part: grade.points_of_part(part) for part in grade.parts}
    shares = by_part or {kind.value: grade.points_of(kind) for kind in Kind}
    return (f"{name} {points:g} / {most:g}" for name, (points, most) in shares.items() if most)


def feedback_zip(path: Path, pages: Iterable[tuple[Student, str, bytes]]) -> tuple[Remark, ...]:
    """Write a zip for Moodle's "Upload multiple feedback files in a zip", with a folder of files for each student.

    A page consists of a student, the name of a file, and the content. Pages are requested one by one. Students without
    a participant number are left out and reported. The zip appears only when it is complete. Raises InputError if it
    cannot be written.
    """
    left_out: dict[str, Remark] = {}
    part = path.with_name(f".{path.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for student, name, data in pages:
                if student.key is None or not student.key.isdecimal():
                    why = "has no participant number, so Moodle cannot import this student's feedback."
                    left_out[student.label] = Remark(where=student.label, why=why)
                    continue
                archive.writestr(_entry(f"{_folder(student.name, student.key)}/{_visible(name)}"), data)
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}.") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    return tuple(left_out.values())


def _entry(name: str) -> zipfile.ZipInfo:
    """Return the zip entry of a file, without today's date, so that equal feedback gives an equal zip on every
    system.
    """
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
    return entry


def _folder(name: str, number: str) -> str:
    """Return the name of a student's folder. It contains no characters that separate paths or the parts of the folder's
    name.
    """
    clean = " ".join(UNFIT.sub(" ", showable(name)).split()).strip(". ")
    return FOLDER.format(name=clean[:LONGEST_NAME] or "student", number=number)


def _visible(name: str) -> str:
    """Return the name of a file in a form that Moodle does not ignore. It ignores names that start with a dot or a
    tilde.
    """
    return UNFIT_FILE.sub("-", showable(name)).lstrip(".~") or "feedback"
