"""What instructors take away: grades and sign-in links, as CSV whose cells no spreadsheet runs."""

import csv
import io
from collections.abc import Iterable, Sequence

from grader.lms.exports.sheet import BOM, harmless
from grader.protocol.text import showable
from grader.service.standing import CourseTable, Line


def grades_csv(table: CourseTable) -> bytes:
    """A line for each student: points, attempts and lateness of each assignment. No points: nothing was graded."""
    names = [each.name for each in table.assignments]
    headings = (f"{name} {what}" for name in names for what in ("points", "of", "attempts", "late"))
    return _csv([["key", "name", *headings], *(_cells(line, names) for line in table.lines)])


def links_csv(links: Iterable[tuple[str, str, str]]) -> bytes:
    """A line for each person: key, name, and the link that signs them in once."""
    return _csv([["key", "name", "link"], *links])


def _cells(line: Line, names: Sequence[str]) -> list[str]:
    cells = [line.person.key, line.person.name]
    for name in names:
        attempt = line.counting[name]
        grading = None if attempt is None else attempt.counted
        if attempt is None or grading is None:
            cells += ["", "", str(line.attempts[name]), ""]
        else:
            points = (f"{each:g}" for each in (grading.points or 0.0, grading.max_points or 0.0))
            cells += [*points, str(line.attempts[name]), "late" if name in line.late else ""]
    return cells


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([harmless(showable(cell)) for cell in row] for row in rows)
    return (BOM + text.getvalue()).encode()
