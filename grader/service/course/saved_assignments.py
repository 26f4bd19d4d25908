"""Last good states of assignments, stored in the database, so that a missing file does not change the rules of an
assignment.
"""

from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.service.course.assignment_view import AssignmentView, LastGoodState
from grader.service.db.session import Database
from grader.service.db.tables.assignments import AssignmentRow
from grader.service.db.tables.submissions import AttemptRow


def memory_in(database: Database) -> Callable[[], LastGoodState]:
    """Return a function that reads the last good state of the course, for use by an AssignmentCache."""

    def recall() -> LastGoodState:
        with database.reading() as session:
            states = {
                row.name: AssignmentView.model_validate_json(row.state)
                for row in session.scalars(select(AssignmentRow))
            }
            used = frozenset(session.scalars(select(AttemptRow.assignment).distinct()))
        return LastGoodState(states=states, used=used)

    return recall


def remember(session: Session, assignments: Iterable[AssignmentView], now: datetime) -> None:
    """Store the states of these assignments."""
    for each in assignments:
        session.merge(AssignmentRow(name=each.name, state=each.model_dump_json(), at=now))
