"""Gradings that are made again. The audit trail has a line of each."""

from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from grader.common.phrases import count
from grader.service.database.tables import AttemptRow, AuditRow, GradingRow, State
from grader.service.hand_ins import FIRST, REGRADED, new_grading
from grader.service.refusing import NotDoneError, NotFoundError

Which = Literal["latest", "best"]


def try_again(session: Session, grading_id: int, who: str, now: datetime) -> None:
    """Grade an attempt again whose grading ended by a fault of ours."""
    grading = session.get(GradingRow, grading_id)
    if grading is None:
        raise NotFoundError
    if grading.state != State.FAULTED:
        raise NotDoneError("This grading has not failed; there is nothing to try again.")
    if not _again(session, grading.attempt, "tried again", FIRST, now):
        raise NotDoneError("This attempt is being graded already.")
    session.add(_line(now, who, grading.attempt.person.key, f"{_named(grading.attempt)}: tries again after a fault"))


def regrade(session: Session, assignment: str, which: Which, who: str, now: datetime) -> int:
    """Grade everybody's latest or best attempt at an assignment again, behind everybody who hands in; how many. The old
    result counts until the new one is there.
    """
    loaded = selectinload(AttemptRow.gradings), selectinload(AttemptRow.counted), selectinload(AttemptRow.person)
    wanted = select(AttemptRow).where(AttemptRow.assignment == assignment).options(*loaded)
    by_person: dict[int, list[AttemptRow]] = {}
    for attempt in session.scalars(wanted.order_by(AttemptRow.number)):
        by_person.setdefault(attempt.person_id, []).append(attempt)
    chosen = [each for attempts in by_person.values() if (each := _chosen(attempts, which)) is not None]
    begun = [each for each in chosen if _again(session, each, "regraded", REGRADED, now)]
    session.add(_line(now, who, "", f"{assignment}: grades {count(len(begun), f'{which} attempt')} again"))
    return len(begun)


def _chosen(attempts: list[AttemptRow], which: Which) -> AttemptRow | None:
    graded = [each for each in attempts if each.counted is not None]
    if which == "latest":
        return graded[-1] if graded else None
    return max(graded, key=lambda each: each.counted.points or 0.0 if each.counted else 0.0, default=None)


def _again(session: Session, attempt: AttemptRow, why: str, priority: int, now: datetime) -> bool:
    """Put it in the queue; False if it is there already."""
    if any(State(each.state).open for each in attempt.gradings):
        return False
    attempt.gradings.append(new_grading(why, priority, now))
    session.flush()
    return True


def _line(now: datetime, who: str, about: str, what: str) -> AuditRow:
    return AuditRow(at=now, who=who, about=about, what=what)


def _named(attempt: AttemptRow) -> str:
    return f"{attempt.person.key}, {attempt.assignment}, attempt {attempt.number}"
