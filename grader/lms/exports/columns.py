"""Writes grades into a column of a sheet, scaled and with the sheet's decimal sign, and reports the grades that do not
fit.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from grader.common.people import person_key
from grader.common.phrases import count, listed
from grader.course.submissions.handin import Remark
from grader.lms.exports.sheet import Sheet
from grader.lms.intake.owners import Owner
from grader.protocol.text import showable
from grader.results.gradebook import Grade, StudentRow
from grader.results.verdicts import Reason

NUMBER = re.compile(r"\s*[0-9]+(?:[.,][0-9]+)?\s*")

DECIMALS = 5
"""Number of decimals of a grade. Moodle stores five; Canvas shows two."""


@dataclass(frozen=True, kw_only=True)
class Slot:
    """The place for a student's grade: the index of the line, and the maximum there (None means the assignment's
    points).

    `refusal` is the reason why no grade may be written there, or "" if it may.
    """

    line: int
    maximum: float | None = None
    refusal: str = ""


@dataclass(frozen=True, kw_only=True)
class Filled:
    """A copy of a sheet with grades, the number of grades, and remarks that an instructor should read before the
    upload.
    """

    data: bytes
    grades: int
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, kw_only=True)
class Placed:
    """Graded rows by the index of their line, the new cells, and remarks."""

    rows: dict[int, StudentRow]
    cells: dict[tuple[int, int], str]
    remarks: tuple[Remark, ...]


def decimal_sign(sheet: Sheet, *columns: int | None) -> str:
    """Return a comma if numbers in one of these columns contain one, and otherwise a point, which Moodle and Canvas
    accept everywhere.
    """
    cells = (line.value(column) for _, line in sheet.rows for column in columns if column is not None)
    return "," if any("," in cell and number_in(cell) is not None for cell in cells) else "."


def mail_in(cell: str) -> str:
    """Return the mail address in a cell, or "" if the cell contains something else, such as a login."""
    return cell.strip() if "@" in cell else ""


def with_mails(slots: Mapping[str, Slot], owners: Iterable[Owner]) -> dict[str, Slot]:
    """Return the slots by key and also by mail address. A grade for an address that occurs in several rows is
    refused.
    """
    rows: dict[str, list[Slot]] = {}
    for owner in owners:
        slot = slots.get(person_key(owner.key or ""))
        if slot is not None and owner.mail:
            rows.setdefault(person_key(owner.mail), []).append(slot)
    return {**{mail: _only(mail, same) for mail, same in rows.items()}, **slots}


def _only(mail: str, slots: list[Slot]) -> Slot:
    if len(slots) == 1:
        return slots[0]
    lines = listed([str(slot.line + 1) for slot in slots], "and")
    return replace(slots[0], refusal=f"the rows {lines} have the same mail address {showable(mail)}")


def place(sheet: Sheet, rows: Iterable[StudentRow], column: int, slots: Mapping[str, Slot], sign: str) -> Placed:
    """Place the grades of graded rows in a column, each in the slot of its student. `sign` is the decimal sign.

    Slots are looked up by key, as person_key compares keys. A row gets no grade if several graded students belong to
    it, or if it is too short.
    """
    students = tuple(rows)
    known = {person_key(key): slot for key, slot in slots.items()}
    slot_of = {row.student.label: known.get(person_key(row.student.key or "")) for row in students}
    of_graded = (slot_of[row.student.label] for row in students if row.grade is not None)
    lines = Counter(slot.line for slot in of_graded if slot is not None)
    graded: dict[int, StudentRow] = {}
    cells: dict[tuple[int, int], str] = {}
    remarks: list[Remark] = []
    scales: set[tuple[float, float]] = set()
    for row in students:
        if row.grade is None:
            if row.fault:
                fault = " ".join(showable(row.fault).split())
                why = f"has no grade in the copy of {showable(sheet.name)}: {fault}"
                remarks.append(Remark(where=row.student.label, why=why))
            continue
        slot = slot_of[row.student.label]
        refusal = _refusal(sheet, row.grade, slot, lines)
        if slot is not None and column >= len(sheet.lines[slot.line].cells):
            refusal = "its row has no cell for the grade"
        if slot is None or refusal:
            remarks.append(Remark(where=row.student.label, why=f"is graded, but not in the copy: {refusal}."))
            continue
        graded[slot.line] = row
        cells[slot.line, column] = _points(row.grade, slot.maximum).replace(".", sign)
        if row.grade.points > row.grade.max_points:
            why = "has more than full points: check after the upload that the platform has accepted them."
            remarks.append(Remark(where=row.student.label, why=why))
        if slot.maximum not in {None, row.grade.max_points}:
            scales.add((row.grade.max_points, slot.maximum or 0))
    scaled = (f"grades out of {most:g} points are scaled to its maximum of {maximum:g}." for most, maximum in scales)
    about = tuple(Remark(where=sheet.name, why=why) for why in (*sorted(scaled), *_incomplete(graded.values())))
    return Placed(rows=graded, cells=cells, remarks=(*about, *remarks))


def _incomplete(rows: Iterable[StudentRow]) -> Iterator[str]:
    """Yield a line for each reason why grades do not cover all checks, since a column of numbers cannot show that."""
    left = Counter(each.reason for row in rows if row.grade is not None for each in row.grade.unchecked)
    for reason, number in left.items():
        verb, them = ("is", "it") if number == 1 else ("are", "them")
        yield f"{count(number, 'grade')} in the copy {verb} not of all checks{LACKING[reason].format(them, them)}"


LACKING = {
    Reason.NO_SIMULATOR: ", since the simulator is missing: do not publish {} yet.",
    Reason.NOT_SIMULATED: ", since the simulator cannot run the kernels of {}: an instructor decides.",
    Reason.NOT_MEASURED: ", since the machine was too noisy to time {}: do not publish {} yet.",
    Reason.INTERFERENCE: ", since the operating system disturbed the timing: do not publish {} yet.",
    Reason.COMPILER_FAILED: ", since the compiler failed on {}: an instructor decides.",
    Reason.DECIDED_ELSEWHERE: ": the course's machine decides the rest.",
    Reason.PENDING: ", since hidden cases run some minutes later: export {} again then.",
}


def number_in(cell: str) -> float | None:
    """Return the number in a cell, with a decimal point or comma, or None if the cell contains something else."""
    return float(cell.replace(",", ".")) if NUMBER.fullmatch(cell) else None


def maximum_in(cell: str) -> float | None:
    """Return the maximum that a cell states, or None if it states no maximum or zero."""
    return number_in(cell) or None


def _refusal(sheet: Sheet, grade: Grade, slot: Slot | None, lines: Mapping[int, int]) -> str:
    if slot is None:
        return f"{showable(sheet.name)} has no row for this student"
    if not grade.max_points and slot.maximum is not None:
        return "there were no points to earn"
    return slot.refusal or ("several students belong to its row" if lines[slot.line] > 1 else "")


def _points(grade: Grade, maximum: float | None) -> str:
    """Return the points in plain digits, scaled to the maximum."""
    same = maximum is None or maximum == grade.max_points
    points = grade.points if same or maximum is None else grade.points * maximum / grade.max_points
    return f"{points:.{DECIMALS}f}".rstrip("0").rstrip(".")
