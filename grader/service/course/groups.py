"""Groups: the students who hand in together, the owners of an attempt, and the attempts of people at an assignment, in
the form that pages and rules need.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import BindParameter, ColumnElement, bindparam, or_, select, union
from sqlalchemy.orm import Session, joinedload
from sqlalchemy.orm.attributes import set_committed_value

from grader.course.policies.rules import Policies
from grader.service.course.limits import PastAttempt
from grader.service.db.tables.grading_states import State
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

ATTEMPTS_AT_ASSIGNMENT = (
    select(AttemptRow)
    .where(BELONGS, AttemptRow.assignment == bindparam("assignment"))
    .options(joinedload(AttemptRow.gradings))
    .order_by(AttemptRow.number)
)
"""Query for the attempts of people at an assignment, with their gradings. It is built once because each page of a
student runs it.
"""

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


def history(session: Session, person_id: int, assignment: str) -> Sequence[AttemptRow]:
    """A person's attempts at an assignment, with their gradings, oldest first."""
    return history_of(session, frozenset({person_id}), assignment)


def history_of(session: Session, people: frozenset[int], assignment: str) -> Sequence[AttemptRow]:
    """The attempts of these people at an assignment, with their gradings, oldest first."""
    asked = {"people": [*people], "assignment": assignment}
    found = session.scalars(ATTEMPTS_AT_ASSIGNMENT, asked).unique().all()
    for each in found:  # avoids another query for the grading that counts, which is among them
        counted = next((grading for grading in each.gradings if grading.id == each.counted_id), None)
        set_committed_value(each, "counted", counted)
    return found


def past_of(session: Session, attempts: Sequence[AttemptRow], team: frozenset[int]) -> list[PastAttempt]:
    """The attempts of a student or a group, with the times of their first gradings, in the form that
    limits.py needs.
    """
    sharing: dict[int, set[int]] = {}
    if len(team) > 1:
        shared = select(ShareRow.attempt_id, ShareRow.person_id).where(ShareRow.person_id.in_(team))
        for attempt_id, person_id in session.execute(shared):
            sharing.setdefault(attempt_id, set()).add(person_id)
    return [
        PastAttempt(
            people=team if len(team) == 1 else team & {each.person_id, *sharing.get(each.id, ())},
            received=each.received,
            state=State.DONE if each.counted_id is not None else State(each.gradings[0].state),
            begun=each.gradings[0].started is not None,
            ended=each.gradings[0].ended,
            entered=each.entered_by is not None,
        )
        for each in attempts
    ]
