"""The attempts of all students, with their files and results."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, Field
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload
from starlette.requests import Request
from starlette.responses import Response

from grader.common.record import Record
from grader.service.course.groups import belongs_to
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow
from grader.service.web.auth import visible_attempt
from grader.service.web.routes.staff_api.parameters import (
    PREFIX,
    AttemptsReader,
    ListPage,
    PageRequest,
    ResultsReader,
    page_of,
)
from grader.service.web.routes.staff_api.roster import person_with_key
from grader.service.web.routes.student.attempts import file_of
from grader.service.web.routes.student.downloads import FileName, download_of
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix=PREFIX)


class AttemptFilter(PageRequest):
    """Query of the list: attempts at an `assignment`, and of a `student` and the student's group. Empty means all."""

    assignment: str = Field(default="", max_length=200)
    student: str = Field(default="", max_length=200)


class StaffAttempt(Record):
    """An attempt without its result. `student` is the key of the person who handed it in, `trial` is true for a trial
    run of the staff, and `entered_by` is the instructor who handed it in for the student. `state` is the state of the
    latest grading, and `graded` is true if a result counts.
    """

    id: str
    assignment: str
    student: str
    number: int
    received: AwareDatetime
    trial: bool
    entered_by: str | None
    size: int
    sha256: str
    state: State
    graded: bool
    page: str


@router.get("/attempts")
def attempts(
    request: Request, _caller: AttemptsReader, asked: Annotated[AttemptFilter, Query()]
) -> ListPage[StaffAttempt]:
    """The attempts, in the order in which they were stored. Needs the scope `attempts:read`."""
    state = state_of(request)
    with state.database.reading() as session:
        rows = _rows(session, asked)
        return page_of(rows, asked, lambda row: row.id, lambda row: _attempt(state, row))


def _rows(session: Session, asked: AttemptFilter) -> list[AttemptRow]:
    wanted = select(AttemptRow).where(AttemptRow.id > asked.cursor).order_by(AttemptRow.id).limit(asked.limit + 1)
    if asked.assignment:
        wanted = wanted.where(AttemptRow.assignment == asked.assignment)
    if asked.student:
        wanted = wanted.where(belongs_to([person_with_key(session, asked.student).id]))
    loaded = selectinload(AttemptRow.person), selectinload(AttemptRow.gradings)
    return [*session.scalars(wanted.options(*loaded))]


@router.get("/attempts/{public}")
def one_attempt(request: Request, caller: AttemptsReader, public: str) -> StaffAttempt:
    """One attempt. Needs the scope `attempts:read`."""
    state = state_of(request)
    with state.database.reading() as session:
        return _attempt(state, visible_attempt(session, public, caller))


@router.get("/attempts/{public}/file")
def attempt_file(request: Request, caller: AttemptsReader, public: str) -> Response:
    """The file as it was handed in. Needs the scope `attempts:read`."""
    return file_of(request, caller, public)


def _attempt(state: AppState, row: AttemptRow) -> StaffAttempt:
    return StaffAttempt(
        id=row.public,
        assignment=row.assignment,
        student=row.person.key,
        number=row.number,
        received=row.received,
        trial=row.trial,
        entered_by=row.entered_by,
        size=row.size,
        sha256=row.sha256,
        state=State(row.gradings[-1].state),
        graded=row.counted_id is not None,
        page=f"{state.origin}/attempts/{row.public}",
    )


@router.get("/attempts/{public}/results/{name}")
def result(request: Request, caller: ResultsReader, public: str, name: FileName) -> Response:
    """The result that counts: as JSON, JUnit XML, SARIF, for Code Quality, or as a page. With `?all=yes`, it includes
    checks that are hidden from students. 404 if the attempt has no result yet. Needs the scope `results:read`.
    """
    return download_of(request, caller, public, name)
