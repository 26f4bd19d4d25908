"""The audit trail."""

from datetime import datetime

from sqlalchemy import Index, false
from sqlalchemy.orm import Mapped, mapped_column

from grader.service.db.tables.base import Base


class AuditRow(Base):
    """A line of the audit trail: a change of a grade or of a person's access, with its author (a person or a station)
    and a description.
    """

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    who: Mapped[str]
    about: Mapped[str]
    what: Mapped[str]
    by_station: Mapped[bool] = mapped_column(default=False, server_default=false())

    __table_args__ = (Index("audit_by", "by_station", "id"),)
