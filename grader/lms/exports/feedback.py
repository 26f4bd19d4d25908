"""A grade in a few words, for a comment or a cell."""

import html
from collections.abc import Iterator

from grader.lms.exports.sheet import FORMULA
from grader.protocol.text import showable
from grader.reports.words import correction_in_words, deduction_in_words, score_in_words
from grader.results.gradebook import Grade, StudentRow
from grader.results.result import Kind

SIGNATURE = "grader: "
"""A comment that starts so is ours and may be replaced; an instructor wrote any other."""

LONGEST = 1000
"""Characters of a message; the report has the rest."""


def comment(row: StudentRow) -> str:
    """A comment of one line of HTML, which is what Moodle takes comments for: points, in all and by kind (of a suite by
    kernel), what was not checked, and where to start; all as the student is shown it. "" if there is no grade.
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
        about = f"{first.part}: " if first.part else ""
        lines.append(f"Start here: {about}{first.reason}: {first.message}"[:LONGEST])
    text = "<br>".join(html.escape(" ".join(showable(line).split()), quote=False) for line in lines if line)
    return FORMULA.sub(
        lambda found: f"{found[1]}{found[2]}&#{ord(found[3])};", text
    )  # reads the same, and runs nowhere


def _shares(grade: Grade) -> Iterator[str]:
    """Points of whatever the grade is made of."""
    by_part = {part: grade.points_of_part(part) for part in grade.parts}
    shares = by_part or {kind.value: grade.points_of(kind) for kind in Kind}
    return (f"{name} {points:g} / {most:g}" for name, (points, most) in shares.items() if most)
