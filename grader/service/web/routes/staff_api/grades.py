"""The final points of all students."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, Field
from starlette.requests import Request

from grader.common.record import Record
from grader.service.db.tables.submissions import AttemptRow
from grader.service.grades.final import FinalGrade, GradeState
from grader.service.grades.overview import CourseLine, course_table
from grader.service.web.routes.staff_api.parameters import PREFIX, GradesReader, ListPage, PageRequest, page_of
from grader.service.web.state import state_of

router = APIRouter(prefix=PREFIX)


class GradeFilter(PageRequest):
    """Query of the list: the points at one `assignment`. Empty means all assignments."""

    assignment: str = Field(default="", max_length=200)


class AssignmentGrade(Record):
    """The final points of a student at an assignment, after deductions and decisions by hand. `points` is null if
    nothing is graded or the student is excused. `attempt` is the attempt that counts. `why` explains points that differ
    from the points of the attempt.
    """

    assignment: str
    points: float | None
    max_points: float
    state: GradeState
    attempts: int
    attempt: str | None
    received: AwareDatetime | None
    late: bool
    excused: bool
    why: str


class StudentGrades(Record):
    """The final points of a student."""

    student: str
    name: str
    grades: tuple[AssignmentGrade, ...]


@router.get("/grades")
def grades(request: Request, _caller: GradesReader, asked: Annotated[GradeFilter, Query()]) -> ListPage[StudentGrades]:
    """The final points, with those of hidden checks, as on the page Points of students. `limit` is the number of
    students on a page. Needs the scope `grades:read`.
    """
    state = state_of(request)
    names = [state.cache.assignment(asked.assignment).name] if asked.assignment else []
    with state.database.reading() as session:
        table = course_table(session, state.cache.all())
    names = names or [each.name for each in table.assignments]
    lines = sorted(table.lines, key=lambda line: line.person.id)
    rest = [line for line in lines if line.person.id > asked.cursor][: asked.limit + 1]
    return page_of(rest, asked, lambda line: line.person.id, lambda line: _student(line, names))


def _student(line: CourseLine, names: list[str]) -> StudentGrades:
    theirs = tuple(_grade(name, line.grades[name], line.counting[name]) for name in names)
    return StudentGrades(student=line.person.key, name=line.person.name, grades=theirs)


def _grade(name: str, grade: FinalGrade, counting: AttemptRow | None) -> AssignmentGrade:
    return AssignmentGrade(
        assignment=name,
        points=grade.points,
        max_points=grade.most,
        state=grade.state,
        attempts=grade.attempts,
        attempt=None if counting is None else counting.public,
        received=None if counting is None else counting.received,
        late=grade.late,
        excused=grade.excused,
        why=grade.in_words,
    )
