"""The tables of the course. A stored attempt never changes, except for the number of the grading that counts. The table
of gradings is also the queue. The tables of learning platforms are in lti_tables.py, and the tables of messages
to send are in outbox_tables.py.

people -< attempts -< gradings -< progress
people -< dry runs - gradings
people -< shares >- attempts -< exclusions, requests
people -< extensions, decisions; people - pseudonyms            releases, holds, regradings, assignments: of a whole one
people -< repositories
people -< invitations, passwords, sessions, api tokens, device sign-ins           audit: everything that changes a grade
"""

import zlib
from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    LargeBinary,
    UniqueConstraint,
    and_,
    case,
    event,
    exists,
    false,
    select,
    text,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship, validates

from grader.common.errors import InputError
from grader.service.db.base import NEVER_REUSED_NUMBERS, Base
from grader.service.db.keys import folded_key


class CourseRole(StrEnum):
    """Role of a person in the course, which determines their permissions."""

    STUDENT = "student"
    ASSISTANT = "assistant"
    INSTRUCTOR = "instructor"


class State(StrEnum):
    """State of a grading. WAITING and RUNNING are open. All other states except SHOWN are final.

    In the state SHOWN, everything that students see before the release is stored, but hidden cases have not run yet.
    """

    WAITING = "waiting"
    RUNNING = "running"
    SHOWN = "shown"
    DONE = "done"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    FAULTED = "faulted"

    @property
    def open(self) -> bool:
        """True if the grading has not ended for students."""
        return self in {State.WAITING, State.RUNNING}


IS_OPEN = text("state IN ('waiting', 'running')")
"""Condition of the unique index that allows only one open grading per attempt."""


class PersonRow(Base):
    """A person of the course. `key` is the university's name for the person, such as a mail address. `folded` is equal
    for keys that look alike (keys.py). `team` is the name of the group with which the person hands in, if an assignment
    allows groups. A person whose `deactivated` time is set cannot sign in.
    """

    __tablename__ = "people"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    folded: Mapped[str] = mapped_column(server_default="")
    name: Mapped[str]
    role: Mapped[str]
    team: Mapped[str | None]
    created: Mapped[datetime]
    deactivated: Mapped[datetime | None]

    __table_args__ = (Index("people_folded", "folded"), NEVER_REUSED_NUMBERS)

    @validates("key")
    def _fold(self, _name: str, key: str) -> str:
        """Update `folded` with the key."""
        self.folded = folded_key(key)
        return key


@event.listens_for(PersonRow, "before_insert")
def _refuse_a_second(_mapper: object, connection: Connection, person: PersonRow) -> None:
    """Raise InputError if the key looks like another person's key. Only one transaction writes at a time, so no other
    transaction can add such a person meanwhile.
    """
    people = PersonRow.__table__
    there = connection.scalar(select(people.c.key).where(people.c.folded == person.folded).limit(1))
    if there is not None:
        raise InputError(f"the key {person.key} could be mistaken for {there}, which is already in this course.")


class PseudonymRow(Base):
    """A person's pseudonym on leaderboards. `folded` is equal for names that look alike."""

    __tablename__ = "pseudonyms"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    name: Mapped[str]
    folded: Mapped[str]

    __table_args__ = (
        UniqueConstraint("person_id", name="pseudonyms_once"),
        UniqueConstraint("folded", name="pseudonyms_unique"),
    )


class InvitationRow(Base):
    """A link that signs a person in once. It was created by an instructor or, if `by_mail` is true, requested by mail.
    Only the hash of its token is stored.
    """

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    token_sha256: Mapped[str] = mapped_column(unique=True)
    expires: Mapped[datetime]
    used: Mapped[datetime | None]
    by_mail: Mapped[bool] = mapped_column(default=False, server_default=false())


class PasswordRow(Base):
    """The hash of a person's password."""

    __tablename__ = "passwords"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), unique=True)
    argon2: Mapped[str]
    changed: Mapped[datetime]


