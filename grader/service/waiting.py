"""How long a grading is likely to wait: by how long the last ones took, and how many stations are at work."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.service.database.tables import GradingRow, State
from grader.service.leases import place_in_queue

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


def place_of(session: Session, grading: GradingRow, now: datetime) -> PlaceInQueue:
    """Where a grading stands in the queue."""
    if grading.state != State.WAITING:
        return NO_PLACE
    ahead = place_in_queue(session, grading)
    took, stations = _usual(session), _at_work(session, now)
    return PlaceInQueue(ahead=ahead, wait=None if took is None or not stations else took * ahead / stations)


def _usual(session: Session) -> timedelta | None:
    """The median of what the last gradings took that were done at their first try; None if there is none.

    Whoever waits asks again every two seconds, so it reads back from the latest until it has enough: by the index of
    states it would sort all that were ever done, which coalesce() keeps databases from.
    """
    is_done = func.coalesce(GradingRow.state, "") == State.DONE
    done = select(GradingRow.started, GradingRow.ended).where(is_done, GradingRow.tries == 1)
    rows = session.execute(done.order_by(GradingRow.id.desc()).limit(LATEST))
    took = [(row.ended - row.started).total_seconds() for row in rows if row.started and row.ended]
    return timedelta(seconds=median(took)) if took else None


def _at_work(session: Session, now: datetime) -> int:
    """Stations whose claims hold. One that has nothing to do is not seen, but then nothing waits for long."""
    alive = GradingRow.state == State.RUNNING, GradingRow.lease_until >= now
    return session.scalar(select(func.count(GradingRow.claimed_by.distinct())).where(*alive)) or 0
