"""Health of the service: the stations with their current work, and the queue of each device class."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, selectinload

from grader.service.db.tables.grading_states import State
from grader.service.db.tables.stations import StationRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.submissions.estimates import STATION_TIMEOUT
from grader.service.submissions.queue import ASSIGNMENT, with_file

BEAT = 10.0
"""Seconds between two signs of life of a station. Four may be missed (estimates.STATION_TIMEOUT)."""

LISTED_FOR = timedelta(days=1)
"""Time for which a station is listed after it is gone."""


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


def queues_of(session: Session, classes: Mapping[str, str], stations: list[StationHealth]) -> list[QueueHealth]:
    """The queue for any station, followed by the queue of each device class that an assignment or a station has."""
    able = Counter[str]()
    for each in stations:
        if not each.gone and not each.row.fault:
            able[each.row.device_class] += each.row.devices
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
