"""Converts an assignment to the tables of a batch, with a row and an attempt for each student.

Brief grades are stored with each result. A page about the course reads hundreds of them instead of whole results. They
contain hidden checks but not the source.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.batch.lists import Order, graded_by_hand
from grader.course.policies.deadlines import DECIMALS, Lateness
from grader.course.submissions.handin import Student
from grader.lms.intake.labels import labels
from grader.lms.intake.owners import Owner
from grader.results.gradebook import Grade, StudentRow, grade_of
from grader.results.result import Correction, Deduction, Result
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.grades.final import FinalGrade
from grader.service.grades.overview import CourseLine, CourseTable
from grader.service.grades.wording import deduction_in_words

UNGRADED = "it has not been graded yet."
EXCUSED = "the student is excused."
EXCLUDED = "every attempt is excluded."


@dataclass(frozen=True, kw_only=True)
class Brief:
    """A grade, and the part of it that students see. Neither contains the source."""

    grade: Grade
    shown: Grade


BRIEFS = TypeAdapter(Brief)

CACHED_BRIEFS = 2000
"""Number of brief grades that a process caches for later requests of the same page. Each takes about ten kilobytes."""


def brief_of(result: Result, shown: Result) -> str:
    """The brief grade of a result and of the part that students see, as JSON."""
    return BRIEFS.dump_json(Brief(grade=_without_source(result), shown=_without_source(shown))).decode()


def briefs_in(session: Session, gradings: Sequence[int]) -> dict[int, Brief]:
    """Brief grades of these gradings, by number. Gradings that have not ended are left out."""
    wanted = select(GradingRow.id, GradingRow.brief).where(GradingRow.id.in_(gradings))
    return {row.id: _read(row.brief) for row in session.execute(wanted) if row.brief is not None}


def _without_source(result: Result) -> Grade:
    return replace(grade_of(result), source="")


@lru_cache(maxsize=CACHED_BRIEFS)
def _read(brief: str) -> Brief:
    return BRIEFS.validate_json(brief)


@dataclass(frozen=True, kw_only=True)
class AssignmentRows:
    """A row for each student, sorted by label. `attempts` maps labels to the attempts that count, and `teams` maps them
    to the groups of students who hand in together.
    """

    rows: tuple[StudentRow, ...]
    attempts: dict[str, AttemptRow]
    teams: dict[str, str]


def students_of(table: CourseTable) -> dict[int, Student]:
    """All students in the table, by number. Their labels are unique and valid as names of folders."""
    people = [line.person for line in table.lines]
    given = labels(map(_owner, people))
    return {each.id: Student(label=given[_owner(each)], name=each.name, key=each.key) for each in people}


def rows_of(session: Session, table: CourseTable, assignment: str) -> AssignmentRows:
    """The rows of one assignment in the table."""
    students = students_of(table)
    counting = {line.person.id: line.counting[assignment] for line in table.lines}
    numbers = [each.counted_id for each in counting.values() if each is not None and each.counted_id is not None]
    briefs = briefs_in(session, numbers)
    found = [_row(line, assignment, students[line.person.id], briefs) for line in table.lines]
    attempts = {students[person].label: each for person, each in counting.items() if each is not None}
    return AssignmentRows(
        rows=tuple(sorted(found, key=lambda row: row.student.order)),
        attempts=attempts,
        teams=_teams(table, assignment, students),
    )


def _teams(table: CourseTable, assignment: str, students: dict[int, Student]) -> dict[str, str]:
    """The group of each student who hands in the assignment with others, by label."""
    if any(each.name == assignment and each.policies.groups == 1 for each in table.assignments):
        return {}
    teams = ((students[line.person.id].label, line.person.team) for line in table.lines)
    return {label: team for label, team in teams if team is not None}


def _row(line: CourseLine, assignment: str, student: Student, briefs: dict[int, Brief]) -> StudentRow:
    attempt = line.counting[assignment]
    own = line.grades[assignment]
    brief = None if attempt is None or attempt.counted_id is None else briefs.get(attempt.counted_id)
    if own.excused:
        return StudentRow(student=student, assignment=assignment, fault=EXCUSED, left_out="excused")
    if attempt is None or attempt.counted is None or brief is None:
        return graded_by_hand(_ungraded(own, assignment, student), _order(own), own.most)
    return StudentRow(
        student=student,
        assignment=assignment,
        where=attempt.file_name,
        late=own.late,
        grade=_decided(brief.grade, own),
        shown=_decided(brief.grade if attempt.counted.released else brief.shown, own),
    )


def _ungraded(own: FinalGrade, assignment: str, student: Student) -> StudentRow:
    """The row of a student without an attempt that counts."""
    if own.is_excluded:
        return StudentRow(student=student, assignment=assignment, fault=EXCLUDED, left_out="excluded")
    return StudentRow(student=student, assignment=assignment, fault=UNGRADED if own.attempts else "")


def _decided(grade: Grade, own: FinalGrade) -> Grade:
    """A grade with its final points, after the deduction for lateness and corrections."""
    cost, order = own.cost, _order(own)
    left = grade.points if cost is None else cost.leaves(grade.points)
    points = left if order is None else order.amount.points(left, own.most)
    return replace(
        grade,
        points=points,
        max_points=own.most,
        deduction=None if cost is None else _deduction(grade.points, cost),
        correction=None
        if order is None
        else Correction(points=round(points - left, DECIMALS), comment=own.comment, final=own.is_set),
    )


def _deduction(earned: float, cost: Lateness) -> Deduction:
    """The deduction for lateness from these points. Its text does not mention other points because these
    may be hidden.
    """
    lost = round(cost.leaves(earned) - earned, DECIMALS)
    return Deduction(before=earned, points=lost, why=deduction_in_words(earned, cost))


def _order(own: FinalGrade) -> Order | None:
    """The decision by hand, in the form that batches use; None if no points were decided by hand."""
    return None if own.amount is None else Order(where="", comment=own.comment, amount=own.amount)


def _owner(person: PersonRow) -> Owner:
    return Owner(name=person.name, key=person.key)
