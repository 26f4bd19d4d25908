"""Health of the service: the stations with their current work, the queue of each device class, and how long a grading
waits. That estimate uses the durations of the latest gradings of its device class, and the number of devices on which
stations grade that class.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from threading import Lock

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, selectinload

from grader.common.phrases import count
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.stations import StationRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.submissions.queue import ASSIGNMENT, with_file

GRADINGS_CONSIDERED = 20
"""Number of latest gradings whose durations are used."""

STATION_TIMEOUT = timedelta(seconds=45)
"""Time without a sign of life after which a station counts as gone. A station sends one every ten seconds."""

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)

LISTED_FOR = timedelta(days=1)
"""Time for which a station is listed after it is gone."""


@dataclass(frozen=True, kw_only=True)
class PlaceInQueue:
    """Number of gradings ahead of one in the queue, and the expected wait, which is None if it is not known."""

    ahead: int
    wait: timedelta | None

    @property
    def wait_in_words(self) -> str:
        """The expected wait in words, rounded up, such as "about 3 minutes"; empty if it is not known."""
        if self.wait is None:
            return ""
        if self.wait < MINUTE:
            return "less than a minute"
        whole, unit = (MINUTE, "minute") if self.wait <= HOUR else (HOUR, "hour")
        return f"about {count(math.ceil(self.wait / whole), unit)}"


NO_PLACE = PlaceInQueue(ahead=0, wait=None)
"""The place of a grading that does not wait."""


class QueueSnapshot:
    """Places in the queue, cached for `fresh` seconds in each process, because the browsers of hundreds of waiting
    students may ask every few seconds.
    """

    def __init__(self, fresh: float = 1.0) -> None:
        self._fresh, self._lock = fresh, Lock()
        self._seen, self._places = -math.inf, dict[int, PlaceInQueue]()

    def place(
        self, session: Session, grading: GradingRow, classes: Callable[[], Mapping[str, str]], now: datetime
    ) -> PlaceInQueue:
        """The place of a grading in the queue. `classes` returns the device class of each assignment."""
        if grading.state != State.WAITING:
            return NO_PLACE
        with self._lock:
            if grading.id not in self._places or time.monotonic() - self._seen >= self._fresh:
                self._places, self._seen = places_of(session, classes(), now), time.monotonic()
            return self._places.get(grading.id, NO_PLACE)


def places_of(session: Session, classes: Mapping[str, str], now: datetime) -> dict[int, PlaceInQueue]:
    """The place of each waiting grading, by its number.

    Earlier gradings are ahead if they have the same device class, or no class, because every station takes gradings
    without a class.
    """
    rows = session.execute(OPEN_GRADINGS).all()
    able, took = able_devices(session, now), _took(session, classes)
    earlier = Counter(classes.get(row.assignment, "") for row in rows if row.state == State.RUNNING)
    places = {}
    for row in rows:
        if row.state == State.WAITING:
            wanted = classes.get(row.assignment, "")
            ahead = earlier[wanted] + earlier[""] if wanted else earlier.total()
            devices = able[wanted] if wanted else able.total()
            usual = took.get(wanted) or took.get("")
            wait = usual * ahead / devices if usual and devices else None
            places[row.id] = PlaceInQueue(ahead=ahead, wait=wait)
            earlier[wanted] += 1
    return places


def able_devices(session: Session, now: datetime) -> Counter[str]:
    """Number of devices of each class on which running stations can grade."""
    able = Counter[str]()
    known = select(StationRow.device_class, StationRow.devices)
    for row in session.execute(known.where(StationRow.seen >= now - STATION_TIMEOUT, StationRow.fault == "")):
        able[row.device_class] += row.devices
    return able


def _took(session: Session, classes: Mapping[str, str]) -> dict[str, timedelta]:
    """Median duration of the latest gradings that succeeded at the first try, by device class. The key "" maps to the
    median over all classes.
    """
    seconds: dict[str, list[float]] = {}
    for row in session.execute(LATEST_DONE):
        if row.started and row.ended:
            for name in {classes.get(row.assignment, ""), ""}:
                seconds.setdefault(name, []).append((row.ended - row.started).total_seconds())
    return {name: timedelta(seconds=median(some[:GRADINGS_CONSIDERED])) for name, some in seconds.items()}


OPEN_GRADINGS = (
    with_file(select(GradingRow.id, GradingRow.state, ASSIGNMENT.label("assignment")))
    .where(GradingRow.state.in_((State.WAITING, State.RUNNING)))
    .order_by(GradingRow.priority, GradingRow.round, GradingRow.id)
)

LATEST_DONE = (
    select(GradingRow.started, GradingRow.ended, AttemptRow.assignment)
    .join(AttemptRow, GradingRow.attempt_id == AttemptRow.id)
    .where(GradingRow.early_points.is_not(None), GradingRow.tries == 1)
    .order_by(GradingRow.id.desc())
    .limit(3 * GRADINGS_CONSIDERED)
)
"""Query for the latest gradings, latest first. It reads three times as many as needed, so that enough gradings of a
rarer device class are probably among them.
"""


@dataclass(frozen=True, kw_only=True)
class StationFacts:
    """Facts that a station reports. `devices` is the number of gradings that it can run at a time; on a cluster, this
    can be several or, temporarily, 0. `fault` is the reason why it cannot grade, or empty.
    """

    name: str
    host: str
    device: str = ""
    device_class: str = ""
    devices: int = 1
    grader: str = ""
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class StationHealth:
    """A station, the attempts that it is grading, and the number of dry runs that it is grading. `gone` is true if the
    station no longer sends signs of life.
    """

    row: StationRow
    gone: bool
    work: tuple[AttemptRow, ...]
    dry_runs: int


@dataclass(frozen=True, kw_only=True)
class QueueHealth:
    """The queue of a device class; "" is the queue for any station. `waiting` and `running` are numbers of gradings,
    and `pending` is the number of gradings whose hidden cases have not run yet. `since` is the time when the oldest
    waiting grading was created, and `devices` is the number of devices that can grade this class.
    """

    device_class: str
    waiting: int
    since: datetime | None
    running: int
    pending: int
    devices: int

    @property
    def stuck(self) -> bool:
        """True if gradings wait but no station can grade them."""
        return bool(self.waiting) and not self.devices


def note_station(session: Session, facts: StationFacts, now: datetime) -> None:
    """Store a sign of life of a station, and delete stations that have been gone for a long time."""
    session.execute(delete(StationRow).where(StationRow.seen < now - LISTED_FOR))
    row = session.scalar(select(StationRow).where(StationRow.name == facts.name))
    if row is None:
        # A station that cannot start is restarted again and again, each time with another name.
        session.execute(delete(StationRow).where(StationRow.host == facts.host, StationRow.fault != ""))
        values = {field: getattr(facts, field) for field in StationFacts.__dataclass_fields__}
        session.add(StationRow(**values, started=now, seen=now))
    else:
        row.devices, row.seen = facts.devices, now


def station_leaves(session: Session, name: str) -> None:
    """Delete a station that has ended normally."""
    session.execute(delete(StationRow).where(StationRow.name == name))


def stations_of(session: Session, now: datetime) -> list[StationHealth]:
    """All stations, sorted by machine. Dry runs are only counted because only the owners may see those."""
    loaded = selectinload(GradingRow.attempt).selectinload(AttemptRow.person)
    claimed = GradingRow.state.in_((State.RUNNING, State.SHOWN)), GradingRow.claimed_by.is_not(None)
    work: dict[str | None, tuple[AttemptRow, ...]] = {}
    dry_runs = Counter[str | None]()
    for row in session.scalars(select(GradingRow).where(*claimed).order_by(GradingRow.id).options(loaded)):
        if row.attempt_id is None:
            dry_runs[row.claimed_by] += 1
        else:
            work[row.claimed_by] = (*work.get(row.claimed_by, ()), row.attempt)
    rows = session.scalars(select(StationRow).order_by(StationRow.host, StationRow.id))
    return [
        StationHealth(
            row=row,
            gone=row.seen < now - STATION_TIMEOUT,
            work=work.get(row.name, ()),
            dry_runs=dry_runs[row.name],
        )
        for row in rows
    ]


def queues_of(session: Session, classes: Mapping[str, str], now: datetime) -> list[QueueHealth]:
    """The queue for any station, followed by the queue of each device class that an assignment or a station has."""
    able = able_devices(session, now)
    columns = ASSIGNMENT, GradingRow.state, func.count(), func.min(GradingRow.created)
    states = State.WAITING, State.RUNNING, State.SHOWN
    opened = with_file(select(*columns)).where(GradingRow.state.in_(states))
    rows = session.execute(opened.group_by(ASSIGNMENT, GradingRow.state)).all()
    found = []
    for device_class in ("", *sorted({*classes.values(), *able} - {""})):
        own = [row for row in rows if classes.get(row[0], "") == device_class]
        waiting = [row for row in own if row[1] == State.WAITING]
        found.append(
            QueueHealth(
                device_class=device_class,
                waiting=sum(row[2] for row in waiting),
                since=min((row[3] for row in waiting), default=None),
                running=sum(row[2] for row in own if row[1] == State.RUNNING),
                pending=sum(row[2] for row in own if row[1] == State.SHOWN),
                devices=able[device_class] if device_class else able.total(),
            )
        )
    return found
