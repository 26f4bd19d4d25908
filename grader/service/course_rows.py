"""An assignment of the course as the batch's tables know it: a row for each student, and where its attempt is."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from grader.course.submissions.handin import Student
from grader.lms.intake.labels import labels
from grader.lms.intake.owners import Owner
from grader.results.gradebook import StudentRow
from grader.service.briefs import Brief, briefs_in
from grader.service.database.tables import AttemptRow, PersonRow
from grader.service.standing import CourseTable, Line

UNGRADED = "it has not been graded yet."


@dataclass(frozen=True, kw_only=True)
class AssignmentRows:
    """A row for each student, by label; `attempts` are those that count, by label, too."""

    rows: tuple[StudentRow, ...]
    attempts: dict[str, AttemptRow]


def students_of(table: CourseTable) -> dict[int, Student]:
    """Everybody in the table, by number, under labels that differ and can be names of folders."""
    people = [line.person for line in table.lines]
    given = labels(map(_owner, people))
    return {each.id: Student(label=given[_owner(each).identity], name=each.name, key=each.key) for each in people}


def rows_of(session: Session, table: CourseTable, assignment: str) -> AssignmentRows:
    """The rows of an assignment that the table has."""
    students = students_of(table)
    counting = {line.person.id: line.counting[assignment] for line in table.lines}
    numbers = [each.counted_id for each in counting.values() if each is not None and each.counted_id is not None]
    briefs = briefs_in(session, numbers)
    found = [_row(line, assignment, students[line.person.id], briefs) for line in table.lines]
    attempts = {students[person].label: each for person, each in counting.items() if each is not None}
    return AssignmentRows(rows=tuple(sorted(found, key=lambda row: row.student.label)), attempts=attempts)


def _row(line: Line, assignment: str, student: Student, briefs: dict[int, Brief]) -> StudentRow:
    attempt = line.counting[assignment]
    brief = None if attempt is None or attempt.counted_id is None else briefs.get(attempt.counted_id)
    return StudentRow(
        student=student,
        assignment=assignment,
        where="" if attempt is None else attempt.file_name,
        late=assignment in line.late,
        grade=None if brief is None else brief.grade,
        shown=None if brief is None else brief.shown,
        fault=UNGRADED if brief is None and line.attempts[assignment] else "",
    )


def _owner(person: PersonRow) -> Owner:
    return Owner(name=person.name, key=person.key)
