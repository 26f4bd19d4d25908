"""How the service is: which stations there are and what they do, and what waits for which class of device."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, selectinload

from grader.service.db.models import AttemptRow, GradingRow, State, StationRow
from grader.service.submissions.estimates import GONE

BEAT = 10.0
"""Seconds between two signs of life of a station, of which four may be missed (estimates.GONE)."""

FORGOTTEN = timedelta(days=1)
"""How long a station is listed that is gone."""


@dataclass(frozen=True, kw_only=True)
class StationFacts:
    """What a station says of itself when it begins; `fault` is why it cannot grade, and empty if it can."""

    name: str
    host: str
    device: str = ""
    device_class: str = ""
    grader: str = ""
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class StationHealth:
    """A station, whether it is gone, and what it works at."""

    row: StationRow
    gone: bool
    work: AttemptRow | None


@dataclass(frozen=True, kw_only=True)
class QueueHealth:
    """The queue of a class of device, empty for what any station takes: how much waits, since when, how much is under
    way, and how many stations there are that can grade it.
    """

    device_class: str
    waiting: int
    since: datetime | None
    running: int
    stations: int

    @property
    def stuck(self) -> bool:
        """Whether something waits that nobody can grade."""
        return bool(self.waiting) and not self.stations


def note_station(session: Session, facts: StationFacts, now: datetime) -> None:
    """Note that a station is there; those that have long been gone are forgotten."""
    session.execute(delete(StationRow).where(StationRow.seen < now - FORGOTTEN))
    row = session.scalar(select(StationRow).where(StationRow.name == facts.name))
    if row is None:
        # A station that cannot begin is started again and again, each time under another name.
        session.execute(delete(StationRow).where(StationRow.host == facts.host, StationRow.fault != ""))
        values = {field: getattr(facts, field) for field in StationFacts.__dataclass_fields__}
        session.add(StationRow(**values, started=now, seen=now))
    else:
        row.seen = now


def station_leaves(session: Session, name: str) -> None:
    """Note that a station has ended as it was told to."""
    session.execute(delete(StationRow).where(StationRow.name == name))


def stations_of(session: Session, now: datetime) -> list[StationHealth]:
    """All stations, those of one machine together."""
    loaded = selectinload(GradingRow.attempt).selectinload(AttemptRow.person)
    running = select(GradingRow).where(GradingRow.state == State.RUNNING).options(loaded)
    work = {row.claimed_by: row.attempt for row in session.scalars(running)}
    rows = session.scalars(select(StationRow).order_by(StationRow.host, StationRow.id))
    return [StationHealth(row=row, gone=row.seen < now - GONE, work=work.get(row.name)) for row in rows]


def queues_of(session: Session, classes: Mapping[str, str], stations: list[StationHealth]) -> list[QueueHealth]:
    """The queue of each class that an assignment asks for or a station is of, after that of all others."""
    able = [each.row.device_class for each in stations if not each.gone and not each.row.fault]
    columns = AttemptRow.assignment, GradingRow.state, func.count(), func.min(GradingRow.created)
    opened = select(*columns).join(GradingRow.attempt).where(GradingRow.state.in_((State.WAITING, State.RUNNING)))
    rows = session.execute(opened.group_by(AttemptRow.assignment, GradingRow.state)).all()
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
                stations=able.count(device_class) if device_class else len(able),
            )
        )
    return found
