"""An assignment in the form that pages show: its handout, its version, and its rules for handing in. The last good
states are stored in the database, so that a missing file does not change the rules of an assignment.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.record import Record
from grader.course.policies.deadlines import Extension
from grader.course.policies.rules import Policies
from grader.course.suite import Coursework
from grader.service.course.limits import HandInRules, rules_of
from grader.service.db.session import Database
from grader.service.db.tables.assignments import AssignmentRow
from grader.service.db.tables.submissions import AttemptRow


class Version(Record):
    """Hashes of an assignment's files. Gradings with equal `measured` can be scored again without another run of the
    kernel. Gradings with equal `scored` do not need to be scored again, because points and reports would be the same.
    """

    measured: str
    scored: str


def version_of(coursework: Coursework) -> Version:
    """The version of the present files."""
    return Version(measured=coursework.measured_sha256, scored=coursework.scored_sha256)


class AssignmentView(Record):
    """An assignment as its page shows it. `handout` is markup from render_handout(), and `skeleton` is the text to
    start from. Each is empty if its file is missing. `hidden` is the number of checks that students do not see before
    release. `ruled` is true if a course.yaml existed, `gone` if the folder no longer exists, and `timed` if the
    assignment checks speed, which a leaderboard needs. `order` is the position in the course; None means last.
    """

    name: str
    title: str
    points: float
    handout: str
    skeleton: str
    hidden: int
    policies: Policies
    version: Version
    ruled: bool
    timed: bool
    gone: bool = False
    order: int | None = None

    @property
    def rules(self) -> HandInRules:
        """The rules for students without extensions."""
        return self.rules_for()

    def rules_for(self, *extensions: Extension) -> HandInRules:
        """The rules for a student who has these extensions."""
        return dataclasses.replace(rules_of(self.policies, *extensions), gone=self.gone)


class LastGoodState(Record):
    """State of the course as stored in the database: each assignment as it was last read, and the names of all
    assignments that have attempts.
    """

    states: Mapping[str, AssignmentView] = {}
    used: frozenset[str] = frozenset()


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