class SessionRow(Base):
    """A browser that is signed in. Each of its forms contains `form_token`."""

    __tablename__ = "sessions"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    token_sha256: Mapped[str] = mapped_column(unique=True)
    form_token: Mapped[str]
    expires: Mapped[datetime]
    person: Mapped[PersonRow] = relationship()

    __table_args__ = (NEVER_REUSED_NUMBERS,)


class ApiTokenRow(Base):
    """A token with which a program acts for a person. Only its hash is stored. `scopes` is a list of words separated by
    blanks.
    """

    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    name: Mapped[str]
    token_sha256: Mapped[str] = mapped_column(unique=True)
    scopes: Mapped[str]
    created: Mapped[datetime]
    expires: Mapped[datetime]
    person: Mapped[PersonRow] = relationship()

    __table_args__ = (NEVER_REUSED_NUMBERS,)


class DeviceSignInRow(Base):
    """A terminal that wants to sign in (RFC 8628). `person_id` is the person who has answered, and `answer` the answer.
    `polled` is the time of the last poll, and `interval` the seconds between two polls.
    """

    __tablename__ = "device_sign_ins"

    id: Mapped[int] = mapped_column(primary_key=True)
    device_sha256: Mapped[str] = mapped_column(unique=True)
    user_code: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    scopes: Mapped[str]
    expires: Mapped[datetime]
    interval: Mapped[int]
    polled: Mapped[datetime | None]
    answer: Mapped[str]
    person_id: Mapped[int | None] = mapped_column(ForeignKey("people.id"))


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


class AssignmentRow(Base):
    """An assignment as it was last read (assignments.AssignmentView as JSON). It is used when the files are missing."""

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
    the tries to run its hidden cases. `result` is the whole result as JSON, and `brief` its grade (summaries.py).
    Students see `shown_points`, `checks` in brief, a compressed `page`, and `shown_result` as compressed JSON. These
    are empty while results are `held` back. Otherwise they are the published part of the result, which is the `early`
    part until the assignment is released and the whole result afterwards. Checks worth `early_max` of `max_points` are
    shown early; the others are worth `hidden_points`. `full_checks` and `full_page` are None if they equal the early
    part. `speed` is the speed relative to the model solution on `device`, for leaderboards, and `shown_speed` the speed
    that the student may see. `measured_sha256` and `scored_sha256` are the version of the assignment
    (assignments.Version). `needs_run` is true if the result was measured with this version, but can only be scored
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
    def shown_result(self) -> bytes | None:
        """The result that students see, as compressed JSON."""
        return None if self.held else self.published_result

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


class RepositoryRow(Base):
    """A repository whose CI jobs hand in for a person. `issuer` is the CI provider. A `user` restricts it to jobs that
    this user of the provider has started. `number` is the provider's number of the repository, stored at the first job.
    Staff created the row if it is `by_staff`, otherwise the person.
    """

    __tablename__ = "repositories"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    issuer: Mapped[str]
    repository: Mapped[str]
    user: Mapped[str]
    number: Mapped[str]
    by_staff: Mapped[bool]
    created: Mapped[datetime]
    person: Mapped[PersonRow] = relationship()

    __table_args__ = (
        UniqueConstraint("person_id", "issuer", "repository", name="repositories_once"),
        Index("repositories_named", "issuer", "repository"),
        NEVER_REUSED_NUMBERS,
    )


class RegradingRow(Base):
    """An order to grade many attempts at an assignment again. `which` describes the selected attempts in words."""

    __tablename__ = "regradings"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment: Mapped[str]
    which: Mapped[str]
    who: Mapped[str]
    at: Mapped[datetime]


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


class SecretRow(Base):
    """A named secret of this service. The only one is the seed from which the seeds of gradings are derived."""

    __tablename__ = "secrets"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
