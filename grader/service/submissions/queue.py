"""The queue. A station claims a grading for a limited time, renews the claim while it works, and stores the outcome.

    waiting -> running -> done
                       -> shown -> done   if hidden cases have not run yet
                       -> cancelled, faulted

If a lease has run out, or the service has failed, the grading is tried again. After MAX_TRIES tries it is faulted.

If a grading has hidden cases, its other results are shown to the student first. Its hidden cases run after a random
time, while no other grading waits or runs. They are interrupted as soon as another grading arrives, and run again
later. Therefore students cannot infer their outcome from the time that a grading takes, or from the time for which a
later attempt waits. After the release the outcome is not secret, so hidden cases run at once.

A dry run has only shown checks. It waits in the same queue, behind new attempts. While regradings or released hidden
cases also wait, dry runs get half of the free stations: people make as many dry runs as they like, and the others
would wait for ever. Other hidden cases are interrupted for a dry run, so that its time does not reveal whether they
were running.

A claim is a lease on the row and not a workflow of DBOS. DBOS returns the work of a dead process only to a process with
the same name, so a station that never comes back would keep its work. In contrast, any station may claim a grading
whose lease has run out. The outcome is stored in one transaction, provided that the claim is still valid, so exactly
one result counts.
"""

import random
from datetime import datetime, timedelta
from typing import TypeVarTuple

from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from grader.service.db.audit import note_by_station
from grader.service.db.outbox import MailKind, put_graded, put_mails_about
from grader.service.db.tables.assignments import ReleaseRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.stations import ProgressRow
from grader.service.db.tables.submissions import AttemptRow, DryRunRow, GradingRow
from grader.service.submissions.claims import LEASE, ClaimedGrading, Graded, PendingResult, Renewal

MAX_TRIES = 3
"""Maximum number of tries for a grading that ends with a fault of the service."""

RETRY_PAUSE = timedelta(seconds=10)
"""Pause before the next try of such a grading, multiplied by the number of tries, because the fault may
be temporary.
"""

DRY_RUNS_SHARE = 0.5
"""Share of the free stations that dry runs get while regradings or released hidden cases wait. Each station draws lots,
which needs no record of earlier claims.
"""

MAX_HIDDEN_PAUSE = timedelta(minutes=5)
"""Longest time between a result and the start of its hidden cases. It is several times as long as hidden cases take, so
that another attempt of the student rarely arrives while they run.
"""

CHANGED = "The assignment changed before the hidden cases of this attempt ran: grade it again."
MOVED = "grader or its device changed before the hidden cases of this attempt ran: grade it again."
NEEDS_A_GRADING = frozenset({CHANGED, MOVED})
"""Faults of hidden cases after which the whole attempt must be graded again."""

STATION_ENDED = f"Its station ended {MAX_TRIES} times while it graded this file."


def claim(
    session: Session, station: str, now: datetime, elsewhere: frozenset[str] = frozenset()
) -> ClaimedGrading | None:
    """Claim the next grading for a station, and return it; None if no grading is due. Skips assignments in `elsewhere`.
    Marks abandoned gradings as faulted if they were tried too often.
    """
    _end_abandoned(session, now)
    row = _next(session, now, elsewhere)
    if row is None:
        return None
    handed_in = None if row.attempt_id is None else session.get_one(AttemptRow, row.attempt_id)
    file = handed_in or session.get_one(DryRunRow, row.dry_run_id)
    pending = None
    if row.state == State.SHOWN:
        row.hidden_tries += 1
        pending = PendingResult(
            result=row.result or "", measured_sha256=row.measured_sha256, scored_sha256=row.scored_sha256
        )
    else:
        row.state, row.started, row.stop_asked = State.RUNNING, row.started or now, False
        row.tries += 1
    row.claimed_by, row.lease_until = station, now + LEASE
    return ClaimedGrading(
        grading_id=row.id,
        station=station,
        turn=row.tries if pending is None else row.hidden_tries,
        assignment=file.assignment,
        data=file.data,
        sha256=file.sha256,
        hides=not (handed_in and handed_in.trial) and session.get(ReleaseRow, file.assignment) is None,
        pending=pending,
        elsewhere=elsewhere,
        is_dry_run=handed_in is None,
    )


def _end_abandoned(session: Session, now: datetime) -> None:
    """Mark abandoned gradings as faulted if they were tried too often, and as cancelled if the student asked for it."""
    given_up = {"state": State.FAULTED, "fault": STATION_ENDED, "claimed_by": None}
    abandoned, hidden = _abandoned(State.RUNNING, now), _abandoned(State.SHOWN, now)
    session.execute(update(GradingRow).where(abandoned, GradingRow.tries >= MAX_TRIES).values(ended=now, **given_up))
    session.execute(update(GradingRow).where(hidden, GradingRow.hidden_tries >= MAX_TRIES).values(**given_up))
    cancelled = {"state": State.CANCELLED, "ended": now, "claimed_by": None}
    session.execute(update(GradingRow).where(abandoned, GradingRow.stop_asked).values(**cancelled))


