"""Decisions of the staff about students and attempts, and questions of students."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.service.db.tables.base import NEVER_REUSED_NUMBERS, Base
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import AttemptRow


class ExtensionRow(Base):
    """A student's extension at an assignment, given by `who` at the time `at`."""

    __tablename__ = "extensions"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    assignment: Mapped[str]
    due: Mapped[datetime | None]
    attempts: Mapped[int]
    reason: Mapped[str]
    who: Mapped[str]
    at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("person_id", "assignment", name="extensions_once"), NEVER_REUSED_NUMBERS)


class Decision(StrEnum):
    """Kind of a decision by hand about a grade."""

    SET = "set"
    ADD = "add"
    EXCUSE = "excuse"


class DecisionRow(Base):
    """A decision by hand about a student's grade at an assignment, made by `who` at the time `at`. It sets the
    `points`, adds `points` (which may be negative), or excuses the student.
    """

    __tablename__ = "decisions"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    assignment: Mapped[str]
    kind: Mapped[str]
    points: Mapped[float]
    comment: Mapped[str]
    who: Mapped[str]
    at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("person_id", "assignment", name="decisions_once"),)


class ExclusionRow(Base):
    """An attempt that does not count, with the reason."""

    __tablename__ = "exclusions"

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), unique=True)
    reason: Mapped[str]
    who: Mapped[str]
    at: Mapped[datetime]


class RequestRow(Base):
    """A student's question about an attempt. It is open until it is answered."""

    __tablename__ = "requests"

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    asked: Mapped[str]
    at: Mapped[datetime]
    answer: Mapped[str]
    answered_by: Mapped[str]
    answered: Mapped[datetime | None]
    attempt: Mapped[AttemptRow] = relationship()
    person: Mapped[PersonRow] = relationship()


class RegradingRow(Base):
    """An order to grade many attempts at an assignment again. `which` describes the selected attempts in words."""

    __tablename__ = "regradings"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment: Mapped[str]
    which: Mapped[str]
    who: Mapped[str]
    at: Mapped[datetime]
