"""Results of regradings: the attempts whose points have changed."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased, selectinload

from grader.service.db.tables.decisions import RegradingRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.errors import NotFoundError

MAX_LISTED = 50
"""Maximum number of regradings in the list, which starts with the latest."""


@dataclass(frozen=True, kw_only=True)
class PointsChange:
    """An attempt whose points have changed."""

    attempt: AttemptRow
    before: float | None
    after: float


@dataclass(frozen=True, kw_only=True)
class RegradingSummary:
    """Result of a regrading: the attempts whose points changed, and the numbers of gradings that gave the same points,
    have not ended, or failed.
    """

    order: RegradingRow
    changes: tuple[PointsChange, ...]
    same: int
    unfinished: int
    failed: int


def regradings(session: Session) -> Sequence[RegradingRow]:
    """The latest regradings."""
    return session.scalars(select(RegradingRow).order_by(RegradingRow.id.desc()).limit(MAX_LISTED)).all()


def summary_of(session: Session, regrading_id: int) -> RegradingSummary:
    """Result of a regrading so far. New points are compared with the attempt's latest earlier result. Raises
    NotFoundError if the regrading is unknown.
    """
    order = session.get(RegradingRow, regrading_id)
    if order is None:
        raise NotFoundError
    earlier = aliased(GradingRow)
    last = (
        select(func.max(earlier.id))
        .correlate(GradingRow)
        .where(earlier.attempt_id == GradingRow.attempt_id, earlier.id < GradingRow.id, earlier.points.is_not(None))
    )
    older = aliased(GradingRow)
    before = select(older.points).where(older.id == last.scalar_subquery()).scalar_subquery()
    wanted = select(GradingRow, before).where(GradingRow.regrading_id == regrading_id).order_by(GradingRow.id)
    loaded = selectinload(GradingRow.attempt).selectinload(AttemptRow.person)
    rows = session.execute(wanted.options(loaded)).all()
    done = [(grading, old) for grading, old in rows if grading.state == State.DONE]
    changes = [
        PointsChange(attempt=grading.attempt, before=old, after=grading.points or 0.0)
        for grading, old in done
        if grading.points != old
    ]
    unfinished = sum(State(grading.state).open or grading.state == State.SHOWN for grading, _ in rows)
    return RegradingSummary(
        order=order,
        changes=tuple(changes),
        same=len(done) - len(changes),
        unfinished=unfinished,
        failed=len(rows) - len(done) - unfinished,
    )
