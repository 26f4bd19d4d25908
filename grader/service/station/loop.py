"""The loop of a station: claim, grade and store, until the process is stopped.

A station claims a grading when another one may begin (backends.py). On this machine, that is one at a time; on a
cluster, one for each worker.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError

from grader.batch.workforce import SchedulerLostError
from grader.common.errors import GraderError, InterruptedGradingError
from grader.common.interrupts import interrupted_when, stop_if_told
from grader.grading.progress import Decided, Progress
from grader.protocol.text import showable
from grader.results.result import Ungraded
from grader.service.db.session import Database, time_of
from grader.service.station.backends import IN_TURN, LOOK, Gradings, say
from grader.service.station.grader import Judge
from grader.service.station.heartbeat import GradingLimits, LeaseHeartbeat
from grader.service.submissions.claims import ClaimedGrading, Graded
from grader.service.submissions.progress import keep_note, note_of
from grader.service.submissions.queue import claim, fail, finish, release

AWAY = 1.0
"""Seconds between two attempts to reach a database that does not answer."""

LIMITS = GradingLimits()
"""Limits of each grading. The longest gradings of this repository take two of the allowed fifteen minutes."""

Found = TypeVar("Found")


class ClaimOverError(InterruptedGradingError):
    """The claim has ended because the grading was cancelled, took too long, or now belongs to another station. The row
    of the grading contains the cause.
    """


def work(
    database: Database,
    judge: Judge,
    name: str,
    limits: GradingLimits = LIMITS,
    gradings: Gradings = IN_TURN,
) -> None:
    """Claim a grading each time that another one may begin, until this process is interrupted. Raises the
    interruption.
    """
    while True:
        stop_if_told()
        more = patient(lambda: judge.keep_up(database))
        claimed = patient(lambda: _claimed(database, name, judge.elsewhere())) if gradings.has_room() else None
        if claimed is not None:
            gradings.begin(partial(_grade_or_release, database, judge, claimed, limits))
        elif not more:
            gradings.wait()


def patient(ask: Callable[[], Found]) -> Found:
    """Call `ask` until the database answers, and return its result. The database may be restarting or being replaced.
    Reports once that it does not answer, and once that it answers again. Raises an interruption of this process.
    """
    away: float | None = None
    while True:
        stop_if_told()
        try:
            answer = ask()
        except (InterfaceError, OperationalError) as error:
            if away is None:
                away = time.monotonic()
                say(f"the database does not answer: {_reason(error)}. This station waits for it.")
            time.sleep(AWAY)
        else:
            if away is not None:
                say(f"the database answers again, after {time.monotonic() - away:.0f} s.")
            return answer


def _reason(error: DBAPIError) -> str:
    """Return the first line of the driver's message, which contains no password."""
    said = str(error.orig).strip().splitlines()
    return showable(said[0]).rstrip(".") if said else "no reason is given"


def _claimed(database: Database, name: str, elsewhere: frozenset[str]) -> ClaimedGrading | None:
    with database.recording() as session:
        return claim(session, name, time_of(session), elsewhere)


def _grade_or_release(database: Database, judge: Judge, claimed: ClaimedGrading, limits: GradingLimits) -> None:
    """Grade a claim. If the grading is interrupted, release the claim as if the grading had not begun."""
    try:
        _grade(database, judge, claimed, limits)
    except (InterruptedGradingError, SchedulerLostError) as error:
        with suppress(SQLAlchemyError), database.recording() as session:  # if this fails, the lease runs out
            release(session, claimed, time_of(session))
        if isinstance(error, InterruptedGradingError):
            raise


def _grade(database: Database, judge: Judge, claimed: ClaimedGrading, limits: GradingLimits) -> None:
    """Grade a claim and store the outcome, unless the claim ends first."""
    try:
        with (
            LeaseHeartbeat(database, claimed, limits) as heartbeat,
            interrupted_when(lambda: heartbeat.over, ClaimOverError("the claim has ended."), LOOK),
        ):
            outcome = _outcome(judge, claimed, _noting(database, claimed))
    except ClaimOverError:
        return
    patient(lambda: _store(database, claimed, outcome))


def _store(database: Database, claimed: ClaimedGrading, outcome: Graded | str) -> None:
    """Store the outcome. Calling this again after a lost connection is safe: if the outcome was stored, the claim has
    ended.
    """
    with database.recording() as session:
        if isinstance(outcome, Graded):
            finish(session, claimed, outcome, time_of(session))
        else:
            fail(session, claimed, outcome, time_of(session))


def _outcome(judge: Judge, claimed: ClaimedGrading, progress: Progress) -> Graded | str:
    try:
        outcome = judge.grade(claimed, progress)
    except SchedulerLostError:
        raise
    except GraderError as error:
        return showable(str(error))
    except Exception as error:  # noqa: BLE001 - a fault in one grading must not affect the others
        return showable(f"a fault in grader itself: {error!r}")
    return showable(outcome.fault) if isinstance(outcome, Ungraded) else outcome


def _noting(database: Database, claimed: ClaimedGrading) -> Progress:
    def note(event: str | Decided) -> None:
        try:
            with database.recording() as session:
                keep_note(session, claimed, note_of(event), time_of(session))
        except SQLAlchemyError:
            return  # the loss of a progress note must not prevent a grade

    return note
