"""Prepares results for storage.

Pages are rendered here because this takes more time than a web process may spend on a student's submission.
"""

import zlib

from grader.course.suite import Coursework
from grader.grading.completion import is_pending
from grader.protocol.text import showable
from grader.reports import REPORTS, page
from grader.results.result import Result
from grader.results.withholding import withheld, without_tracebacks
from grader.service.grades.leaderboard import speed_of
from grader.service.grades.summaries import brief_of
from grader.service.submissions.claims import Graded
from grader.service.submissions.progress import in_brief


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
