"""Regradings: orders to grade attempts again, and their results."""

from fastapi import APIRouter
from pydantic import AwareDatetime, Field
from sqlalchemy import select
from starlette.requests import Request

from grader.common.record import Record
from grader.service.db.tables.decisions import RegradingRow
from grader.service.errors import RefusedError
from grader.service.grades.decisions.regrading import RegradingSummary, Selection, Which, regrade, summary_of
from grader.service.web.auth import RowNumber
from grader.service.web.routes.staff_api.parameters import (
    PREFIX,
    AnyPage,
    ListPage,
    RegradesReader,
    RegradesWriter,
    page_of,
)
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix=PREFIX)


class Regrade(Record):
    """An order to grade attempts again. `which` describes the selected attempts."""

    id: int
    assignment: str
    which: str
    ordered_by: str
    ordered: AwareDatetime


class ChangedPoints(Record):
    """An attempt whose points have changed."""

    attempt: str
    student: str
    before: float | None
    after: float


class RegradeResult(Record):
    """The order, with its result so far: changed points, and the numbers of gradings that gave the same points, have
    not ended, or failed. `ended` is true if all gradings have ended.
    """

    order: Regrade
    ended: bool
    changes: tuple[ChangedPoints, ...]
    same: int
    unfinished: int
    failed: int


class NewRegrade(Record):
    """Selection of attempts to grade again: all, or the latest or best of each student. `matching` restricts it to
    attempts with a check that has not passed and has this text in its name or as its reason.
    """

    assignment: str = Field(max_length=200)
    which: Which
    matching: str = Field(default="", max_length=200)


@router.get("/regrades")
def regrades(request: Request, _caller: RegradesReader, asked: AnyPage) -> ListPage[Regrade]:
    """The regradings. Needs the scope `regrades:read`."""
    wanted = select(RegradingRow).where(RegradingRow.id > asked.cursor).order_by(RegradingRow.id)
    with state_of(request).database.reading() as session:
        rows = session.scalars(wanted.limit(asked.limit + 1)).all()
    return page_of(rows, asked, lambda row: row.id, _order)


@router.post("/regrades", status_code=201)
def order(request: Request, caller: RegradesWriter, wanted: NewRegrade) -> RegradeResult:
    """Grade attempts again, behind all hand-ins. The old results count until the new ones are stored. Needs the scope
    `regrades:write`.
    """
    state = state_of(request)
    shown = state.cache.assignment(wanted.assignment)
    if shown.gone:
        raise RefusedError(f"The folder of {shown.name} was removed, so its attempts cannot be graded again.")
    selection = Selection(assignment=shown.name, which=wanted.which, matching=wanted.matching.strip())
    return _result(state, regrade(state.database, selection, caller.key, state.now()))


@router.get("/regrades/{regrading_id}")
def one_regrade(request: Request, _caller: RegradesReader, regrading_id: RowNumber) -> RegradeResult:
    """One regrading, with its result so far. Needs the scope `regrades:read`."""
    return _result(state_of(request), regrading_id)


def _result(state: AppState, regrading_id: int) -> RegradeResult:
    with state.database.reading() as session:
        found: RegradingSummary = summary_of(session, regrading_id)
        return RegradeResult(
            order=_order(found.order),
            ended=found.unfinished == 0,
            changes=tuple(
                ChangedPoints(
                    attempt=each.attempt.public,
                    student=each.attempt.person.key,
                    before=each.before,
                    after=each.after,
                )
                for each in found.changes
            ),
            same=found.same,
            unfinished=found.unfinished,
            failed=found.failed,
        )


def _order(row: RegradingRow) -> Regrade:
    return Regrade(id=row.id, assignment=row.assignment, which=row.which, ordered_by=row.who, ordered=row.at)
