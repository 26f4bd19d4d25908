"""Holds. The results of an assignment can be held back until an instructor publishes them. Both actions are recorded in
the audit trail.

While results are held back, students see that an attempt was received and graded, but not its result. People who teach
see everything.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.service.db.tables.assignments import HoldRow
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.submissions import AttemptRow, DryRunRow, ShareRow
from grader.service.errors import RefusedError

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
