"""The grades as an Excel workbook with three sheets: points with a line for each student, all of grades.csv, and the
cases.

Text is always written as text, never as a formula or a link.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

import xlsxwriter

from grader.lms.exports.grades import KINDS, PART_COLUMNS, grades_csv
from grader.lms.exports.sheet import BOM
from grader.protocol.text import showable
from grader.reports.statistics import cases
from grader.results.gradebook import Gradebook

Cell = str | float | None

WORKBOOK_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "nan_inf_to_errors": True,
}

NUMBERS = frozenset(
    {"points", "max_points", "percent", "unchecked", "correction", "rate", "fraction_of_reference"}
    | {"points_before_deduction", "deduction"}
    | {kind.value for kind in KINDS}
)
"""Columns of grades.csv with numbers. All others are text, including keys that consist of digits."""

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")

MAX_CELL_LENGTH = 32_767
"""Maximum length of a cell, in characters."""


def write_workbook(book: Gradebook, out: IO[bytes]) -> None:
    """Write the workbook."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, WORKBOOK_OPTIONS) as workbook:
        heading = workbook.add_format({"bold": True})
        for name, lines in (("Points", _points(book)), ("Grades", _grades(book)), ("Cases", _cases(book))):
            sheet = workbook.add_worksheet(name)
            sheet.freeze_panes(1, 1)
            for number, line in enumerate(lines):
                look = heading if number == 0 else None
                for column, cell in enumerate(line):
                    if isinstance(cell, str):
                        sheet.write_string(number, column, showable(cell)[:MAX_CELL_LENGTH], look)
                    elif cell is not None:
                        sheet.write_number(number, column, cell, look)
    out.write(made.getvalue())


def _points(book: Gradebook) -> Iterator[Sequence[Cell]]:
    """A line for each student, a column for each assignment."""
    yield ["name", "key", *book.assignments]
    points = {(row.student.label, row.assignment): None if row.grade is None else row.grade.points for row in book.rows}
    for student in {row.student.label: row.student for row in book.rows}.values():
        yield [student.name, student.key or "", *(points.get((student.label, name)) for name in book.assignments)]


def _grades(book: Gradebook) -> Iterable[Sequence[Cell]]:
    """All rows of grades.csv. Its cells are already escaped so that they do not run as formulas."""
    rows = csv.reader(io.StringIO(grades_csv(book).removeprefix(BOM), newline=""))
    headings = next(rows)
    parts = {f"{part}: {column}" for parts in book.parts.values() for part in parts for column in PART_COLUMNS}
    numeric = [name in NUMBERS or (name in parts and not name.endswith(": unit")) for name in headings]
    yield headings
    for row in rows:
        yield [_number(cell) if is_number else cell for cell, is_number in zip(row, numeric, strict=True)]


def _number(cell: str) -> Cell:
    return float(cell) if NUMBER.fullmatch(cell) else cell or None


def _cases(book: Gradebook) -> Iterator[Sequence[Cell]]:
    """For each case, the numbers of submissions that passed, failed or did not run it."""
    yield ["assignment", "case", "passed", "failed", "not run", "commonest reason"]
    for name in book.assignments:
        for each in cases(book.of(name)):
            yield [name, each.name, each.passed, each.failed, each.not_run, each.reason]
