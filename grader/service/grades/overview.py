"""Tables of the course: the grades of all students, selected and sorted by the filter in the query string; and the
assignments in use, with counts of students and attempts. Assignments that need attention come first. The number of SQL
statements does not depend on the size of the course.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, joinedload

from grader.common.people import by_name, has_words
from grader.common.record import Record
from grader.results.verdicts import FOR_INSTRUCTORS
from grader.service.course.assignment_view import AssignmentView
from grader.service.db.tables.decisions import RequestRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.grades.final import FinalGrade, GradeKey
from grader.service.grades.publication import held_assignments
from grader.service.grades.visibility import grades_of_all
from grader.service.submissions.versions import count_older

Show = Literal["everybody", "passed", "partly", "failed", "open", "nothing handed in", "excused", "excluded", "late"]
Sort = Literal["name", "fewest points", "most points"]

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
class CourseLine:
    """A student's grades and the attempts that count, both by assignment."""

    person: PersonRow
    grades: dict[str, FinalGrade]
    counting: dict[str, AttemptRow | None]


@dataclass(frozen=True, kw_only=True)
class CourseTable:
    """Grades of all students."""

    assignments: tuple[AssignmentView, ...]
    lines: tuple[CourseLine, ...]


def course_table(session: Session, assignments: Sequence[AssignmentView]) -> CourseTable:
    """The table of all students, sorted by name. A course has tens of thousands of attempts, so whole rows are read
    only of attempts that count.
    """
    students = session.scalars(select(PersonRow).where(PersonRow.role == CourseRole.STUDENT))
    grades = grades_of_all(session, assignments)
    rows = _attempts(session, [each.attempt for each in grades.values() if each.attempt is not None])
    lines = tuple(_line(person, assignments, grades, rows) for person in by_name(students))
    return CourseTable(assignments=tuple(assignments), lines=lines)


def _line(
    person: PersonRow,
    assignments: Sequence[AssignmentView],
    grades: Mapping[GradeKey, FinalGrade],
    rows: Mapping[int, AttemptRow],
) -> CourseLine:
    theirs = {each.name: grades[person.id, each.name] for each in assignments}
    counting = {name: None if one.attempt is None else rows[one.attempt] for name, one in theirs.items()}
    return CourseLine(person=person, grades=theirs, counting=counting)


def _attempts(session: Session, numbers: Sequence[int]) -> dict[int, AttemptRow]:
    """These attempts with the gradings that count."""
    wanted = select(AttemptRow).where(AttemptRow.id.in_(numbers)).options(joinedload(AttemptRow.counted))
    return {row.id: row for row in session.scalars(wanted)}


class CourseFilter(Record):
    """Filter in the query string. An empty assignment means all assignments."""

    find: str = Field(default="", max_length=200)
    show: Show = "everybody"
    assignment: str = Field(default="", max_length=200)
    sort: Sort = "name"


def columns_of(table: CourseTable, wanted: CourseFilter) -> tuple[AssignmentView, ...]:
    """The assignments that the filter selects; empty for an unknown one."""
    return tuple(each for each in table.assignments if wanted.assignment in {"", each.name})


def columns_in_use(table: CourseTable, wanted: CourseFilter) -> tuple[AssignmentView, ...]:
    """The selected assignments with an attempt or a decision for at least one student. If no assignment has one,
    returns all selected assignments.
    """
    chosen = columns_of(table, wanted)
    grades = [line.grades for line in table.lines]
    used = (each for each in chosen if any(one[each.name].attempts or one[each.name].decision for one in grades))
    return tuple(used) or chosen


def lines_of(table: CourseTable, wanted: CourseFilter) -> tuple[CourseLine, ...]:
    """The students whose name or key contains all words, and who have the wanted state at one of the assignments."""
    names = [each.name for each in columns_of(table, wanted)]
    found = [
        line
        for line in table.lines
        if has_words(f"{line.person.name} {line.person.key}", wanted.find)
        and (wanted.show == "everybody" or any(wanted.show in _states(line, name) for name in names))
    ]
    match wanted.sort:
        case "name":
            return tuple(found)
        case "fewest points":
            return tuple(sorted(found, key=lambda line: points_of(line, names)))
        case "most points":
            return tuple(sorted(found, key=lambda line: -points_of(line, names)))


def points_of(line: CourseLine, names: Sequence[str]) -> float:
    """Sum of a student's points at these assignments. Ungraded assignments count as 0."""
    return sum(line.grades[name].points or 0.0 for name in names)


def _states(line: CourseLine, name: str) -> Iterator[Show]:
    grade = line.grades[name]
    if grade.excused:
        yield "excused"
    elif grade.is_excluded and grade.points is None:
        yield "excluded"
    elif grade.attempts:
        yield grade.state
        if grade.late and grade.earned is not None:
            yield "late"
    else:
        yield "nothing handed in"


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
