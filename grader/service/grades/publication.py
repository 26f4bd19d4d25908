"""Holds and releases. The results of an assignment can be held back until an instructor publishes them, and hidden
checks are released once. These actions are recorded in the audit trail.

While results are held back, students see that an attempt was received and graded, but not its result. People who teach
see everything.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, exists, select
from sqlalchemy.orm import Session

from grader.service.course.assignment_view import AssignmentView
from grader.service.db.session import Database
from grader.service.db.tables.assignments import HoldRow, ReleaseRow
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.decisions import ExtensionRow
from grader.service.db.tables.submissions import AttemptRow, DryRunRow, GradingRow, ShareRow
from grader.service.errors import RefusedError
from grader.service.grades.final import extension_in
from grader.service.submissions.progress import ChecksInBrief

HELD_BACK = "The results of this assignment are held back until your instructor publishes them."
"""Answer to a student who asks for a result."""


@dataclass(frozen=True, kw_only=True)
class GradedSoFar:
    """Number of graded attempts at an assignment, and number of their students."""

    attempts: int
    students: int


def hold_of(session: Session, assignment: str) -> HoldRow | None:
    """The hold of an assignment; None if its results are published."""
    return session.get(HoldRow, assignment)


def held_assignments(session: Session) -> frozenset[str]:
    """Names of the assignments whose results are held back."""
    return frozenset(session.scalars(_HELD))


_HELD = select(HoldRow.assignment)
"""Query for the assignments whose results are held back. It is built once because each page of a student runs it."""


def hold_back(session: Session, assignment: str, who: str, now: datetime) -> None:
    """Hold back all results of an assignment, and delete its dry runs. Raises RefusedError if the results are already
    held back.
    """
    require_published(session, assignment)
    session.execute(delete(DryRunRow).where(DryRunRow.assignment == assignment))
    session.add(HoldRow(assignment=assignment, who=who, at=now))
    session.add(AuditRow(at=now, who=who, about="", what=f"{assignment}: held back its results"))


def publish(session: Session, assignment: str, who: str, now: datetime) -> None:
    """Publish the results of an assignment. Raises RefusedError if they are not held back."""
    session.delete(require_held(session, assignment))
    session.add(AuditRow(at=now, who=who, about="", what=f"{assignment}: published its results"))


def require_published(session: Session, assignment: str) -> None:
    """Raise RefusedError if the results are held back."""
    if hold_of(session, assignment) is not None:
        raise RefusedError("The results of this assignment are already held back.")


def require_held(session: Session, assignment: str) -> HoldRow:
    """The row of an assignment whose results are held back. Raises RefusedError if they are published."""
    hold = hold_of(session, assignment)
    if hold is None:
        raise RefusedError("The results of this assignment are already published.")
    return hold


def graded_so_far(session: Session, assignment: str) -> GradedSoFar:
    """Count the attempts at an assignment that have a result, and their students."""
    wanted = select(AttemptRow.id, AttemptRow.person_id)
    graded = AttemptRow.counted_id.is_not(None), AttemptRow.trial.is_(False)
    owners = {
        row.id: row.person_id for row in session.execute(wanted.where(AttemptRow.assignment == assignment, *graded))
    }
    sharing = session.execute(select(ShareRow.attempt_id, ShareRow.person_id))
    members = {person for attempt, person in sharing if attempt in owners}
    return GradedSoFar(attempts=len(owners), students=len(members | {*owners.values()}))


def release(database: Database, assignment: AssignmentView, who: str, now: datetime) -> None:
    """Show students the hidden checks of an assignment, for all present and future attempts. This cannot be undone."""
    with database.reading() as session:
        require_releasable(session, assignment)
    with database.writing() as session:
        _require_unreleased(session, assignment)
        session.add(ReleaseRow(assignment=assignment.name, who=who, at=now))
        session.add(AuditRow(at=now, who=who, about="", what=f"{assignment.name}: released its hidden checks"))


def require_releasable(session: Session, assignment: AssignmentView) -> None:
    """Raise RefusedError unless the assignment hides something that is not released."""
    _require_unreleased(session, assignment)
    if not hides(session, assignment):
        raise RefusedError(f"{assignment.name} hides nothing, so there is nothing to release.")


def _require_unreleased(session: Session, assignment: AssignmentView) -> None:
    if session.get(ReleaseRow, assignment.name) is not None:
        raise RefusedError("The hidden checks of this assignment are already released.")


GRADINGS_SEARCHED = 100
"""Number of latest gradings that are searched for the names of hidden checks."""


@dataclass(frozen=True, kw_only=True)
class Withheld:
    """Preview of a release: the number of attempts with hidden parts, how many of them wait for their hidden cases to
    run, the number of their students, and the names of the hidden checks.
    """

    attempts: int
    pending: int
    students: int
    checks: tuple[str, ...]


def withheld_of(session: Session, assignment: str) -> Withheld:
    """Collect the hidden parts of graded attempts, which students do not see before the release."""
    counted = AttemptRow.counted_id == GradingRow.id, GradingRow.full_checks.is_not(None)
    wanted = select(AttemptRow.id, AttemptRow.person_id, GradingRow.lacks_hidden_cases).join(GradingRow, and_(*counted))
    hidden = wanted.where(AttemptRow.assignment == assignment, AttemptRow.trial.is_(False))
    rows = session.execute(hidden).all()
    owners = {row.id: row.person_id for row in rows}
    sharing = session.execute(select(ShareRow.attempt_id, ShareRow.person_id))
    members = {person for attempt, person in sharing if attempt in owners}
    latest = hidden.with_only_columns(GradingRow.early_checks).order_by(GradingRow.id.desc()).limit(GRADINGS_SEARCHED)
    briefs = [ChecksInBrief.model_validate_json(each) for each in session.scalars(latest) if each is not None]
    names = [check.name for brief in briefs for check in brief.checks if check.shown_verdict == "hidden"]
    return Withheld(
        attempts=len(owners),
        pending=sum(row.lacks_hidden_cases for row in rows),
        students=len(members | {*owners.values()}),
        checks=tuple(dict.fromkeys(names)),
    )


def last_closing(session: Session, assignment: AssignmentView) -> datetime | None:
    """Time when the last student can hand in, including extensions; None if there is no closing date."""
    rows = session.scalars(select(ExtensionRow).where(ExtensionRow.assignment == assignment.name))
    return assignment.rules_for(*map(extension_in, rows)).closes


def hides(session: Session, assignment: AssignmentView) -> bool:
    """True if the assignment hides checks, or if it hid checks when one of its attempts was graded."""
    graded = AttemptRow.id == GradingRow.attempt_id, AttemptRow.assignment == assignment.name
    withheld = exists().where(*graded, GradingRow.full_checks.is_not(None))
    return bool(assignment.hidden or session.scalar(select(withheld)))


def release_of(session: Session, assignment: str) -> ReleaseRow | None:
    """The release of an assignment; None if it is not released."""
    return session.get(ReleaseRow, assignment)
