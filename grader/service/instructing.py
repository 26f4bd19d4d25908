"""Gradings that are made again. The audit trail has a line of each.

Students see which of their attempts are graded again. So what selects them is what students see: before release, hidden
checks select nothing, and the best attempt is the one that looks best.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from grader.common.phrases import count
from grader.common.record import Record
from grader.protocol.text import showable
from grader.service.courses import Shown
from grader.service.database.tables import AttemptRow, AuditRow, GradingRow, RegradingRow, ShareRow, State
from grader.service.hand_ins import FIRST, REGRADED, new_grading
from grader.service.refusing import NotDoneError, NotFoundError
from grader.service.standing import checks_of
from grader.service.versions import older

Which = Literal["all", "latest", "best"]

NONE_MATCHES = "No attempt matches, or each is being graded already; nothing is graded again."
HIDDEN_SELECTS_NOTHING = (
    "Hidden checks select nothing before release, since students see what is graded again: leave the last field empty."
)
OLDER = "attempts graded by an older version"


def try_again(session: Session, grading_id: int, who: str, now: datetime) -> None:
    """Grade an attempt again whose grading ended by a fault of ours."""
    grading = session.get(GradingRow, grading_id)
    if grading is None:
        raise NotFoundError
    if grading.state != State.FAULTED:
        raise NotDoneError("This grading has not failed; there is nothing to try again.")
    if not _again(session, grading.attempt, new_grading("tried again", FIRST, now)):
        raise NotDoneError("This attempt is being graded already.")
    session.add(_line(now, who, grading.attempt.person.key, f"{_named(grading.attempt)}: tries again after a fault"))


class Selection(Record):
    """Which attempts at an assignment are graded again: of each student or group all, the latest or the best; of these,
    if `matching` says anything, only those of which a check with this in its name or as its reason has not passed. Both
    by what students see.
    """

    assignment: str
    which: Which
    matching: str = ""

    @property
    def in_words(self) -> str:
        """For example "best attempts with WRONG_OUTPUT"."""
        return f"{self.which} attempts" + (f" with {showable(self.matching)}" if self.matching else "")


def regrade(session: Session, selection: Selection, who: str, now: datetime) -> int:
    """Grade attempts again, behind everybody who hands in; the number of the order. The old results count until the new
    ones are there, and stay. Raises NotDoneError where nothing matches.
    """
    loaded = selectinload(AttemptRow.gradings), selectinload(AttemptRow.counted), selectinload(AttemptRow.person)
    graded = AttemptRow.counted_id.is_not(None), AttemptRow.trial.is_(False)
    wanted = select(AttemptRow).where(AttemptRow.assignment == selection.assignment, *graded).options(*loaded)
    shares: dict[int, set[int]] = {}
    for attempt_id, person_id in session.execute(select(ShareRow.attempt_id, ShareRow.person_id)):
        shares.setdefault(attempt_id, set()).add(person_id)
    by_people: dict[frozenset[int], list[AttemptRow]] = {}
    for attempt in session.scalars(wanted.order_by(AttemptRow.number)):
        by_people.setdefault(frozenset({attempt.person_id, *shares.get(attempt.id, ())}), []).append(attempt)
    chosen = [each for attempts in by_people.values() for each in _chosen(attempts, selection.which)]
    row = RegradingRow(assignment=selection.assignment, which=selection.in_words, who=who, at=now)
    session.add(row)
    session.flush()
    matching = [each for each in chosen if _matches(each, selection.matching)]
    begun = sum(_again(session, each, _regraded(row.id, now)) for each in matching)
    if not begun:
        hides = any(each.counted is not None and each.counted.withholds for each in chosen)
        raise NotDoneError(f"{NONE_MATCHES} {HIDDEN_SELECTS_NOTHING}" if hides else NONE_MATCHES)
    what = f"{selection.assignment}: grades {count(begun, 'attempt')} again ({selection.in_words})"
    session.add(_line(now, who, "", what))
    return row.id


def regrade_older(session: Session, assignments: Sequence[Shown], who: str, now: datetime) -> None:
    """Grade all attempts again that were graded by an older version of their assignment. Raises NotDoneError where none
    was.
    """
    begun = [_regrade_older(session, each, who, now) for each in assignments]
    if not any(begun):
        raise NotDoneError("No attempt was graded by an older version, or each is being graded already.")


def _regrade_older(session: Session, assignment: Shown, who: str, now: datetime) -> bool:
    graded = select(AttemptRow).join(GradingRow, AttemptRow.counted_id == GradingRow.id).where(older(assignment))
    loaded = selectinload(AttemptRow.gradings), selectinload(AttemptRow.person)
    attempts = session.scalars(graded.options(*loaded).order_by(AttemptRow.id)).all()
    if not attempts:
        return False
    row = RegradingRow(assignment=assignment.name, which=OLDER, who=who, at=now)
    session.add(row)
    session.flush()
    for each in attempts:
        each.gradings.append(_regraded(row.id, now))
    what = f"{assignment.name}: grades {count(len(attempts), 'attempt')} again ({OLDER})"
    session.add(_line(now, who, "", what))
    return True


def _regraded(regrading: int, now: datetime) -> GradingRow:
    grading = new_grading("regraded", REGRADED, now)
    grading.regrading_id = regrading
    return grading


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


def _again(session: Session, attempt: AttemptRow, grading: GradingRow) -> bool:
    """Put it in the queue; False if it is there already."""
    if any(State(each.state).open for each in attempt.gradings):
        return False
    attempt.gradings.append(grading)
    session.flush()
    return True


def _line(now: datetime, who: str, about: str, what: str) -> AuditRow:
    return AuditRow(at=now, who=who, about=about, what=what)


def _named(attempt: AttemptRow) -> str:
    return f"{attempt.person.key}, {attempt.assignment}, attempt {attempt.number}"
