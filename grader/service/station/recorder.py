"""Stores the states of assignments in the database. Stations do it, since a web process only reads to make a page."""

from grader.service.course.assignments import AssignmentCache, AssignmentView
from grader.service.course.saved_assignments import remember
from grader.service.db.session import Database, time_of


class AssignmentRecorder:
    """States that one station has stored of its course."""

    def __init__(self, cache: AssignmentCache) -> None:
        self._cache = cache
        self._stored: dict[str, AssignmentView] = {}

    def keep(self, database: Database) -> None:
        """Store assignments that can be read and have changed."""
        changed = [each for each in self._cache.readable() if self._stored.get(each.name) is not each]
        if not changed:
            return
        with database.writing() as session:
            remember(session, changed, time_of(session))
        self._stored |= {each.name: each for each in changed}
