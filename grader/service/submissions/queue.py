"""The queue: a station claims a grading for a while, renews its claim while it works, and stores what came of it.

    waiting -> running -> done
                  |  ^       lease run out, or a fault of ours: again, TRIES times in all; then faulted
                  v  |
               cancelled, faulted

A claim is a lease on the row rather than a workflow of DBOS: DBOS gives the work of a dead process back only to one of
the same name, and a station that never returns would keep its work. A lease that runs out is anybody's. The outcome is
stored in one transaction, on condition that the claim still holds, so that exactly one result counts.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from sqlalchemy import ColumnElement, and_, delete, exists, or_, select, update
from sqlalchemy.orm import Session

from grader.service.db.audit import note_by_station
from grader.service.db.models import AttemptRow, GradingRow, ProgressRow, State
from grader.service.db.outbox import MailKind, put_about

LEASE = timedelta(seconds=30)
"""How long a claim lasts that is not renewed: six beats (station/heartbeat.py), so that a busy machine loses none."""

TRIES = 3
"""How often a grading is begun that ends by a fault of ours."""

PAUSE = timedelta(seconds=10)
"""How long such a grading waits before each next try: what failed may have been passing."""

GONE = f"Its station ended {TRIES} times while it graded this file."


@dataclass(frozen=True, kw_only=True)
class ClaimedGrading:
    """A grading that a station may work at, and what it needs for that."""

    grading_id: int
    station: str
    turn: int
    assignment: str
    data: bytes
    sha256: str


class Renewal(Enum):
    """What became of a claim: it holds, somebody asks the station to stop, or it is another's now."""

    KEPT = auto()
    STOP = auto()
    LOST = auto()


@dataclass(frozen=True, kw_only=True)
class Graded:
    """The outcome of a grading, as it is stored (GradingRow)."""

    points: float
    max_points: float
    early_points: float
    early_max: float
    early_checks: str
    full_checks: str | None
    result: str
    brief: str
    early_page: bytes
    full_page: bytes | None
    early_result: bytes
    speed: float | None
    early_speed: float | None
    device: str
    measured_sha256: str
    scored_sha256: str


def claim(
    session: Session, station: str, now: datetime, elsewhere: frozenset[str] = frozenset()
) -> ClaimedGrading | None:
    """The next grading for a station, but for those of assignments that are graded elsewhere; None if there is nothing
    to do. What has been begun too often is given up.
    """
    session.execute(
        update(GradingRow)
        .where(_abandoned(now), GradingRow.tries >= TRIES)
        .values(state=State.FAULTED, ended=now, fault=GONE, claimed_by=None)
    )
    session.execute(
        update(GradingRow)
        .where(_abandoned(now), GradingRow.stop_asked)
        .values(state=State.CANCELLED, ended=now, claimed_by=None)
    )
    # Stations on PostgreSQL that ask at once pass over what another of them is about to take.
    free = or_(and_(GradingRow.state == State.WAITING, GradingRow.not_before <= now), _abandoned(now))
    order = GradingRow.priority, GradingRow.round, GradingRow.id
    wanted = select(GradingRow).where(free)
    if elsewhere:
        wanted = wanted.join(GradingRow.attempt).where(AttemptRow.assignment.not_in(elsewhere))
    row = session.scalar(wanted.order_by(*order).limit(1).with_for_update(of=GradingRow, skip_locked=True))
    if row is None:
        return None
    row.state, row.claimed_by, row.lease_until = State.RUNNING, station, now + LEASE
    row.tries, row.started, row.stop_asked = row.tries + 1, row.started or now, False
    attempt = session.get_one(AttemptRow, row.attempt_id)
    return ClaimedGrading(
        grading_id=row.id,
        station=station,
        turn=row.tries,
        assignment=attempt.assignment,
        data=attempt.data,
        sha256=attempt.sha256,
    )


def renew(session: Session, claimed: ClaimedGrading, now: datetime) -> Renewal:
    """Keep the claim for another while, if it still holds."""
    asked = session.scalar(
        update(GradingRow).where(_held(claimed)).values(lease_until=now + LEASE).returning(GradingRow.stop_asked)
    )
    if asked is None:
        return Renewal.LOST
    return Renewal.STOP if asked else Renewal.KEPT


def finish(session: Session, claimed: ClaimedGrading, graded: Graded, now: datetime) -> bool:
    """Store the result, which counts from now on; False, and nothing is stored, if the claim is another's."""
    values = {field: getattr(graded, field) for field in Graded.__dataclass_fields__}
    done = update(GradingRow).where(_held(claimed)).values(state=State.DONE, ended=now, claimed_by=None, **values)
    attempt_id = session.scalar(done.returning(GradingRow.attempt_id))
    if attempt_id is None:
        return False
    attempt = session.get_one(AttemptRow, attempt_id)
    put_about(session, MailKind.GRADED if attempt.counted is None else MailKind.REGRADED, attempt, now)
    if attempt.counted is not None:
        words = f"graded again: {attempt.counted.points:g} -> {graded.points:g} points"
        note_by_station(session, attempt, words, now)
    attempt.counted_id = claimed.grading_id
    return True


def fail(session: Session, claimed: ClaimedGrading, fault: str, now: datetime) -> bool:
    """Note a fault of ours, after which the grading is tried again, unless it has been often enough or is cancelled."""
    if _stop_asked(session, claimed):
        return stop(session, claimed, now)
    if claimed.turn >= TRIES:
        return give_up(session, claimed, fault, now)
    again = {"state": State.WAITING, "not_before": now + PAUSE * claimed.turn, "fault": fault}
    return _changed(session, claimed, again)


def give_up(session: Session, claimed: ClaimedGrading, fault: str, now: datetime) -> bool:
    """Note a fault of ours that would come again: somebody has to look."""
    return _changed(session, claimed, {"state": State.FAULTED, "ended": now, "fault": fault})


def stop(session: Session, claimed: ClaimedGrading, now: datetime) -> bool:
    """Note that it was cancelled, as asked."""
    return _changed(session, claimed, {"state": State.CANCELLED, "ended": now})


def release(session: Session, claimed: ClaimedGrading, now: datetime) -> bool:
    """Give it back as if it had not been begun: the station is told to end. What was told of it is forgotten, or it
    would be told twice. If it was cancelled meanwhile, it ends.
    """
    if _stop_asked(session, claimed):
        return stop(session, claimed, now)
    notes = ProgressRow.grading_id == claimed.grading_id, ProgressRow.turn == claimed.turn
    session.execute(delete(ProgressRow).where(*notes, exists().where(_held(claimed))))
    return _changed(session, claimed, {"state": State.WAITING, "tries": claimed.turn - 1})


def _stop_asked(session: Session, claimed: ClaimedGrading) -> bool:
    return bool(session.scalar(select(GradingRow.stop_asked).where(_held(claimed))))


def _changed(session: Session, claimed: ClaimedGrading, values: dict[str, object]) -> bool:
    change = update(GradingRow).where(_held(claimed)).values(claimed_by=None, lease_until=None, **values)
    return session.scalar(change.returning(GradingRow.id)) is not None


def _held(claimed: ClaimedGrading) -> ColumnElement[bool]:
    """The row, if the claim still holds: nobody has taken it since, even if the lease has run out."""
    return and_(
        GradingRow.id == claimed.grading_id,
        GradingRow.state == State.RUNNING,
        GradingRow.claimed_by == claimed.station,
        GradingRow.tries == claimed.turn,
    )


def _abandoned(now: datetime) -> ColumnElement[bool]:
    return and_(GradingRow.state == State.RUNNING, GradingRow.lease_until < now)
