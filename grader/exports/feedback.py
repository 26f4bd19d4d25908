"""A grade in a few words, for a comment or a cell."""

import html

from grader.gradebook import Grade
from grader.result import Kind
from grader.text import showable

SIGNATURE = "grader: "
"""A comment that starts so is ours and may be replaced; any other is somebody's."""

LONGEST = 1000
"""Characters of a message; the report has the rest."""


def comment(grade: Grade) -> str:
    """A comment of one line of HTML, which is what Moodle takes comments for: points, in all and by kind, and where to
    start.
    """
    parts = [(kind, *grade.points_of(kind)) for kind in Kind]
    by_kind = ", ".join(f"{kind.value} {points:g} / {most:g}" for kind, points, most in parts if most)
    lines = [f"{SIGNATURE}{grade.points:g} of {grade.max_points:g} points.", by_kind]
    first = grade.first_cause
    if first is not None:
        lines.append(f"Start here: {first.reason}: {first.message}"[:LONGEST])
    return "<br>".join(html.escape(" ".join(showable(line).split()), quote=False) for line in lines if line)
