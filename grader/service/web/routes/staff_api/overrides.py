"""Decisions by hand about grades."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, Field
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from grader.common.record import Record
from grader.service.db.tables.decisions import Decision, DecisionRow
from grader.service.db.tables.people import PersonRow
from grader.service.errors import FieldError, NotFoundError
from grader.service.grades.decisions.overrides import DecisionForm, decide
from grader.service.web.auth import RowNumber
from grader.service.web.routes.staff_api.parameters import (
    PREFIX,
    AnyPage,
    ListPage,
    OverridesReader,
    OverridesWriter,
    page_of,
)
from grader.service.web.routes.staff_api.roster import person_with_key
from grader.service.web.state import state_of

router = APIRouter(prefix=PREFIX)


class Override(Record):
    """A decision. It sets the `points`, adds `points` (which may be negative), or excuses the student."""

    id: int
    student: str
    assignment: str
    kind: Decision
    points: float
    comment: str
    decided_by: str
    decided: AwareDatetime


class NewOverride(Record):
    """A decision to make. `points` is a text such as "80", "+5" or "-2.5", or "excused". The student sees the
    comment.
    """

    student: str = Field(max_length=200)
    assignment: str = Field(max_length=200)
    points: str = Field(max_length=40)
    comment: str = Field(max_length=2000)


@router.get("/overrides")
def overrides(request: Request, _caller: OverridesReader, asked: AnyPage) -> ListPage[Override]:
    """The decisions about all grades. Needs the scope `overrides:read`."""
    wanted = select(DecisionRow, PersonRow).join(PersonRow, PersonRow.id == DecisionRow.person_id)
    wanted = wanted.where(DecisionRow.id > asked.cursor).order_by(DecisionRow.id).limit(asked.limit + 1)
    with state_of(request).database.reading() as session:
        rows = [(row, person) for row, person in session.execute(wanted)]
    return page_of(rows, asked, lambda pair: pair[0].id, lambda pair: _override(*pair))


@router.post("/overrides", status_code=201)
def override(request: Request, caller: OverridesWriter, wanted: NewOverride) -> Override:
    """Set a student's grade for an assignment by hand. The decision replaces an earlier one and remains after
    regradings. Needs the scope `overrides:write`.
    """
    if not wanted.points.strip():
        raise FieldError("points", 'No points are given. Write "80", "+5", "-2.5" or "excused".')
    state = state_of(request)
    shown = state.cache.assignment(wanted.assignment)
    asked = DecisionForm(who=caller.key, points=wanted.points, comment=wanted.comment)
    with state.database.writing() as session:
        person = person_with_key(session, wanted.student)
        decide(session, shown, person, asked, state.now())
        session.flush()
        chosen = DecisionRow.person_id == person.id, DecisionRow.assignment == shown.name
        return _override(session.scalars(select(DecisionRow).where(*chosen)).one(), person)


@router.delete("/overrides/{override_id}", status_code=204)
def withdraw(
    request: Request,
    caller: OverridesWriter,
    override_id: RowNumber,
    comment: Annotated[str, Query(max_length=2000)] = "",
) -> Response:
    """Withdraw a decision. The query `comment` gives the reason. Needs the scope `overrides:write`."""
    state = state_of(request)
    with state.database.writing() as session:
        row, person = _decided(session, override_id)
        asked = DecisionForm(who=caller.key, points="", comment=comment)
        decide(session, state.cache.assignment(row.assignment), person, asked, state.now())
    return Response(status_code=204)


def _decided(session: Session, override_id: int) -> tuple[DecisionRow, PersonRow]:
    row = session.get(DecisionRow, override_id)
    if row is None:
        raise NotFoundError
    return row, session.get_one(PersonRow, row.person_id)


def _override(row: DecisionRow, person: PersonRow) -> Override:
    return Override(
        id=row.id,
        student=person.key,
        assignment=row.assignment,
        kind=Decision(row.kind),
        points=row.points,
        comment=row.comment,
        decided_by=row.who,
        decided=row.at,
    )
