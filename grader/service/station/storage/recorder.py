"""Stores the states of assignments in the database. Stations do this because web processes only read when they render
pages.
"""

from grader.service.course.assignment_view import AssignmentView
from grader.service.course.assignments import AssignmentCache
from grader.service.course.saved_assignments import remember
from grader.service.db.session import Database, time_of


class AssignmentRecorder:
    """Stores changed assignments, and remembers the states that this station has already stored."""

    def __init__(self, cache: AssignmentCache) -> None:
        self._cache = cache
        self._stored: dict[str, AssignmentView] = {}

    def keep(self, database: Database) -> None:
        """Store the assignments that can be read and have changed."""
        changed = [each for each in self._cache.readable() if self._stored.get(each.name) is not each]
        if not changed:
            return
        with database.writing() as session:
            remember(session, changed, time_of(session))
        self._stored |= {each.name: each for each in changed}
