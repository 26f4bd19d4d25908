"""Extensions of single students."""

from fastapi import APIRouter
from pydantic import AwareDatetime, Field
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from grader.common.record import Record
from grader.service.db.tables.decisions import ExtensionRow
from grader.service.db.tables.people import PersonRow
from grader.service.errors import FieldError, NotFoundError
from grader.service.grades.decisions.course_extensions import ListedExtension, withdraw_listed
from grader.service.grades.decisions.extensions import ExtensionForm, extend, extension_of
from grader.service.web.auth import RowNumber
from grader.service.web.routes.staff_api.parameters import (
    PREFIX,
    AnyPage,
    ExtensionsReader,
    ExtensionsWriter,
    ListPage,
    page_of,
)
from grader.service.web.routes.staff_api.roster import person_with_key
from grader.service.web.state import state_of

router = APIRouter(prefix=PREFIX)


class StaffExtension(Record):
    """An extension. `due` is the new due date, or null, and `attempts` the number of extra attempts."""

    id: int
    student: str
    assignment: str
    due: AwareDatetime | None
    attempts: int
    reason: str
    given_by: str
    given: AwareDatetime


class NewExtension(Record):
    """An extension to give. `until` is a date such as 2026-12-03T23:59, in the time of the course unless it has an
    offset. The student sees the reason.
    """

    student: str = Field(max_length=200)
    assignment: str = Field(max_length=200)
    until: str = Field(default="", max_length=40)
    attempts: int = Field(default=0, ge=0, le=999)
    reason: str = Field(max_length=2000)


@router.get("/extensions")
def extensions(request: Request, _caller: ExtensionsReader, asked: AnyPage) -> ListPage[StaffExtension]:
    """The extensions of all students. Needs the scope `extensions:read`."""
    wanted = select(ExtensionRow, PersonRow).join(PersonRow, PersonRow.id == ExtensionRow.person_id)
    wanted = wanted.where(ExtensionRow.id > asked.cursor).order_by(ExtensionRow.id).limit(asked.limit + 1)
    with state_of(request).database.reading() as session:
        rows = [ListedExtension(row=row, person=person) for row, person in session.execute(wanted)]
    return page_of(rows, asked, lambda each: each.row.id, _extension)


@router.post("/extensions", status_code=201)
def give(request: Request, caller: ExtensionsWriter, wanted: NewExtension) -> StaffExtension:
    """Give a student an extension. It replaces the student's earlier one for the assignment and takes effect at once.
    Needs the scope `extensions:write`.
    """
    if not wanted.until.strip() and not wanted.attempts:
        raise FieldError("until", "This extends nothing: give a later date in `until`, or extra `attempts`.")
    state = state_of(request)
    shown = state.cache.assignment(wanted.assignment)
    asked = ExtensionForm(who=caller.key, until=wanted.until, attempts=str(wanted.attempts), reason=wanted.reason)
    with state.database.writing() as session:
        person = person_with_key(session, wanted.student)
        extend(session, shown, person, asked, state.now())
        row = extension_of(session, shown.name, person.id)
        if row is None:
            raise NotFoundError
        session.flush()
        return _extension(ListedExtension(row=row, person=person))


@router.delete("/extensions/{extension_id}", status_code=204)
def withdraw(request: Request, caller: ExtensionsWriter, extension_id: RowNumber) -> Response:
    """Withdraw an extension. Needs the scope `extensions:write`."""
    state = state_of(request)
    with state.database.writing() as session:
        withdraw_listed(session, extension_id, caller.key, state.cache.zone, state.now())
    return Response(status_code=204)


def _extension(listed: ListedExtension) -> StaffExtension:
    row = listed.row
    return StaffExtension(
        id=row.id,
        student=listed.person.key,
        assignment=row.assignment,
        due=row.due,
        attempts=row.attempts,
        reason=row.reason,
        given_by=row.who,
        given=row.at,
    )
