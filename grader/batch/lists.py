"""The instructor's lists in the results folder: corrections, which are applied last, so that they survive all other
changes, and extensions, which give some students more time or more attempts. No run writes them.

RESULTS/corrections.csv   columns student, assignment, points, comment
RESULTS/extensions.csv    columns student, assignment, due, extra, attempts

`points` is the new number of points or, with a sign, a difference. A bonus may exceed the full points. `due` is another
due date. `extra` is a time that is added to the common due date ("2 days", "36 h"). `attempts` is the number of
additional attempts. A student is identified by label, by key on the platform, or by name. An unknown student is refused
before grading begins.
"""

import dataclasses
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from grader.common.errors import InputError
from grader.common.people import AmbiguousPersonError, Register, similar_person
from grader.common.record import replace
from grader.course.policies.corrections import Amount, read_amount
from grader.course.policies.deadlines import DECIMALS, Extension, read_extra
from grader.course.policies.rules import Policies, in_words, moment, read_date
from grader.course.rubric import Kind
from grader.course.submissions.handin import Remark
from grader.course.suite import Coursework
from grader.lms.intake.matching import named_by
from grader.lms.intake.reading.table import TableRow, read_table
from grader.reports.words import correction_in_words
from grader.results.gradebook import Grade, Gradebook, Mark, StudentRow
from grader.results.result import Correction, Result, Ungraded
from grader.results.verdicts import Reason, Verdict

CORRECTIONS = "corrections.csv"

ABSENT = "nothing was handed in."

EXTENSIONS = "extensions.csv"

Extensions = Mapping[tuple[str, str], Extension]
"""Extensions by student label and assignment."""


@dataclass(frozen=True, kw_only=True)
class ListLine:
    """A line of a list. `where` is its position in the file, and `row` contains all its fields."""

    where: str
    label: str
    assignment: str
    row: TableRow


def read_list(
    path: Path, columns: Collection[str], people: Register, assignments: Mapping[str, Coursework]
) -> tuple[tuple[ListLine, ...], tuple[Remark, ...]]:
    """Return the lines of a list, and remarks about lines for assignments outside this batch. Both are empty if the
    file does not exist. The name of the file states what the list contains. Raises InputError for an unknown student,
    for a name that several people share, and for a second line about the same student and assignment.
    """
    if not path.exists():
        return (), ()
    lines: dict[tuple[str, str], ListLine] = {}
    others: list[Remark] = []
    for row in read_table(path, f"a list of {path.stem}", ("student", "assignment", *columns)):
        where = f"{path.name}, line {row.line}"
        assignment = named_by(row.field("assignment"), tuple(assignments.values()))
        if assignment is None:
            why = f"not applied: {row.field('assignment') or 'no assignment'} is not in this batch."
            others.append(Remark(where=where, why=why))
            continue
        label = _label(row.field("student"), people, where)
        if (label, assignment) in lines:
            raise InputError(f"{where}: {label} has two {path.stem} for {assignment}; keep one.")
        lines[label, assignment] = ListLine(where=where, label=label, assignment=assignment, row=row)
    return tuple(lines.values()), tuple(others)


def _label(named: str, people: Register, where: str) -> str:
    """Return the label of the only student with this label, key or name. Raises InputError unless exactly one student
    matches.
    """
    try:
        found = people.find(named)
    except AmbiguousPersonError as error:
        raise InputError(f"{where}: {error}") from None
    if found is not None and found.label is not None:
        return found.label
    labels = [each.label for each in people.people if each.label is not None]
    near = similar_person(named, labels)
    hint = f"; did you mean {near}?" if near else "; use the label in grades.csv."
    raise InputError(f"{where}: no single student matches {named!r}{hint}")


@dataclass(frozen=True, kw_only=True)
class Order:
    """A correction: where it is in the file, its comment, and the new points or the difference."""

    where: str
    comment: str
    amount: Amount


Orders = Mapping[tuple[str, str], Order]
"""Corrections by student label and assignment."""


def read_corrections(
    folder: Path, people: Register, assignments: Mapping[str, Coursework]
) -> tuple[Orders, tuple[Remark, ...]]:
    """Read the corrections of a batch, if there are any. Return them with a remark for each line that is not applied.
    Raises InputError for a line that cannot be understood.
    """
    lines, others = read_list(folder / CORRECTIONS, ("points",), people, assignments)
    return {(each.label, each.assignment): _order(each, assignments[each.assignment]) for each in lines}, others


def _order(line: ListLine, assignment: Coursework) -> Order:
    where, row = line.where, line.row
    amount = read_amount(row.field("points"))
    if amount is None:
        raise InputError(f"{where}: points are {row.field('points')!r}; write points such as 80, +5 or -2.5.")
    stated = abs(amount.by) if amount.to is None else amount.to
    if stated > assignment.points:
        raise InputError(f"{where}: {stated:g} points exceed the {assignment.points:g} points of {assignment.name}.")
    return Order(where=where, comment=row.field("comment"), amount=amount)


