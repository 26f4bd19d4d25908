"""Stations, their notes about running gradings, and the secret from which they derive seeds."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from grader.service.db.tables.base import NEVER_REUSED_NUMBERS, Base


class ProgressRow(Base):
    """A note about a running grading that the student may see. `turn` is the number of the try (GradingRow.tries)."""

    __tablename__ = "progress"

    id: Mapped[int] = mapped_column(primary_key=True)
    grading_id: Mapped[int] = mapped_column(ForeignKey("gradings.id", ondelete="CASCADE"), index=True)
    turn: Mapped[int]
    at: Mapped[datetime]
    data: Mapped[str]

    __table_args__ = (NEVER_REUSED_NUMBERS,)  # browsers resume after the number of the last note they received


class StationRow(Base):
    """A station that runs or has run. `name` is the name with which it claims gradings, `host` its machine, `devices`
    the number of devices on which it grades. It gave its last sign of life at `seen`. `fault` is the reason why it
    cannot grade, or empty.
    """

    __tablename__ = "stations"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    host: Mapped[str]
    device: Mapped[str]
    device_class: Mapped[str]
    devices: Mapped[int]
    grader: Mapped[str]
    fault: Mapped[str]
    started: Mapped[datetime]
    seen: Mapped[datetime]


class SecretRow(Base):
    """A named secret of this service. The only one is the seed from which the seeds of gradings are derived."""

    __tablename__ = "secrets"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
