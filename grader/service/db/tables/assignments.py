"""The assignments: their last good states, releases, results that are held back, and sources for comparison."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from grader.service.db.tables.base import Base


class AssignmentRow(Base):
    """An assignment as it was last read (AssignmentView as JSON). It is used when the files are missing."""

    __tablename__ = "assignments"

    name: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str]
    at: Mapped[datetime]


class ReleaseRow(Base):
    """Record that the hidden checks of an assignment are released. A release is final because students have seen the
    outcomes.
    """

    __tablename__ = "releases"

    assignment: Mapped[str] = mapped_column(primary_key=True)
    who: Mapped[str]
    at: Mapped[datetime]


class HoldRow(Base):
    """Record that the results of an assignment are held back, so that students do not see them. Publishing deletes the
    row.
    """

    __tablename__ = "holds"

    assignment: Mapped[str] = mapped_column(primary_key=True)
    who: Mapped[str]
    at: Mapped[datetime]


class PoolRow(Base):
    """A source with which attempts at an assignment are compared. `kind` is a similarity.PoolKind."""

    __tablename__ = "pool"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment: Mapped[str] = mapped_column(index=True)
    kind: Mapped[str]
    name: Mapped[str]
    data: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    who: Mapped[str]
    at: Mapped[datetime]
