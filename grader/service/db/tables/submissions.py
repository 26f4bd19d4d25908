"""Attempts, dry runs, and their gradings. A stored attempt never changes, except for the number of the grading that
counts. The table of gradings is also the queue.
"""

import zlib
from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    LargeBinary,
    UniqueConstraint,
    and_,
    case,
    exists,
    false,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from grader.service.db.tables.assignments import HoldRow, ReleaseRow
from grader.service.db.tables.base import NEVER_REUSED_NUMBERS, Base
from grader.service.db.tables.grading_states import IS_OPEN, State
from grader.service.db.tables.people import PersonRow


class AttemptRow(Base):
    """A file that was handed in, stored unchanged. `public` is its name in URLs. `form_key` identifies the form by
    which it was sent, so that a second click does not store it again. `form_use` counts the files that were sent by one
    form, because the Back button of a browser shows a used form. `counted_id` is the grading whose result counts.
    `late` is true if the student was notified that the attempt is late; whether it counts as late depends on `received`
    and the student's dates (limits.is_late). A `trial` run was handed in by a person who teaches, and does not count.
    If an instructor handed the file in for the student, `entered_by` is the instructor's key, `entered_reason` and
    `entered` are the reason and the time, and `received` is the stated time of arrival.
    """

    __tablename__ = "attempts"

    id: Mapped[int] = mapped_column(primary_key=True)
    public: Mapped[str] = mapped_column(unique=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    assignment: Mapped[str]
    number: Mapped[int]
    form_key: Mapped[str]
    form_use: Mapped[int] = mapped_column(server_default="1")
    file_name: Mapped[str]
    data: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    size: Mapped[int]
    sha256: Mapped[str]
    received: Mapped[datetime]
    late: Mapped[bool]
    trial: Mapped[bool] = mapped_column(server_default=false())
    counted_id: Mapped[int | None]
    entered_by: Mapped[str | None]
    entered_reason: Mapped[str | None]
    entered: Mapped[datetime | None]
    person: Mapped[PersonRow] = relationship()
    counted: Mapped["GradingRow | None"] = relationship(
        primaryjoin="foreign(AttemptRow.counted_id) == GradingRow.id", viewonly=True
    )
    gradings: Mapped[list["GradingRow"]] = relationship(
        back_populates="attempt", foreign_keys="GradingRow.attempt_id", order_by="GradingRow.id"
    )

    __table_args__ = (
        UniqueConstraint("person_id", "form_key", "form_use", name="attempts_once_per_use_of_a_form"),
        UniqueConstraint("person_id", "assignment", "number", name="attempts_numbers"),
    )

    @property
    def in_words(self) -> str:
        """The name of the attempt in the audit trail."""
        return f"{self.person.key}, {self.assignment}, attempt {self.number}"


class ShareRow(Base):
    """A further owner of an attempt: a member of the group of the student who handed it in."""

    __tablename__ = "shares"

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)

    __table_args__ = (UniqueConstraint("attempt_id", "person_id", name="shares_once"),)


class DryRunRow(Base):
    """A person's latest dry run at an assignment: a file that is graded with the shown checks but not handed in. Only
    its owner sees it. `made` counts the dry runs since `counted_since`, because the number of dry runs per hour is
    limited.
    """

    __tablename__ = "dry_runs"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    assignment: Mapped[str]
    data: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    size: Mapped[int]
    sha256: Mapped[str]
    received: Mapped[datetime] = mapped_column(index=True)
    made: Mapped[int]
    counted_since: Mapped[datetime]
    grading: Mapped["GradingRow"] = relationship(back_populates="dry_run", passive_deletes=True)

    __table_args__ = (UniqueConstraint("person_id", "assignment", name="dry_runs_once"), NEVER_REUSED_NUMBERS)


def _is_held(attempt_id: Mapped[int | None]) -> ColumnElement[bool]:
    """SQL condition: the results of this attempt's assignment are held back."""
    tried, held = AttemptRow.__table__.alias(), HoldRow.__table__.alias()
    matching = exists().where(tried.c.id == attempt_id, held.c.assignment == tried.c.assignment)
    return matching.correlate_except(tried, held)


