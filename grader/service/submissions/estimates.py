"""How long a grading is likely to wait: by how long the last ones of its class of device took, and how many stations
grade that class.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from threading import Lock

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.service.db.models import AttemptRow, GradingRow, State, StationRow

LATEST = 20
"""Gradings by which the next ones are judged."""

GONE = timedelta(seconds=45)
"""A station gives a sign of life every ten seconds; after so long without one, it is taken for gone."""

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


class QueueSnapshot:
    """What one process knows of the queue, read again when it is `fresh` seconds old: hundreds wait at once, and each
    asks every few seconds.
    """

    def __init__(self, fresh: float = 1.0) -> None:
        self._fresh, self._lock = fresh, Lock()
        self._seen, self._places = -math.inf, dict[int, PlaceInQueue]()

    def place(
        self, session: Session, grading: GradingRow, classes: Callable[[], Mapping[str, str]], now: datetime
    ) -> PlaceInQueue:
        """Where a grading stands in the queue; `classes` tells the class of device that each assignment asks for."""
        if grading.state != State.WAITING:
            return NO_PLACE
        with self._lock:
            if grading.id not in self._places or time.monotonic() - self._seen >= self._fresh:
                self._places, self._seen = places_of(session, classes(), now), time.monotonic()
            return self._places.get(grading.id, NO_PLACE)


def places_of(session: Session, classes: Mapping[str, str], now: datetime) -> dict[int, PlaceInQueue]:
    """The place of each grading that waits, by its number, as the database has it.

    Before one that asks for a class of device come those that ask for the same, or for none: any station takes these.
    """
    rows = session.execute(OPEN_ONES).all()
    able, took = Counter(able_stations(session, now)), _took(session, classes)
    earlier = Counter(classes.get(row.assignment, "") for row in rows if row.state == State.RUNNING)
    places = {}
    for row in rows:
        if row.state == State.WAITING:
            wanted = classes.get(row.assignment, "")
            ahead = earlier[wanted] + earlier[""] if wanted else earlier.total()
            stations = able[wanted] if wanted else able.total()
            usual = took.get(wanted) or took.get("")
            wait = usual * ahead / stations if usual and stations else None
            places[row.id] = PlaceInQueue(ahead=ahead, wait=wait)
            earlier[wanted] += 1
    return places


def able_stations(session: Session, now: datetime) -> list[str]:
    """The class of each station that is there and can grade."""
    return list(
        session.scalars(select(StationRow.device_class).where(StationRow.seen >= now - GONE, StationRow.fault == ""))
    )


def _took(session: Session, classes: Mapping[str, str]) -> dict[str, timedelta]:
    """The median of what the last gradings took that were done at their first try, of each class of which there is one,
    and of all under "".
    """
    seconds: dict[str, list[float]] = {}
    for row in session.execute(LATEST_DONE):
        if row.started and row.ended:
            for name in {classes.get(row.assignment, ""), ""}:
                seconds.setdefault(name, []).append((row.ended - row.started).total_seconds())
    return {name: timedelta(seconds=median(some[:LATEST])) for name, some in seconds.items()}


OPEN_ONES = (
    select(GradingRow.id, GradingRow.state, AttemptRow.assignment)
    .join(AttemptRow, GradingRow.attempt_id == AttemptRow.id)
    .where(GradingRow.state.in_((State.WAITING, State.RUNNING)))
    .order_by(GradingRow.priority, GradingRow.round, GradingRow.id)
)

LATEST_DONE = (
    select(GradingRow.started, GradingRow.ended, AttemptRow.assignment)
    .join(AttemptRow, GradingRow.attempt_id == AttemptRow.id)
    .where(func.coalesce(GradingRow.state, "") == State.DONE, GradingRow.tries == 1)
    .order_by(GradingRow.id.desc())
    .limit(3 * LATEST)
)
"""Read back from the latest until there are enough: by the index of states, from which coalesce() keeps databases, all
that were ever done would be sorted. Three times as many as are needed, so that the rarer class is among them.
"""
