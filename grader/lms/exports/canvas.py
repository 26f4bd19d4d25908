"""Canvas's gradebook with the scores of an assignment filled in.

The rules come from Canvas's importer and exporter (lib/gradebook_importer.rb, lib/gradebook_exporter.rb). Canvas would
create a new assignment for an unknown heading, and a new student for an unknown name. This module therefore adds
nothing, and changes only cells of an existing column.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from grader.common.errors import InputError
from grader.common.people import person_key
from grader.course.submissions.handin import Remark
from grader.lms.exports.columns import Filled, Slot, decimal_sign, mail_in, maximum_in, number_in, place, with_mails
from grader.lms.exports.sheet import Sheet, listed, read_sheet, same_words
from grader.lms.intake.owners import Owner
from grader.protocol.text import showable
from grader.results.gradebook import Gradebook

TITLED = re.compile(r"(?P<title>.*\S)\s*\((?P<id>[0-9]+)\)\s*", re.DOTALL)
"""Heading of an assignment, which consists of its title and Canvas's number for it."""

POINTS_POSSIBLE = "Points Possible"
"""First cell of the row with the points of each assignment. It is the same in every language."""

LOGIN = "SIS Login ID"

TEST_STUDENT = "Student, Test"
"""Canvas's own test student. Every course has one, so that teachers can see the course as a student does."""

KEPT = {"EX": "excused in Canvas", "N/A": "not assigned to this student in Canvas"}
"""Cells that are not scores. They remain unchanged."""


BY_OPTION = "choose one with --canvas-column"
"""Advice on the command line if no column has the assignment's name."""

RENAMED = "give the right one this name in Canvas, and export the gradebook again"
"""Advice on a page, which has no field for the name of a column."""


@dataclass(frozen=True, kw_only=True)
class CanvasGradebook:
    """A gradebook that Canvas exported. `column` is the assignment's column if its heading is not the assignment's
    name. `remedy` is the advice for a column that was not found.
    """

    sheet: Sheet
    column: str | None = None
    remedy: str = BY_OPTION
    name: str = "canvas-gradebook.csv"

    def roster(self) -> tuple[Owner, ...]:
        """Return all students of the course."""
        return tuple(students(self.sheet))

    def late(self) -> frozenset[str]:
        """Return an empty set, because Canvas marks late work in the download."""
        return frozenset()

    def submitted(self) -> dict[str, datetime]:
        """Return an empty mapping, because Canvas does not state the times."""
        return {}

    def fill(self, book: Gradebook) -> Filled:
        """Fill in the scores of each assignment in its own column."""
        if self.column is not None and len(book.assignments) > 1:
            raise InputError(
                "--canvas-column gives one column for several assignments; grade one assignment at a time."
            )
        filled = Filled(data=self.sheet.filled({}), grades=0, remarks=())
        for assignment in book.assignments:
            one = canvas_gradebook(read_sheet(self.sheet.name, filled.data), book, assignment, self.column, self.remedy)
            remarks = (*filled.remarks, *one.remarks)
            filled = Filled(data=one.data, grades=filled.grades + one.grades, remarks=remarks)
        return filled


def upload(sheet: Sheet, columns: Mapping[str, str]) -> CanvasGradebook:
    """Return the gradebook with the column that the option specifies."""
    return CanvasGradebook(sheet=sheet, column=columns.get("canvas_column"))


def from_page(sheet: Sheet) -> CanvasGradebook:
    """Return the gradebook that was uploaded on a page."""
    return CanvasGradebook(sheet=sheet, remedy=RENAMED)


