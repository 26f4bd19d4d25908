"""The roster."""

from fastapi import APIRouter
from pydantic import AwareDatetime
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.requests import Request

from grader.common.record import Record
from grader.protocol.text import showable
from grader.service.db.tables.people import PersonRow
from grader.service.errors import FieldError
from grader.service.people.auth.sessions import person_named
from grader.service.web.routes.staff_api.parameters import PREFIX, AnyPage, ListPage, RosterReader, page_of
from grader.service.web.state import state_of

router = APIRouter(prefix=PREFIX)


class RosterPerson(Record):
    """A person of the course. `group` is null without a group, and `deactivated` is null for an active person."""

    id: int
    key: str
    name: str
    role: str
    group: str | None
    created: AwareDatetime
    deactivated: AwareDatetime | None


@router.get("/people")
def people(request: Request, _caller: RosterReader, asked: AnyPage) -> ListPage[RosterPerson]:
    """The people of the course. Needs the scope `roster:read`."""
    wanted = select(PersonRow).where(PersonRow.id > asked.cursor).order_by(PersonRow.id).limit(asked.limit + 1)
    with state_of(request).database.reading() as session:
        rows = session.scalars(wanted).all()
    return page_of(rows, asked, lambda row: row.id, _person)


def _person(row: PersonRow) -> RosterPerson:
    return RosterPerson(
        id=row.id,
        key=row.key,
        name=row.name,
        role=row.role,
        group=row.team,
        created=row.created,
        deactivated=row.deactivated,
    )


def person_with_key(session: Session, key: str) -> PersonRow:
    """The person whom a program names by key. Raises FieldError if there is no such person."""
    found = person_named(session, {key})
    if found is None:
        raise FieldError("student", f"No person of this course has the key {showable(key)!r}; see the roster.")
    return found
