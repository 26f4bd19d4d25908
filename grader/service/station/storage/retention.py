"""Deletes old dry runs. Stations do this because at least one station always runs."""

import time
from collections.abc import Callable

from grader.service.db.session import Database, time_of
from grader.service.submissions.dry_runs import delete_old

INTERVAL = 600.0
"""Seconds between two deletions by a station. Pages do not show old dry runs even before they are deleted."""


class Retention:
    """Deletes old dry runs at intervals. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._next = clock, clock()

    def keep(self, database: Database) -> None:
        """Delete old dry runs, if the next deletion is due."""
        if self._clock() < self._next:
            return
        with database.recording() as session:
            delete_old(session, time_of(session))
        self._next = self._clock() + INTERVAL
