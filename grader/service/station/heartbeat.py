"""Threads of a station. One renews a claim while a grading runs, and reports when the claim ends before the grading
does. The other reports that the station is running, and on which device.
"""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Self

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from grader.service.db.session import Database, time_of
from grader.service.submissions.claims import LEASE, ClaimedGrading, Renewal
from grader.service.submissions.health import StationFacts, note_station, station_leaves
from grader.service.submissions.queue import give_up, must_yield, release, renew, stop

BEAT = 5.0
"""Seconds between two renewals of the claim."""

HIDDEN_BEAT = 1.0
"""Seconds between two renewals while hidden cases run. Hidden cases are interrupted if another grading waits."""

STUCK = 60.0
"""Seconds that an interrupted grading has to end. Container engines have been seen to take ten to stop a container."""

EXIT_STUCK = 70

LIFE_SIGN = 10.0
"""Seconds between two heartbeats of a station. Four may be missed (health.STATION_TIMEOUT)."""


@dataclass(frozen=True, kw_only=True)
class GradingLimits:
    """Limits of a grading: its total time, the seconds between renewals, and the seconds that it has to end after an
    interruption. `end` ends the process.
    """

    longest: timedelta = timedelta(minutes=15)
    beat: float = BEAT
    stuck: float = STUCK
    end: Callable[[int], object] = os._exit


class LeaseHeartbeat:
    """A thread that renews the claim of a grading. If the grading must end early, the thread sets `over` after the row
    of the grading has been updated.

    A grading that still does not end is stuck in code that an exception cannot interrupt. In that case the thread ends
    the process, and the supervisor starts another one.
    """

    def __init__(self, database: Database, claimed: ClaimedGrading, limits: GradingLimits) -> None:
        self.over = False
        self._database, self._claimed, self._limits = database, claimed, limits
        self._begun = self._renewed = time.monotonic()
        self._beat = limits.beat if claimed.pending is None else min(limits.beat, HIDDEN_BEAT)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="heart", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self.over:
            if self._done.wait(self._beat):
                return
            self.over = self._ended()
        if not self._done.wait(self._limits.stuck):
            self._limits.end(EXIT_STUCK)

    def _ended(self) -> bool:
        """Renew the claim; return True if the grading is over. If the database does not answer, the grading continues
        while the lease lasts.
        """
        try:
            ended = self._renewed_or_ended()
        except SQLAlchemyError:
            return time.monotonic() - self._renewed > LEASE.total_seconds()
        self._renewed = time.monotonic()
        return ended

    def _renewed_or_ended(self) -> bool:
        with self._database.recording() as session:
            if time.monotonic() - self._begun > self._limits.longest.total_seconds():
                minutes = self._limits.longest.total_seconds() / 60
                give_up(session, self._claimed, f"The grading took over {minutes:g} minutes.", time_of(session))
                return True
            if must_yield(session, self._claimed, time_of(session)):
                release(session, self._claimed, time_of(session))
                return True
            renewal = renew(session, self._claimed, time_of(session))
            if renewal is Renewal.STOP:
                stop(session, self._claimed, time_of(session))
            return renewal is not Renewal.KEPT


class Presence:
    """A thread that regularly reports a station and its number of devices. It continues after a database error."""

    def __init__(
        self, database: Database, facts: StationFacts, devices: Callable[[], int] = lambda: 1, beat: float = LIFE_SIGN
    ) -> None:
        self._database, self._facts, self._devices, self._beat = database, facts, devices, beat
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="presence", daemon=True)

    def __enter__(self) -> Self:
        self._tell(self._note)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if not self._facts.fault:  # keep the row of a station that could not start, because it contains the fault
            self._tell(lambda session, _now: station_leaves(session, self._facts.name))

    def _keep(self) -> None:
        while not self._over.wait(self._beat):
            self._tell(self._note)

    def _note(self, session: Session, now: datetime) -> None:
        note_station(session, replace(self._facts, devices=self._devices()), now)

    def _tell(self, tell: Callable[[Session, datetime], None]) -> None:
        with suppress(SQLAlchemyError), self._database.recording() as session:
            tell(session, time_of(session))
