"""How long a grading is likely to wait: by how long the last ones took, and how many stations are at work."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from threading import Lock

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.service.database.tables import GradingRow, State

LATEST = 20
"""Gradings by which the next ones are judged."""

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class PlaceInQueue:
    """How many gradings come before one, and how long they are likely to take; None where nothing tells."""

    ahead: int
    wait: timedelta | None

    @property
    def wait_in_words(self) -> str:
        """For example "about 3 minutes"; empty where nothing tells. Rounded up: nobody minds being early."""
        if self.wait is None:
            return ""
        if self.wait < MINUTE:
            return "less than a minute"
        whole, unit = (MINUTE, "minute") if self.wait <= HOUR else (HOUR, "hour")
        return f"about {count(math.ceil(self.wait / whole), unit)}"


NO_PLACE = PlaceInQueue(ahead=0, wait=None)
"""Of a grading that does not wait."""


@dataclass(frozen=True, kw_only=True)
class Queue:
    """All gradings that wait, by their number, and how many come before each; and what tells how long they take."""

    ahead: Mapping[int, int]
    usual: timedelta | None
    stations: int

    def place(self, grading_id: int) -> PlaceInQueue:
        """Of one of them."""
        ahead = self.ahead.get(grading_id, 0)
        known = self.usual is not None and self.stations
        return PlaceInQueue(ahead=ahead, wait=self.usual * ahead / self.stations if self.usual and known else None)


class QueueLookout:
    """What one process knows of the queue, read again when it is `fresh` seconds old: hundreds wait at once, and each
    asks every few seconds.
    """

    def __init__(self, fresh: float = 1.0) -> None:
        self._fresh, self._lock = fresh, Lock()
        self._seen, self._queue = -math.inf, Queue(ahead={}, usual=None, stations=0)

    def place(self, session: Session, grading: GradingRow, now: datetime) -> PlaceInQueue:
        """Where a grading stands in the queue."""
        if grading.state != State.WAITING:
            return NO_PLACE
        with self._lock:
            if grading.id not in self._queue.ahead or time.monotonic() - self._seen >= self._fresh:
                self._queue, self._seen = queue_of(session, now), time.monotonic()
            return self._queue.place(grading.id)


def queue_of(session: Session, now: datetime) -> Queue:
    """The queue as the database has it."""
    rows = session.execute(OPEN_ONES).all()
    running = [row for row in rows if row.state == State.RUNNING]
    waiting = [row for row in rows if row.state == State.WAITING]
    return Queue(
        ahead={row.id: len(running) + number for number, row in enumerate(waiting)},
        usual=_usual(session),
        stations=len({row.claimed_by for row in running if row.lease_until and row.lease_until >= now}),
    )


def _usual(session: Session) -> timedelta | None:
    """The median of what the last gradings took that were done at their first try; None if there is none."""
    took = [
        (row.ended - row.started).total_seconds() for row in session.execute(LATEST_DONE) if row.started and row.ended
    ]
    return timedelta(seconds=median(took)) if took else None


OPEN_ONES = (
    select(GradingRow.id, GradingRow.state, GradingRow.claimed_by, GradingRow.lease_until)
    .where(GradingRow.state.in_((State.WAITING, State.RUNNING)))
    .order_by(GradingRow.priority, GradingRow.round, GradingRow.id)
)
"""A station that has nothing to do is not seen, but then nothing waits for long."""

LATEST_DONE = (
    select(GradingRow.started, GradingRow.ended)
    .where(func.coalesce(GradingRow.state, "") == State.DONE, GradingRow.tries == 1)
    .order_by(GradingRow.id.desc())
    .limit(LATEST)
)
"""Read back from the latest until there are enough: by the index of states, from which coalesce() keeps databases, all
that were ever done would be sorted.
"""