def canvas_gradebook(
    sheet: Sheet, gradebook: Gradebook, assignment: str, column: str | None = None, remedy: str = BY_OPTION
) -> Filled:
    """Fill the scores in an assignment's rows into the exported gradebook.

    The column is found by the assignment's title or name, or by `column`, which is a heading, a title, or the number in
    it. Students are found by ID, or by a login that is a mail address; either can be the student's key. Points are
    scaled to Points Possible. Raises InputError if the file is not a gradebook, or if no column or several columns
    match.
    """
    if "ID" not in sheet.headings:
        raise InputError(f'{sheet.name} has no column "ID"; is it the gradebook as Canvas exported it?')
    names = (column,) if column else (gradebook.titles.get(assignment, assignment), assignment)
    chosen = _column(sheet, names, remedy)
    possible = _points_possible(sheet, chosen)
    maximum = maximum_in(possible)
    slots = with_mails(_slots(sheet, chosen, maximum), students(sheet))
    placed = place(sheet, gradebook.of(assignment), chosen, slots, decimal_sign(sheet, chosen))
    why = (
        f"{showable(sheet.headings[chosen])} does not state the points possible; check that they match the assignment."
    )
    unknown = (Remark(where=sheet.name, why=why),) if maximum is None else ()
    return Filled(data=sheet.filled(placed.cells), grades=len(placed.rows), remarks=(*unknown, *placed.remarks))


def students(sheet: Sheet) -> Iterator[Owner]:
    """Yield all students in the gradebook by number, except Canvas's test student. A login may be a mail address."""
    at, login = (_index(sheet, heading) for heading in ("ID", LOGIN))
    for _, line in sheet.rows:
        name, key = line.value(0).strip(), line.value(at).strip()
        if key and POINTS_POSSIBLE not in name and name != TEST_STUDENT:
            yield Owner(name=name, key=key, mail=mail_in(line.value(login)))


def _index(sheet: Sheet, heading: str) -> int:
    """Return the index of a column. For a missing column, return an index at which every row is empty."""
    return sheet.headings.index(heading) if heading in sheet.headings else len(sheet.headings)


def _column(sheet: Sheet, names: tuple[str, ...], remedy: str) -> int:
    """Return the only writable column of an assignment that has one of these names. Raises InputError if there is not
    exactly one.
    """
    found = {
        index: match
        for index, heading in enumerate(sheet.headings)
        if (match := TITLED.fullmatch(heading)) and _is_open(_points_possible(sheet, index))
    }
    fitting = [
        index
        for index, match in found.items()
        if any(same_words(name, known) for name in names for known in (match[0], match["title"], match["id"]))
    ]
    if len(fitting) != 1:
        what = "no column of an assignment" if not fitting else "more than one column"
        candidates = listed(tuple(sheet.headings[index] for index in (fitting or found))) or "there is none"
        named = " or ".join(f'"{name}"' for name in dict.fromkeys(names))
        raise InputError(f"{sheet.name} has {what} called {named}; {remedy}: {candidates}.")
    return fitting[0]


def _points_possible(sheet: Sheet, column: int) -> str:
    return next((line.value(column) for _, line in sheet.rows if POINTS_POSSIBLE in line.value(0)), "")


def _is_open(possible: str) -> bool:
    """True unless the column is a total. Canvas computes totals, and their points are "(read only)" in the reader's
    language.
    """
    return not possible.strip() or number_in(possible) is not None


def _slots(sheet: Sheet, column: int, maximum: float | None) -> dict[str, Slot]:
    """Return the students' rows by ID. Raises InputError if two rows have the same ID. Rows without an ID describe
    assignments.
    """
    at = sheet.headings.index("ID")
    slots: dict[str, Slot] = {}
    for index, line in sheet.rows:
        key = line.value(at).strip()
        if key and POINTS_POSSIBLE not in line.value(0) and column < len(line.cells):
            refusal = KEPT.get(line.value(column).strip().upper(), "")
            there = slots.get(person_key(key))
            if there is not None:
                raise InputError(
                    f"{sheet.name} has the ID {showable(key)} in two rows, {there.line + 1} and {index + 1}; "
                    "remove one, or export the gradebook again."
                )
            slots[person_key(key)] = Slot(line=index, maximum=maximum, refusal=refusal)
    return slots
