"""A grade in a few words, for a comment or a cell."""

import html
from collections.abc import Iterator

from grader.course.rubric import Kind
from grader.lms.exports.sheet import FORMULA
from grader.protocol.text import showable
from grader.reports.words import correction_in_words, deduction_in_words, score_in_words
from grader.results.gradebook import Grade, StudentRow
from grader.results.verdicts import ABOUT_THE_FILE

SIGNATURE = "grader: "
"""Start of a comment that grader has written and may replace. All other comments are an instructor's."""

MAX_SENTENCE_LENGTH = 1000
"""Maximum number of characters of a message. The report contains the rest."""


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
