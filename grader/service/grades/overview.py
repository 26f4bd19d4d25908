"""The table of assignments in use, with counts of students and attempts. Assignments that need attention come first.
The number of SQL statements does not depend on the size of the course.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from grader.results.verdicts import FOR_INSTRUCTORS
from grader.service.course.assignment_view import AssignmentView
from grader.service.db.tables.decisions import RequestRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.grades.final import FinalGrade
from grader.service.grades.publication.holds import held_assignments
from grader.service.grades.records import grades_of_all
from grader.service.submissions.versions import count_older

ATTENTION = ("questions", "faults", "to decide", "held back", "older version")
"""Columns that count tasks for staff, the most urgent first: open questions of students, attempts that are not graded
because of a fault of the service, attempts with a check that an instructor must decide, students whose results are held
back, and attempts that were graded by an older version.
"""

COLUMNS = (*ATTENTION, "handed in", "passed", "partly", "failed", "open", "late", "waiting", "running")
"""All columns with counts. The columns from "handed in" to "late" count students by the attempt that counts, "waiting"
and "running" count gradings.
"""


@dataclass(frozen=True, kw_only=True)
class AssignmentLine:
    """An assignment with its counts by column. A missing count is 0."""

    assignment: AssignmentView
    counts: Counter[str]

    def is_in_use(self, now: datetime) -> bool:
        """True if a count is not 0, or if the due date is in the future."""
        due = self.assignment.rules.due
        return bool(self.counts) or (due is not None and due > now)


@dataclass(frozen=True, kw_only=True)
class CourseOverview:
    """The assignments in use, with those that need attention first, and the other assignments. `columns` are the
    columns in which at least one assignment has a count. `pending` is the number of gradings whose hidden cases have
    not run yet.
    """

    students: int
    lines: tuple[AssignmentLine, ...]
    others: tuple[AssignmentView, ...]
    columns: tuple[str, ...]
    pending: int
    older: Counter[str]

    def total(self, column: str) -> int:
        """Sum of a column."""
        return sum(line.counts[column] for line in self.lines)


def course_overview(session: Session, assignments: Sequence[AssignmentView], now: datetime) -> CourseOverview:
    """The overview of these assignments."""
    older, pending = count_older(session, assignments), GradingRow.lacks_hidden_cases
    counts = {each.name: Counter[str]() for each in assignments}
    for name, column, number in _counted(session, assignments, older):
        if name in counts and number:
            counts[name][column] += number
    lines = [AssignmentLine(assignment=each, counts=counts[each.name]) for each in assignments]
    used = tuple(sorted((each for each in lines if each.is_in_use(now)), key=lambda line: _urgency(line, now)))
    return CourseOverview(
        students=session.scalar(select(func.count(PersonRow.id)).where(PersonRow.role == CourseRole.STUDENT)) or 0,
        lines=used,
        others=tuple(each.assignment for each in lines if not each.is_in_use(now)),
        columns=tuple(each for each in COLUMNS if any(line.counts[each] for line in used)),
        pending=session.scalar(select(func.count()).select_from(GradingRow).where(pending)) or 0,
        older=older,
    )


Count = tuple[str, str, int]
"""An assignment, a column, and a number that is added to the count in that column."""


def _counted(session: Session, assignments: Sequence[AssignmentView], older: Counter[str]) -> Iterator[Count]:
    held = held_assignments(session)
    for (_, name), grade in grades_of_all(session, assignments).items():
        for column in _columns_of(grade, held_back=name in held):
            yield name, column, 1
    yield from ((name, "older version", number) for name, number in older.items())
    asked = select(AttemptRow.assignment, func.count()).join(RequestRow.attempt).where(RequestRow.answered.is_(None))
    for name, number in session.execute(asked.group_by(AttemptRow.assignment)):
        yield name, "questions", number
    for name, number in session.execute(_TO_DECIDE):
        yield name, "to decide", number
    for name, state, number in session.execute(_LATEST):
        yield name, _STATES[state], number


def _columns_of(grade: FinalGrade, *, held_back: bool) -> Iterator[str]:
    """The columns in which a student with this grade is counted."""
    if not grade.attempts or grade.excused or grade.is_excluded:
        return
    yield from ("handed in", grade.state)
    if grade.late:
        yield "late"
    if held_back and grade.earned is not None:
        yield "held back"


_STATES: dict[str, str] = {State.WAITING: "waiting", State.RUNNING: "running", State.FAULTED: "faults"}
_LATEST = (
    select(AttemptRow.assignment, GradingRow.state, func.count())
    .join(GradingRow.attempt)
    .where(
        GradingRow.state.in_([*_STATES]),
        GradingRow.id.in_(select(func.max(GradingRow.id)).group_by(GradingRow.attempt_id)),
    )
    .group_by(AttemptRow.assignment, GradingRow.state)
)
"""Number of attempts by the state of their latest grading, for the states in _STATES."""

_TO_DECIDE = (
    select(AttemptRow.assignment, func.count())
    .join(GradingRow, AttemptRow.counted_id == GradingRow.id)
    .where(
        AttemptRow.trial.is_(False),
        or_(
            *(
                checks.contains(f'"reason":"{reason}"')
                for reason in sorted(FOR_INSTRUCTORS)
                for checks in (GradingRow.early_checks, GradingRow.full_checks)
            )
        ),
    )
    .group_by(AttemptRow.assignment)
)
"""Number of attempts with a check that an instructor must decide. Text that a student controls cannot imitate the
reason of such a check, because JSON escapes quotation marks.
"""


def _urgency(line: AssignmentLine, now: datetime) -> tuple[bool | float | str, ...]:
    """Sort key of an assignment. Assignments that need attention come first. The others are sorted by due date: future
    dates first, the nearest at the top, then past dates, and finally assignments without a date.
    """
    due = line.assignment.rules.due
    ahead = 0.0 if due is None else (due - now).total_seconds()
    return (
        *(not line.counts[column] for column in ATTENTION[:2]),
        not any(line.counts[column] for column in ATTENTION[2:]),
        due is None,
        ahead < 0,
        abs(ahead),
        line.assignment.name,
    )
