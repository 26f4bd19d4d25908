"""Reports that a station is running, and on which device, while it grades and while it waits."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Self

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from grader.service.db.session import Database, time_of
from grader.service.submissions.health import BEAT, StationFacts, note_station, station_leaves


class Presence:
    """A thread that regularly reports a station and its number of devices. It continues after a database error."""

    def __init__(
        self, database: Database, facts: StationFacts, devices: Callable[[], int] = lambda: 1, beat: float = BEAT
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