def _is_released(attempt_id: Mapped[int | None]) -> ColumnElement[bool]:
    """SQL condition: the hidden checks of this attempt's assignment are released."""
    tried, released = AttemptRow.__table__.alias(), ReleaseRow.__table__.alias()
    matching = exists().where(tried.c.id == attempt_id, released.c.assignment == tried.c.assignment)
    return matching.correlate_except(tried, released)


class GradingRow(Base):
    """One grading of an attempt: a row of the queue, and later of the history. The grading of a dry run has no attempt,
    and is deleted with the dry run.

    Within a priority, the lowest `round` comes first. A person has one grading in each round (accept.py). The station
    `claimed_by` has claimed the grading until `lease_until`. `tries` counts the tries to grade it, and `hidden_tries`
    the tries to run its hidden cases. `result` is the whole result as JSON, and `brief` its grade (course_rows.py).
    Students see `shown_points`, `checks` in brief, and a compressed `page`. These are empty while results are `held`
    back. Otherwise they are the published part of the result, which is the `early`
    part until the assignment is released and the whole result afterwards. Checks worth `early_max` of `max_points` are
    shown early; the others are worth `hidden_points`. `full_checks` and `full_page` are None if they equal the early
    part. `speed` is the speed relative to the model solution on `device`, for leaderboards, and `shown_speed` the speed
    that the student may see. `measured_sha256` and `scored_sha256` are the version of the assignment
    (assignment_view.Version). `needs_run` is true if the result was measured with this version, but can only be scored
    after another run (versions.needs_a_run).
    """

    __tablename__ = "gradings"

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int | None] = mapped_column(ForeignKey("attempts.id"), index=True)
    dry_run_id: Mapped[int | None] = mapped_column(ForeignKey("dry_runs.id", ondelete="CASCADE"), unique=True)
    regrading_id: Mapped[int | None] = mapped_column(index=True)
    why: Mapped[str]
    priority: Mapped[int]
    round: Mapped[int] = mapped_column(server_default="0")
    state: Mapped[str]
    created: Mapped[datetime]
    not_before: Mapped[datetime]
    started: Mapped[datetime | None]
    ended: Mapped[datetime | None]
    claimed_by: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    tries: Mapped[int]
    hidden_tries: Mapped[int] = mapped_column(server_default="0", default=0)
    stop_asked: Mapped[bool]
    fault: Mapped[str]
    points: Mapped[float | None]
    max_points: Mapped[float | None]
    early_points: Mapped[float | None] = mapped_column("shown_points")
    early_max: Mapped[float | None] = mapped_column("shown_max")
    early_checks: Mapped[str | None] = mapped_column("checks")
    full_checks: Mapped[str | None] = mapped_column()
    result: Mapped[str | None] = mapped_column(deferred=True)
    brief: Mapped[str | None] = mapped_column(deferred=True)
    early_page: Mapped[bytes | None] = mapped_column("page", LargeBinary, deferred=True)
    full_page: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    early_result: Mapped[bytes | None] = mapped_column("shown_result", LargeBinary, deferred=True)
    speed: Mapped[float | None]
    early_speed: Mapped[float | None] = mapped_column("shown_speed")
    device: Mapped[str | None]
    measured_sha256: Mapped[str | None]
    scored_sha256: Mapped[str | None]
    needs_run: Mapped[bool] = mapped_column(default=False, server_default=false())
    attempt: Mapped[AttemptRow] = relationship(back_populates="gradings", foreign_keys=[attempt_id])
    dry_run: Mapped[DryRunRow | None] = relationship(back_populates="grading")
    released: Mapped[bool] = column_property(_is_released(attempt_id))
    held: Mapped[bool] = column_property(_is_held(attempt_id))

    __table_args__ = (
        Index("gradings_queue", "state", "priority", "round", "id"),
        Index("gradings_one_open", "attempt_id", unique=True, sqlite_where=IS_OPEN, postgresql_where=IS_OPEN),
        CheckConstraint("(attempt_id IS NULL) <> (dry_run_id IS NULL)", name="gradings_of_one_file"),
        NEVER_REUSED_NUMBERS,  # a station may still be grading a deleted row
    )

    @hybrid_property
    def shown_state(self) -> State:
        """The state that students see. For them, a grading is done as soon as their part of the result is stored."""
        return State(self.state) if self.early_points is None else State.DONE

    @shown_state.inplace.expression
    @classmethod
    def _shown_state(cls) -> ColumnElement[str]:
        return case((cls.early_points.is_(None), cls.state), else_=State.DONE.value)

    @hybrid_property
    def lacks_hidden_cases(self) -> bool:
        """True if the result is stored without its hidden cases, which have not run yet or could not be run."""
        return self.early_points is not None and self.state in {State.SHOWN, State.FAULTED}

    @lacks_hidden_cases.inplace.expression
    @classmethod
    def _lacks_hidden_cases(cls) -> ColumnElement[bool]:
        return and_(cls.early_points.is_not(None), cls.state.in_((State.SHOWN, State.FAULTED)))

    @hybrid_property
    def published_points(self) -> float | None:
        """The points that students see once results are published."""
        return self.points if self.released else self.early_points

    @published_points.inplace.expression
    @classmethod
    def _published_points(cls) -> ColumnElement[float | None]:
        return case((cls.released, cls.points), else_=cls.early_points)

    @hybrid_property
    def shown_points(self) -> float | None:
        """The points that students see."""
        return None if self.held else self.published_points

    @shown_points.inplace.expression
    @classmethod
    def _shown_points(cls) -> ColumnElement[float | None]:
        return case((cls.held, None), (cls.released, cls.points), else_=cls.early_points)

    @property
    def hidden_points(self) -> float:
        """Points of the checks whose outcome students do not see yet, once results are published."""
        return 0.0 if self.released else (self.max_points or 0.0) - (self.early_max or 0.0)

    @property
    def withholds(self) -> bool:
        """True if students do not see the whole result yet, once results are published."""
        return self.full_checks is not None and not self.released

    @hybrid_property
    def shown_speed(self) -> float | None:
        """The speed that students see."""
        return None if self.held else self.speed if self.released else self.early_speed

    @shown_speed.inplace.expression
    @classmethod
    def _shown_speed(cls) -> ColumnElement[float | None]:
        return case((cls.held, None), (cls.released, cls.speed), else_=cls.early_speed)

    @property
    def published_result(self) -> bytes | None:
        """The result that students see once results are published, as compressed JSON."""
        whole = self.result if self.released else None
        return self.early_result if whole is None else zlib.compress(whole.encode())

    @property
    def published_checks(self) -> str | None:
        """The checks in brief, as students see them once results are published."""
        return self.full_checks if self.released and self.full_checks is not None else self.early_checks

    @hybrid_property
    def checks(self) -> str | None:
        """The checks in brief, as students see them."""
        return None if self.held else self.published_checks

    @checks.inplace.expression
    @classmethod
    def _checks(cls) -> ColumnElement[str | None]:
        full = and_(cls.released, cls.full_checks.is_not(None))
        return case((cls.held, None), (full, cls.full_checks), else_=cls.early_checks)

    @hybrid_property
    def published_page(self) -> bytes | None:
        """The page that students see once results are published."""
        return self.full_page if self.released and self.full_page is not None else self.early_page

    @published_page.inplace.expression
    @classmethod
    def _published_page(cls) -> ColumnElement[bytes | None]:
        return case((and_(cls.released, cls.full_page.is_not(None)), cls.full_page), else_=cls.early_page)

    @hybrid_property
    def page(self) -> bytes | None:
        """The page that students see."""
        return None if self.held else self.published_page

    @page.inplace.expression
    @classmethod
    def _page(cls) -> ColumnElement[bytes | None]:
        full = and_(cls.released, cls.full_page.is_not(None))
        return case((cls.held, None), (full, cls.full_page), else_=cls.early_page)
