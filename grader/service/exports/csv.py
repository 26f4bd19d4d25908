"""CSV files for instructors: points, sign-in links and the audit trail. Cells are escaped so that spreadsheets do not
run them as formulas.
"""

import csv
import io
from collections.abc import Iterable, Sequence

from grader.lms.exports.sheet import BOM, harmless
from grader.protocol.text import showable
from grader.service.db.tables.audit import AuditRow
from grader.service.grades.overview import CourseLine, CourseTable

FIELDS = "points", "of", "attempts", "late", "why"
"""The columns of an assignment. `points` are the points that count. `why` explains a deduction or a correction, or
states that the student is excused or that every attempt is excluded.
"""


def points_csv(table: CourseTable) -> bytes:
    """CSV file with a line for each student. Empty points mean that no attempt was graded."""
    names = [each.name for each in table.assignments]
    headings = (f"{name} {what}" for name in names for what in FIELDS)
    return _csv([["key", "name", *headings], *(_cells(line, names) for line in table.lines)])


def links_csv(links: Iterable[tuple[str, str, str]]) -> bytes:
    """CSV file with a line for each person: key, name, and the link that signs them in once."""
    return _csv([["key", "name", "link"], *links])


def audit_lines_csv(lines: Iterable[AuditRow]) -> bytes:
    """CSV line for each line of the audit trail, without headings."""
    return _rows(
        [each.at.isoformat(), "station" if each.by_station else "person", each.who, each.what] for each in lines
    )


def _cells(line: CourseLine, names: Sequence[str]) -> list[str]:
    cells = [line.person.key, line.person.name]
    for name in names:
        grade = line.grades[name]
        points = ("", "") if grade.points is None else (f"{grade.points:g}", f"{grade.most:g}")
        why = grade.in_words or ("every attempt is excluded" if grade.is_excluded else "")
        cells += [*points, str(grade.attempts), "late" if grade.late else "", why]
    return cells


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    return BOM.encode() + _rows(rows)


def _rows(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([harmless(showable(cell)) for cell in row] for row in rows)
    return text.getvalue().encode()


AUDIT_HEADINGS = _csv([["time", "by", "who", "what"]])
"""The first line of the audit trail's file."""
