"""Updates the points of stored results to the present version of an assignment, as a batch does, without running
submissions.
"""

import logging

from grader.batch.rescoring import lacks_measurements, up_to_date
from grader.common.errors import InputError
from grader.course.catalogue import Course
from grader.course.suite import Coursework
from grader.results.result import Result
from grader.service.course.assignment_view import Version, version_of
from grader.service.course.assignments import AssignmentCache
from grader.service.db.session import Database, time_of
from grader.service.db.tables.submissions import GradingRow
from grader.service.station.storage.results import ready
from grader.service.submissions.claims import Graded
from grader.service.submissions.versions import needs_a_run, store_again, to_score_again

AT_ONCE = 10
"""Number of results that are scored between two gradings. This takes about a second, so hand-ins do not wait long."""

LOG = logging.getLogger(__name__)


class Rescoring:
    """Scores stored results again, and remembers which assignments are up to date. Each station does this on its own
    because another one may later store a result of an older version.
    """

    def __init__(self, course: Course, cache: AssignmentCache) -> None:
        self._course, self._cache = course, cache
        self._settled: dict[str, Version] = {}

    def some(self, database: Database) -> bool:
        """Score a few results again. Return True if there may be more."""
        for each in self._cache.all():
            if self._settled.get(each.name) == each.version:
                continue
            with database.reading() as session:
                numbers = to_score_again(session, each.name, each.version, AT_ONCE)
            if not numbers:
                self._settled[each.name] = each.version
                continue
            try:
                coursework = self._course.load(each.name)
            except InputError:
                continue  # the cache contains only the last good state, and the page Health shows the reason
            if version_of(coursework) != each.version:
                continue  # the files are being changed right now
            for number in numbers:
                _score(database, number, coursework)
            return True
        return False


def _score(database: Database, number: int, coursework: Coursework) -> None:
    with database.reading() as session:
        grading = session.get_one(GradingRow, number)
        stored = grading.result or ""  # a grading with a version has a result
    scored = _scored(number, stored, coursework)
    with database.recording() as session:
        if scored is None:
            needs_a_run(session, grading, version_of(coursework))
        else:
            store_again(session, grading, scored, time_of(session))


def _scored(number: int, stored: str, coursework: Coursework) -> Graded | None:
    """The result with its new points; None if only another run can determine them."""
    try:
        result = Result.model_validate_json(stored)
        if lacks_measurements(result, coursework):
            return None
        return ready(up_to_date(result, coursework), coursework)
    except Exception:
        LOG.exception("grading %d cannot be scored again", number)
        return None
