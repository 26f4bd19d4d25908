"""Prepares results for storage, and keeps stored data up to date.

Stations do this because web processes only read, and because at least one station always runs. Pages are rendered here
because this takes more time than a web process may spend on a student's submission.
"""

import logging
import time
import zlib
from collections.abc import Callable

from grader.batch.rescoring import lacks_measurements, up_to_date
from grader.common.errors import InputError
from grader.course.catalogue import Course
from grader.course.suite import Coursework
from grader.grading.completion import is_pending
from grader.protocol.text import showable
from grader.reports import REPORTS, page
from grader.results.result import Result
from grader.results.withholding import withheld, without_tracebacks
from grader.service.course.assignment_view import AssignmentView, Version, remember, version_of
from grader.service.course.assignments import AssignmentCache
from grader.service.db.session import Database, time_of
from grader.service.db.tables.submissions import GradingRow
from grader.service.exports.course_rows import brief_of
from grader.service.grades.leaderboard import speed_of
from grader.service.submissions.claims import Graded
from grader.service.submissions.dry_runs import delete_old
from grader.service.submissions.progress import in_brief
from grader.service.submissions.versions import needs_a_run, store_again, to_score_again

AT_ONCE = 10
"""Number of results that are scored between two gradings. This takes about a second, so hand-ins do not wait long."""

INTERVAL = 600.0
"""Seconds between two deletions by a station. Pages do not show old dry runs even before they are deleted."""

LOG = logging.getLogger(__name__)


def ready(result: Result, coursework: Coursework) -> Graded:
    """The result in the form in which it is stored, with the student's view of it according to the assignment that
    graded it. Tracebacks of grader are removed; they are only in the station's log.
    """
    result = without_tracebacks(result)
    return _stored(result, withheld(result, coursework), coursework)


def ready_dry_run(result: Result, coursework: Coursework) -> Graded:
    """The result of a dry run in the form in which it is stored. It does not contain hidden outcomes to withhold."""
    shown = without_tracebacks(result)
    return _stored(shown, shown, coursework)


def _stored(result: Result, shown: Result, coursework: Coursework) -> Graded:
    return Graded(
        points=result.points,
        max_points=result.max_points,
        early_points=shown.points,
        early_max=shown.max_points - shown.hidden_points,
        early_checks=in_brief(shown).model_dump_json(),
        full_checks=None if shown == result else in_brief(result).model_dump_json(),
        result=REPORTS["json"](result),
        brief=brief_of(result, shown),
        early_page=_page(shown),
        full_page=None if shown == result else _page(result),
        early_result=zlib.compress(REPORTS["json"](shown).encode()),
        speed=speed_of(result),
        early_speed=speed_of(shown),
        device=showable(result.provenance.device.name),
        measured_sha256=coursework.measured_sha256,
        scored_sha256=coursework.scored_sha256,
        is_pending=is_pending(result),
    )


def _page(result: Result) -> bytes:
    return zlib.compress(page(result).text.encode())


class Upkeep:
    """Stores the states of assignments, scores stored results again, and deletes old dry runs. `clock` returns seconds.

    It remembers what this station has stored and which assignments are up to date. Each station scores again on its own
    because another one may later store a result of an older version.
    """

    def __init__(self, course: Course, cache: AssignmentCache, clock: Callable[[], float] = time.monotonic) -> None:
        self._course, self._cache, self._clock = course, cache, clock
        self._next_deletion = clock()
        self._stored: dict[str, AssignmentView] = {}
        self._settled: dict[str, Version] = {}

    def record_assignments(self, database: Database) -> None:
        """Store the assignments that can be read and have changed."""
        changed = [each for each in self._cache.readable() if self._stored.get(each.name) is not each]
        if not changed:
            return
        with database.writing() as session:
            remember(session, changed, time_of(session))
        self._stored |= {each.name: each for each in changed}

    def delete_dry_runs(self, database: Database) -> None:
        """Delete old dry runs, if the next deletion is due."""
        if self._clock() < self._next_deletion:
            return
        with database.recording() as session:
            delete_old(session, time_of(session))
        self._next_deletion = self._clock() + INTERVAL

    def score_some(self, database: Database) -> bool:
        """Score a few results again, as a batch does, without running submissions. Return True if there may be more."""
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
