"""Groups: the students who hand in together, and the owners of an attempt."""

from collections.abc import Collection

from sqlalchemy import BindParameter, ColumnElement, bindparam, or_, select, union
from sqlalchemy.orm import Session

from grader.course.policies.rules import Policies
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, ShareRow

PEOPLE: BindParameter[int] = bindparam("people", expanding=True)
"""Parameter for the numbers of people. Statements with this parameter are built only once, because SQLAlchemy takes
longer to build a statement than to run it.
"""


def belongs_to(people: Collection[int] | BindParameter[int]) -> ColumnElement[bool]:
    """SQL condition: attempts that one of these people, or another member of their group, has handed in."""
    shared = select(ShareRow.attempt_id).where(ShareRow.person_id.in_(people))
    return or_(AttemptRow.person_id.in_(people), AttemptRow.id.in_(shared))


BELONGS = belongs_to(PEOPLE)
"""SQL condition: attempts of the people whose numbers are the parameter PEOPLE."""

_TEAMS = select(PersonRow.team).where(PersonRow.id.in_(PEOPLE), PersonRow.team.is_not(None))
_SHARED = select(AttemptRow.id).join(ShareRow, ShareRow.attempt_id == AttemptRow.id).where(BELONGS)
_LINKED = union(
    select(PersonRow.id).where(PersonRow.team.in_(_TEAMS)),
    select(ShareRow.person_id).where(ShareRow.attempt_id.in_(_SHARED)),
    select(AttemptRow.person_id).where(AttemptRow.id.in_(_SHARED)),
)
"""People who are in a group, or share an attempt, with one of the people in PEOPLE."""


def team_at(session: Session, policies: Policies, person_id: int) -> frozenset[int]:
    """The active students who hand in an assignment together with this student, including the student."""
    person = session.get_one(PersonRow, person_id)
    if policies.groups == 1 or person.team is None or person.role != CourseRole.STUDENT:
        return frozenset({person_id})
    active = PersonRow.deactivated.is_(None) | (PersonRow.id == person_id)
    members = PersonRow.team == person.team, PersonRow.role == CourseRole.STUDENT, active
    return frozenset(session.scalars(select(PersonRow.id).where(*members)))


def linked_people(session: Session, person_id: int) -> frozenset[int]:
    """People whose attempts may affect the grades of this student, because the members of a group spend late days
    together.
    """
    circle, wider = frozenset[int](), frozenset({person_id})
    while wider != circle:
        circle = wider
        wider = circle.union(session.scalars(_LINKED, {"people": [*circle]}))
    return circle