def _next(session: Session, now: datetime, elsewhere: frozenset[str]) -> GradingRow | None:
    """The next grading: an attempt or a dry run, released hidden cases, or other hidden cases, in this order."""
    is_due = GradingRow.not_before <= now
    waiting = or_(and_(GradingRow.state == State.WAITING, is_due), _abandoned(State.RUNNING, now))
    is_unclaimed = and_(GradingRow.state == State.SHOWN, GradingRow.lease_until.is_(None))
    hidden = or_(is_unclaimed, _abandoned(State.SHOWN, now))
    released = and_(hidden, GradingRow.released, or_(GradingRow.hidden_tries == 0, is_due))
    row = _first(session, waiting, elsewhere)
    if row is not None and row.dry_run_id is not None and random.random() >= DRY_RUNS_SHARE:  # noqa: S311 - no secret
        attempts = and_(waiting, GradingRow.dry_run_id.is_(None))
        row = _first(session, attempts, elsewhere) or _first(session, released, elsewhere) or row
    if row is None:
        row = _first(session, released, elsewhere)
    if row is None and not _is_busy(session, now, elsewhere):
        row = _first(session, and_(hidden, is_due), elsewhere)
    return row


def must_yield(session: Session, claimed: ClaimedGrading, now: datetime) -> bool:
    """True if hidden cases must be interrupted for a grading whose time students see. They run again later."""
    return claimed.pending is not None and claimed.hides and _is_busy(session, now, claimed.elsewhere)


def _is_busy(session: Session, now: datetime, elsewhere: frozenset[str]) -> bool:
    """True if a grading whose time students see is running, or is waiting for this station and is due."""
    waits = and_(GradingRow.state == State.WAITING, GradingRow.not_before <= now, ASSIGNMENT.not_in(elsewhere))
    wanted = with_file(select(GradingRow.id)).where(or_(waits, GradingRow.state == State.RUNNING))
    return session.scalar(wanted.limit(1)) is not None


ASSIGNMENT = func.coalesce(AttemptRow.assignment, DryRunRow.assignment)
"""SQL expression for the assignment of a grading, in a query that was extended by `with_file`."""

Columns = TypeVarTuple("Columns")


def with_file(wanted: Select[*Columns]) -> Select[*Columns]:
    """Join gradings with their attempts and dry runs."""
    return wanted.outerjoin(GradingRow.attempt).outerjoin(GradingRow.dry_run)


def _first(session: Session, free: ColumnElement[bool], elsewhere: frozenset[str]) -> GradingRow | None:
    """The first free row of the queue. On PostgreSQL, it skips rows that another station has locked."""
    wanted = select(GradingRow).where(free)
    if elsewhere:
        wanted = with_file(wanted).where(ASSIGNMENT.not_in(elsewhere))
    first = wanted.order_by(GradingRow.priority, GradingRow.round, GradingRow.id).limit(1)
    return session.scalar(first.with_for_update(of=GradingRow, skip_locked=True))


def renew(session: Session, claimed: ClaimedGrading, now: datetime) -> Renewal:
    """Renew a claim if it is still valid."""
    asked = session.scalar(
        update(GradingRow).where(_held(claimed)).values(lease_until=now + LEASE).returning(GradingRow.stop_asked)
    )
    if asked is None:
        return Renewal.LOST
    return Renewal.STOP if asked else Renewal.KEPT


def finish(session: Session, claimed: ClaimedGrading, graded: Graded, now: datetime) -> bool:
    """Store the result, which counts from now on. Returns False without storing it if the claim was lost."""
    if claimed.pending is not None:
        return _complete(session, claimed, claimed.pending, graded, now)
    values: dict[str, object] = {"state": State.DONE, "ended": now, **graded.columns}
    if graded.is_pending:
        values |= {"state": State.SHOWN, "not_before": _hidden_start(now), "stop_asked": False}
    if not _changed(session, claimed, values):
        return False
    if claimed.is_dry_run:
        return True
    attempt_id = session.get_one(GradingRow, claimed.grading_id).attempt_id
    attempt = session.get_one(AttemptRow, attempt_id)
    put_mails_about(session, MailKind.GRADED if attempt.counted is None else MailKind.REGRADED, attempt, now)
    put_graded(session, attempt, now, complete=not graded.is_pending)
    if attempt.counted is not None:
        words = f"graded again: {attempt.counted.points:g} -> {graded.points:g} points"
        note_by_station(session, attempt, words, now)
    attempt.counted_id = claimed.grading_id
    return True


