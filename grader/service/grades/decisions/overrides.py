"""Decisions by hand: instructors set points, excuse students, and exclude attempts.

Decisions survive regradings. Each is recorded in the audit trail, and students see the decisions about their own
grades.
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.record import Record
from grader.course.policies.corrections import read_amount
from grader.protocol.text import showable
from grader.service.course.assignment_view import AssignmentView
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.decisions import Decision, DecisionRow, ExclusionRow
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import AttemptRow
from grader.service.errors import FieldError
from grader.service.grades.decisions.extensions import reason_in
from grader.service.grades.wording import decision_in_words

EXCUSED = "excused"
"""Word that can be typed in place of points."""


class DecisionForm(Record):
    """The fields of the form, and the instructor who sends it. `points` is a number such as 80, +5 or -2.5, or the word
    "excused". Empty points withdraw the earlier decision.
    """

    who: str
    points: str
    comment: str


def decide(session: Session, assignment: AssignmentView, person: PersonRow, asked: DecisionForm, now: datetime) -> None:
    """Decide a student's grade at an assignment. The decision replaces an earlier one. Raises FieldError without a
    change if a field cannot be read.
    """
    wanted = DecisionRow.person_id == person.id, DecisionRow.assignment == assignment.name
    row = session.scalar(select(DecisionRow).where(*wanted))
    before = "nothing" if row is None else decision_in_words(row)
    comment = reason_in(asked.comment, "comment")
    if not asked.points.strip():
        if row is None:
            raise FieldError("points", "No points are given. Write 80, +5, -2.5, or the word excused.")
        session.delete(row)
        after = f"nothing: {comment}"
    else:
        kind, points = _decision(assignment, asked.points)
        row = row or DecisionRow(person_id=person.id, assignment=assignment.name)
        row.kind, row.points, row.comment, row.who, row.at = kind, points, comment, asked.who, now
        session.add(row)
        after = decision_in_words(row)
    what = f"{person.key}, {assignment.name}: decided {before} -> {after}"
    session.add(AuditRow(at=now, who=asked.who, about=person.key, what=what))


def _decision(assignment: AssignmentView, text: str) -> tuple[Decision, float]:
    if text.strip().casefold() == EXCUSED:
        return Decision.EXCUSE, 0.0
    amount = read_amount(text)
    if amount is None:
        found = f"{showable(text.strip())!r} is not a number of points"
        raise FieldError("points", f"{found}; write 80, +5, -2.5, or the word excused.")
    if max(amount.to or 0.0, abs(amount.by)) > assignment.points:
        does = "takes away more" if amount.by < 0 else "is more"
        found = f"{showable(text.strip())!r} {does} than the {assignment.points:g} points of {assignment.name}"
        raise FieldError("points", f"{found}; write that number or fewer.")
    return (Decision.ADD, amount.by) if amount.to is None else (Decision.SET, amount.to)


def exclude(session: Session, attempt: AttemptRow, who: str, reason: str, now: datetime) -> None:
    """Exclude an attempt, or let an excluded one count again. An excluded attempt still uses up one of the student's
    attempts. Raises FieldError if no reason is given.
    """
    row = exclusion_of(session, attempt)
    why = reason_in(reason)
    if row is None:
        session.add(ExclusionRow(attempt_id=attempt.id, reason=why, who=who, at=now))
    else:
        session.delete(row)
    what = f"{attempt.in_words}: {'does not count' if row is None else 'counts again'}; reason: {why}"
    session.add(AuditRow(at=now, who=who, about=attempt.person.key, what=what))


def exclusion_of(session: Session, attempt: AttemptRow) -> ExclusionRow | None:
    """The exclusion of an attempt; None if the attempt counts."""
    return session.scalar(select(ExclusionRow).where(ExclusionRow.attempt_id == attempt.id))