def corrected(outcome: Result | Ungraded, order: Order | None, most: float) -> Result | Ungraded:
    """Return the outcome with its correction. Points that an instructor sets are always relative to the full points,
    even while some points are hidden.
    """
    if order is None:
        return outcome
    if isinstance(outcome, Ungraded):
        by_hand = given(order, most)
        return outcome if by_hand is None else replace(outcome, fault=f"{outcome.fault} {correction_in_words(by_hand)}")
    points = order.amount.points(outcome.points, most)
    difference, final = round(points - outcome.points, DECIMALS), order.amount.to is not None
    correction = Correction(points=difference, comment=order.comment, final=final)
    max_points = outcome.max_points if order.amount.to is None else most
    return replace(outcome, points=points, max_points=max_points, correction=correction)


def without_effect(orders: Orders, book: Gradebook) -> tuple[Remark, ...]:
    """Return a remark for each correction that applies to a grade which does not exist."""
    graded = {(row.student.label, row.assignment) for row in book.rows if row.grade is not None}
    return tuple(
        Remark(where=order.where, why=f"not applied: {label} has no grade for {name}; write points without a sign.")
        for (label, name), order in orders.items()
        if (label, name) not in graded
    )


def given(order: Order, most: float) -> Correction | None:
    """Return the points for a student without a grade. Returns None for a difference, which needs points to be added
    to.
    """
    return None if order.amount.to is None else Correction(points=order.amount.points(0.0, most), comment=order.comment)


def graded_by_hand(row: StudentRow, order: Order | None, most: float) -> StudentRow:
    """Return the row of a student without a grade, with the points that the instructor has set, if any."""
    correction = None if order is None else given(order, most)
    if correction is None:
        return row
    why = row.fault or ABSENT
    unmade = Mark(
        name=Kind.BUILD.value,
        kind=Kind.BUILD,
        verdict=Verdict.FAILED,
        points=0.0,
        max_points=0.0,
        reason=Reason.NOT_RUN,
        message=why,
        cause="",
    )
    grade = Grade(
        points=correction.points,
        max_points=most,
        checks=(unmade,),
        speeds={},
        sha256="",
        source="",
        seconds=0.0,
        correction=correction,
    )
    return dataclasses.replace(row, grade=grade, shown=grade, fault="")


def read_extensions(
    folder: Path, people: Register, assignments: Mapping[str, Coursework]
) -> tuple[Extensions, tuple[Remark, ...]]:
    """Read the extensions of a batch, if there are any. Return them with a remark for each line that is not applied.
    Raises InputError for a line that cannot be understood.
    """
    lines, others = read_list(folder / EXTENSIONS, (), people, assignments)
    found = {(each.label, each.assignment): _extension(each, assignments[each.assignment]) for each in lines}
    idle = tuple(
        Remark(where=each.where, why=f"not applied: {each.assignment} has no due date; write `due` in course.yaml.")
        for each in lines
        for given in [found[each.label, each.assignment]]
        if assignments[each.assignment].due is None and (given.due is not None or given.extra)
    )
    return found, (*others, *idle)


def _extension(line: ListLine, policies: Policies) -> Extension:
    due, extra, attempts = (line.row.field(name) for name in ("due", "extra", "attempts"))
    if not (due or extra or attempts):
        raise InputError(
            f"{line.where}: the line has no extension; fill in `due` (a date), `extra` (such as 2 days) or `attempts`."
        )
    if due and extra:
        raise InputError(f"{line.where}: the line has both a new due date and extra time; keep one of them.")
    return Extension(
        due=_due(line, due, policies) if due else None,
        extra=_extra(line, extra) if extra else timedelta(),
        attempts=_attempts(line, attempts) if attempts else 0,
    )


def _due(line: ListLine, text: str, policies: Policies) -> datetime:
    """Return the new due date, which must be later than the common one. Raises InputError if it is not later, is not a
    date, or has no time zone.
    """
    try:
        when = read_date(text)
    except ValueError as error:
        raise InputError(f"{line.where}: due: {error}.") from error
    if when.tzinfo is None and policies.timezone is None:
        raise InputError(
            f"{line.where}: due: {text} has no time zone; set one in course.yaml, such as `timezone: Europe/Berlin`, "
            f"or add an offset: {text}+01:00."
        )
    if policies.due is not None and moment(when, policies.zone) <= moment(policies.due, policies.zone):
        usual = in_words(moment(policies.due, policies.zone), policies.zone)
        raise InputError(f"{line.where}: due: {text} is not after the usual due date, {usual}; write a later one.")
    return when


def _extra(line: ListLine, text: str) -> timedelta:
    try:
        return read_extra(text)
    except ValueError as error:
        raise InputError(f"{line.where}: extra is {error}.") from error


def _attempts(line: ListLine, text: str) -> int:
    if not re.fullmatch(r"\+?[0-9]{1,4}", text, re.ASCII):
        raise InputError(f"{line.where}: attempts is {text!r}; write the number of additional attempts, such as 2.")
    return int(text)
