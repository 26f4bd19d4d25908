"""Orders to grade attempts again. Each order is recorded in the audit trail.

Students see which of their attempts are graded again, so the selection must not depend on anything hidden from them.
Before release, hidden checks do not select attempts, and the best attempt is the one that looks best to students.

The summary of an order lists the attempts whose points have changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased, selectinload

from grader.common.phrases import count
from grader.common.record import Record
from grader.protocol.text import showable
from grader.service.course.assignment_view import AssignmentView
from grader.service.db.session import Database, in_batches
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.decisions import RegradingRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow, GradingRow, ShareRow
from grader.service.errors import NotFoundError, RefusedError
from grader.service.grades.publication import hold_of
from grader.service.grades.visibility import checks_of
from grader.service.submissions.accept import HAND_IN_PRIORITY, REGRADING_PRIORITY, new_grading
from grader.service.submissions.queue import NEEDS_A_GRADING
from grader.service.submissions.versions import older

Which = Literal["all", "latest", "best"]

NONE_MATCHES = "Nothing is graded again: no attempt matches, or all that match are already waiting or running."
HIDDEN_SELECTS_NOTHING = (
    "Before release, hidden checks do not select attempts, because students see what is graded again. Leave the last "
    "field empty."
)
HELD_SELECTS_NOTHING = (
    "While results are held back, they do not select attempts, because students see what is graded again. Choose all "
    "or the latest, and leave the last field empty."
)
OLDER = "attempts graded by an older version"

MAX_LISTED = 50
"""Maximum number of regradings in the list, which starts with the latest."""


def try_again(session: Session, grading_id: int, who: str, now: datetime) -> None:
    """Grade an attempt again after a fault of the service. Raises NotFoundError if the grading is unknown, and
    RefusedError if it did not end with a fault or the attempt is queued.
    """
    grading = session.get(GradingRow, grading_id)
    if grading is None or grading.attempt_id is None:
        raise NotFoundError
    if grading.state != State.FAULTED:
        raise RefusedError("This grading has not failed; there is nothing to try again.")
    what = f"{grading.attempt.in_words}: tries again after a fault"
    session.add(AuditRow(at=now, who=who, about=grading.attempt.person.key, what=what))
    # If only hidden cases are missing, the student already sees the grading as ended and must not see a new one.
    if grading.early_points is not None and grading.fault not in NEEDS_A_GRADING:
        grading.state, grading.hidden_tries, grading.not_before, grading.fault = State.SHOWN, 0, now, ""
        grading.lease_until = None
        return
    if _is_queued(grading.attempt):
        raise RefusedError("This attempt is already waiting or running.")
    grading.attempt.gradings.append(new_grading("tried again", HAND_IN_PRIORITY, now))


class Selection(Record):
    """Selection of attempts to grade again: all attempts, or the latest or best of each student or group. A non-empty
    `matching` restricts it to attempts with a check that has not passed and has this text in its name or as its reason.
    Points and checks are those that students see.
    """

    assignment: str
    which: Which
    matching: str = ""

    @property
    def in_words(self) -> str:
        """For example "best attempts with WRONG_OUTPUT"."""
        return f"{self.which} attempts" + (f" with {showable(self.matching)}" if self.matching else "")


def regrade(database: Database, selection: Selection, who: str, now: datetime) -> int:
    """Queue attempts to be graded again, behind all hand-ins, and return the number of the order. The old results count
    until the new ones are stored, and are kept. Skips attempts that have entered the queue in the meantime. Raises
    RefusedError if no attempt matches.
    """
    with database.reading() as session:
        if (selection.which == "best" or selection.matching) and hold_of(session, selection.assignment) is not None:
            raise RefusedError(HELD_SELECTS_NOTHING)
        wanted = _selected(session, selection)
    return _order(database, wanted, _Order(selection.assignment, selection.in_words, who, now))


def regrade_older(database: Database, assignments: Sequence[AssignmentView], who: str, now: datetime) -> None:
    """Queue all attempts that were graded by an older version of their assignment to be graded again. Raises
    RefusedError if there are no such attempts.
    """
    with database.reading() as session:
        wanted = {each.name: _graded_by_older(session, each) for each in assignments}
    if not any(wanted.values()):
        raise RefusedError("No attempt was graded by an older version, or all of these are already waiting or running.")
    for name, attempts in wanted.items():
        if attempts:
            _order(database, attempts, _Order(name, OLDER, who, now))


def _graded_by_older(session: Session, assignment: AssignmentView) -> Sequence[int]:
    """The numbers of the attempts that were graded by an older version and are not being graded again."""
    graded = select(AttemptRow.id).join(GradingRow, AttemptRow.counted_id == GradingRow.id).where(older(assignment))
    return session.scalars(graded.order_by(AttemptRow.id)).all()


@dataclass(frozen=True)
class _Order:
    """An order to grade attempts at an assignment again: the selection in words, its author, and the time."""

    assignment: str
    which: str
    who: str
    at: datetime


def _order(database: Database, attempts: Sequence[int], order: _Order) -> int:
    """Store the order, put the attempts in the queue, and return the number of the order."""
    what = f"{order.assignment}: grades {count(len(attempts), 'attempt')} again ({order.which})"
    with database.writing() as session:
        row = RegradingRow(assignment=order.assignment, which=order.which, who=order.who, at=order.at)
        session.add_all((row, AuditRow(at=order.at, who=order.who, about="", what=what)))
    in_batches(database, attempts, lambda session, some: _queue(session, some, row.id, order.at))
    return row.id


def _selected(session: Session, selection: Selection) -> list[int]:
    """The numbers of the selected attempts that are not in the queue. Raises RefusedError if there are none."""
    loaded = selectinload(AttemptRow.gradings), selectinload(AttemptRow.counted)
    graded = AttemptRow.counted_id.is_not(None), AttemptRow.trial.is_(False)
    wanted = select(AttemptRow).where(AttemptRow.assignment == selection.assignment, *graded).options(*loaded)
    shares: dict[int, set[int]] = {}
    for attempt_id, person_id in session.execute(select(ShareRow.attempt_id, ShareRow.person_id)):
        shares.setdefault(attempt_id, set()).add(person_id)
    by_people: dict[frozenset[int], list[AttemptRow]] = {}
    for attempt in session.scalars(wanted.order_by(AttemptRow.number)):
        by_people.setdefault(frozenset({attempt.person_id, *shares.get(attempt.id, ())}), []).append(attempt)
    chosen = [each for attempts in by_people.values() for each in _chosen(attempts, selection.which)]
    found = [each.id for each in chosen if _matches(each, selection.matching) and not _is_queued(each)]
    if not found:
        hides = any(each.counted is not None and each.counted.withholds for each in chosen)
        raise RefusedError(f"{NONE_MATCHES} {HIDDEN_SELECTS_NOTHING}" if hides else NONE_MATCHES)
    return found


def _queue(session: Session, attempts: Sequence[int], regrading: int, now: datetime) -> None:
    """Put attempts in the queue, except those that are already in it."""
    is_open = GradingRow.state.in_([state for state in State if state.open])
    queued = set(session.scalars(select(GradingRow.attempt_id).where(GradingRow.attempt_id.in_(attempts), is_open)))
    for each in attempts:
        if each not in queued:
            grading = new_grading("regraded", REGRADING_PRIORITY, now)
            grading.attempt_id, grading.regrading_id = each, regrading
            session.add(grading)


def _chosen(attempts: list[AttemptRow], which: Which) -> list[AttemptRow]:
    match which:
        case "all":
            return attempts
        case "latest":
            return attempts[-1:]
        case "best":
            return [max(attempts, key=lambda each: each.counted.shown_points or 0.0 if each.counted else 0.0)]


def _matches(attempt: AttemptRow, words: str) -> bool:
    if not words or attempt.counted is None:
        return not words
    wanted = words.casefold()
    lost = [each for each in checks_of(attempt.counted).checks if each.verdict in {"failed", "partial"}]
    return any(wanted in each.name.casefold() or wanted == each.reason.casefold() for each in lost)


def _is_queued(attempt: AttemptRow) -> bool:
    """True if the attempt waits or is being graded."""
    return any(State(each.state).open for each in attempt.gradings)


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