def _complete(session: Session, claimed: ClaimedGrading, pending: PendingResult, graded: Graded, now: datetime) -> bool:
    """Store the outcome of hidden cases. The student's part of the result does not change, unless the points of the
    assignment have changed since. If the result was scored again in the meantime, the hidden cases run again.
    """
    before = session.get_one(GradingRow, claimed.grading_id)
    points, is_same = before.points or 0.0, graded.scored_sha256 == pending.scored_sha256
    stored = {name: value for name, value in graded.columns.items() if not (is_same and name.startswith("early_"))}
    unchanged = GradingRow.scored_sha256.is_not_distinct_from(pending.scored_sha256)
    if not _changed(session, claimed, {"state": State.DONE, "fault": "", **stored}, unchanged):
        again = {"state": State.SHOWN, "hidden_tries": claimed.turn - 1, "not_before": now + RETRY_PAUSE}
        return _changed(session, claimed, again)
    attempt = session.get_one(AttemptRow, before.attempt_id)
    put_graded(session, attempt, now, complete=True)
    if points != graded.points:
        note_by_station(session, attempt, f"hidden cases: {points:g} -> {graded.points:g} points", now)
    return True


def fail(session: Session, claimed: ClaimedGrading, fault: str, now: datetime) -> bool:
    """Store a fault of the service. The grading is tried again unless it was cancelled or tried MAX_TRIES times."""
    if _stop_asked(session, claimed):
        return stop(session, claimed, now)
    if claimed.turn >= MAX_TRIES:
        return give_up(session, claimed, fault, now)
    unclaimed = State.WAITING if claimed.pending is None else State.SHOWN
    again = {"state": unclaimed, "not_before": now + RETRY_PAUSE * claimed.turn, "fault": fault}
    return _changed(session, claimed, again)


def give_up(session: Session, claimed: ClaimedGrading, fault: str, now: datetime) -> bool:
    """End a grading with a fault of the service that another try would not fix. An instructor or operator must act."""
    ended = {"ended": now} if claimed.pending is None else {}  # for the student, the grading had already ended
    return _changed(session, claimed, {"state": State.FAULTED, "fault": fault, **ended})


def stop(session: Session, claimed: ClaimedGrading, now: datetime) -> bool:
    """End a grading that the student has cancelled."""
    return _changed(session, claimed, {"state": State.CANCELLED, "ended": now})


def release(session: Session, claimed: ClaimedGrading, now: datetime) -> bool:
    """Return a grading to the queue as if it had not begun, for example because the station is about to end. Its notes
    are deleted because the next station reports them again. If the grading was cancelled in the meantime, it ends.
    """
    if _stop_asked(session, claimed):
        return stop(session, claimed, now)
    if claimed.pending is not None:
        again = {"state": State.SHOWN, "hidden_tries": claimed.turn - 1, "not_before": _hidden_start(now)}
        return _changed(session, claimed, again)
    notes = ProgressRow.grading_id == claimed.grading_id, ProgressRow.turn == claimed.turn
    session.execute(delete(ProgressRow).where(*notes, exists().where(_held(claimed))))
    return _changed(session, claimed, {"state": State.WAITING, "tries": claimed.turn - 1})


def _hidden_start(now: datetime) -> datetime:
    """Return a random start time for hidden cases. It is also random after an interruption, because a student who hands
    in at chosen times must not learn how long they run.
    """
    pause = random.uniform(0, MAX_HIDDEN_PAUSE.total_seconds())  # noqa: S311 - attackers do not see its earlier values
    return now + timedelta(seconds=pause)


def _stop_asked(session: Session, claimed: ClaimedGrading) -> bool:
    return bool(session.scalar(select(GradingRow.stop_asked).where(_held(claimed))))


def _changed(
    session: Session, claimed: ClaimedGrading, values: dict[str, object], *conditions: ColumnElement[bool]
) -> bool:
    change = update(GradingRow).where(_held(claimed), *conditions).values(claimed_by=None, lease_until=None, **values)
    return session.scalar(change.returning(GradingRow.id)) is not None


def _held(claimed: ClaimedGrading) -> ColumnElement[bool]:
    """SQL condition: the row of a claim that is still valid. A claim whose lease has run out is valid until another
    station claims the grading.
    """
    return and_(
        GradingRow.id == claimed.grading_id,
        GradingRow.state == (State.RUNNING if claimed.pending is None else State.SHOWN),
        GradingRow.claimed_by == claimed.station,
        (GradingRow.tries if claimed.pending is None else GradingRow.hidden_tries) == claimed.turn,
    )


def _abandoned(state: State, now: datetime) -> ColumnElement[bool]:
    return and_(GradingRow.state == state, GradingRow.lease_until < now)
