"""An instructor's corrections. They are applied last, so that they survive all other changes.

RESULTS/corrections.csv   columns student, assignment, points, comment; the instructor's file, which no run writes

`points` is the new number of points or, with a sign, a difference. A bonus may exceed the full points. A student is
identified by label, by key on the platform, or by name. An unknown student is refused before grading begins.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.batch.lists import ListLine, read_list
from grader.common.errors import InputError
from grader.common.people import Register
from grader.common.record import replace
from grader.course.policies.corrections import Amount, read_amount
from grader.course.policies.deadlines import DECIMALS
from grader.course.rubric import Kind
from grader.course.submissions.handin import Remark
from grader.course.suite import Coursework
from grader.reports.words import correction_in_words
from grader.results.gradebook import Grade, Gradebook, Mark, StudentRow
from grader.results.result import Correction, Result, Ungraded
from grader.results.verdicts import Reason, Verdict

NAME = "corrections.csv"

ABSENT = "nothing was handed in."


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
    lines, others = read_list(folder / NAME, ("points",), people, assignments)
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
