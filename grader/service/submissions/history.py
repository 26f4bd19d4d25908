"""The attempts of people at an assignment, in the form that pages and rules need."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, joinedload
from sqlalchemy.orm.attributes import set_committed_value

from grader.service.course.groups import BELONGS
from grader.service.course.limits import PastAttempt
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow, ShareRow

ATTEMPTS_AT_ASSIGNMENT = (
    select(AttemptRow)
    .where(BELONGS, AttemptRow.assignment == bindparam("assignment"))
    .options(joinedload(AttemptRow.gradings))
    .order_by(AttemptRow.number)
)
"""Query for the attempts of people at an assignment, with their gradings. It is built once because each page of a
student runs it.
"""


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
            state=_state(each),
            begun=each.gradings[0].started is not None,
            ended=each.gradings[0].ended,
            entered=each.entered_by is not None,
        )
        for each in attempts
    ]


def _state(attempt: AttemptRow) -> State:
    """State of an attempt's first grading; DONE if any of its gradings counts."""
    return State.DONE if attempt.counted_id is not None else State(attempt.gradings[0].state)
