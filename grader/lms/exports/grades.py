"""All grades of a batch as one table, for spreadsheets and scripts."""

import csv
import io
from decimal import Decimal

from grader.course.rubric import Kind
from grader.lms.exports.sheet import BOM, harmless
from grader.protocol.text import showable
from grader.results.gradebook import Gradebook, StudentRow

KINDS = tuple(kind for kind in Kind if kind is not Kind.PRACTICE)
"""Kinds of checks that can earn points."""

COLUMNS = (
    *("label", "name", "key", "assignment", "status", "points", "max_points", "percent", "unchecked", "late"),
    *(kind.value for kind in KINDS),
    *("correction", "correction_comment"),
    *("first_reason", "unchecked_reason", "rate", "unit", "fraction_of_reference", "same_as", "where", "fault"),
)

LATE_COLUMNS = ("points_before_deduction", "deduction", "deduction_reason")
"""Columns for the cost of lateness, at the end of a row. They exist only if the course deducts points for lateness."""

PART_COLUMNS = ("points", "rate", "unit", "fraction_of_reference")
"""Columns for each kernel of a suite, at the end of a row. Rate, unit and fraction are stated only for kernels."""


def grades_csv(gradebook: Gradebook) -> str:
    """Return a row for every student and assignment, with the points in total and by kind of check, the first reason,
    and the speed, and for a suite also the points and the speed of each kernel.

    Every cell is in quotation marks, so that no cell is split. Lines end as in RFC 4180. Numbers are written in the
    shortest form that reads back as the same value; `rate` is in `unit`, and `percent` has two decimals. `unchecked` is
    the part of `max_points` whose checks were not made. `deduction` is for lateness and not positive; `correction` is
    the instructor's. Together with the kinds of checks, they add up to `points`. Excel reads a file as UTF-8 only if it
    starts with a byte order mark, so the file has one; Python reads it as "utf-8-sig".
    """
    file = io.StringIO()
    parts = dict.fromkeys(part for parts in gradebook.parts.values() for part in parts if part)
    late = LATE_COLUMNS if gradebook.deadlines else ()
    columns = (*COLUMNS, *(f"{part}: {column}" for part in parts for column in PART_COLUMNS), *late)
    writer = csv.DictWriter(file, columns, restval="", lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow({column: _harmless(column) for column in columns})
    writer.writerows(_cells(row) for row in gradebook.rows)
    return BOM + file.getvalue()


def _cells(row: StudentRow) -> dict[str, str]:
    """Return the cells of a row whose values are known."""
    texts = {
        "label": row.student.label,
        "name": row.student.name,
        "key": row.student.key or "",
        "assignment": row.assignment,
        "status": row.status,
        "late": "yes" if row.late else "no",
        "same_as": ", ".join(row.same_as),
        "where": row.where,
        "fault": row.fault,
    }
    return {column: _harmless(text) for column, text in texts.items()} | _figures(row)


def _figures(row: StudentRow) -> dict[str, str]:
    grade = row.grade
    if grade is None:
        return {}
    first = grade.first_cause
    cells = {
        "points": _plain(grade.points),
        "max_points": _plain(grade.max_points),
        "percent": f"{100 * grade.points / grade.max_points:.2f}" if grade.max_points else "",
        "unchecked": _plain(*(left.points for left in grade.unchecked)),
        "first_reason": str(first.reason) if first is not None else "",
        "unchecked_reason": ", ".join(left.reason for left in grade.unchecked),
    }
    for kind in KINDS:
        cells[kind.value] = _plain(*(mark.points for mark in grade.checks if mark.kind is kind))
    if grade.deduction is not None:
        told = (_plain(grade.deduction.before), _plain(grade.deduction.points), _harmless(grade.deduction.why))
        cells |= dict(zip(LATE_COLUMNS, told, strict=True))
    if grade.correction is not None:
        cells["correction"] = _plain(grade.correction.points)
        cells["correction_comment"] = _harmless(grade.correction.comment)
    for part in grade.parts:
        cells[f"{part}: points"] = _plain(*(mark.points for mark in grade.checks if mark.part == part))
    for part, speed in grade.speeds.items():
        lead = f"{part}: " if part else ""
        cells[f"{lead}rate"] = _plain(speed.rate)
        cells[f"{lead}unit"] = _harmless(speed.unit)
        if speed.fraction_of_reference is not None:
            cells[f"{lead}fraction_of_reference"] = _plain(speed.fraction_of_reference)
    return cells


def _plain(*numbers: float) -> str:
    """Return the exact sum in decimal digits, so that the parts add up to the total for a reader, too."""
    digits = f"{sum((Decimal(repr(number)) for number in numbers), Decimal(0)):f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _harmless(text: str) -> str:
    """Return the text on one line, without anything that a spreadsheet would run."""
    return harmless(showable(" ".join(text.split())))
