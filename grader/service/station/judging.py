"""Judging as `grade` and `batch` do: by the batch's own station. The result is made ready to be stored here.

Pages are drawn here, too, since they cost more than a web process may spend on what a student sends.
"""

import zlib
from pathlib import Path

from grader.batch import station
from grader.batch.store import content_key, seed_of
from grader.common.record import replace
from grader.course.catalogue import Course
from grader.course.submissions.handin import HandIn, Student
from grader.course.suite import Coursework
from grader.execution.device import device_class
from grader.grading.bench import Progress
from grader.lms.bundle import pack
from grader.protocol.text import showable
from grader.reports import REPORTS, page
from grader.results.result import UNTIMED, Result, Ungraded
from grader.results.withholding import withheld, without_tracebacks
from grader.service.briefs import brief_of
from grader.service.classes import classes_of, elsewhere
from grader.service.courses import Shelf
from grader.service.leaderboard import speed_of
from grader.service.leases import ClaimedGrading, Graded
from grader.service.progress import in_brief

TIMED = 3
"""How often a speed is measured that is not measured for noise."""


class Judge:
    """Grades claims of one course by the settings of this machine. `seed` is the service's secret."""

    def __init__(self, course: Course, orders: str, seed: int, device_class: str = "") -> None:
        self._course, self._orders, self._seed, self._class = course, orders, seed, device_class
        self._shelf = Shelf(course, Path())

    @property
    def facilities(self) -> station.Facilities:
        """What it grades with; raises errors of ours where it cannot."""
        return station.look_around(self._orders)

    @property
    def device_class(self) -> str:
        """That of its device, if none was named."""
        return self._class or device_class(self.facilities.device)

    def elsewhere(self) -> frozenset[str]:
        """The assignments of other classes."""
        return elsewhere(classes_of(self._shelf), self.device_class)

    def grade(self, claimed: ClaimedGrading, progress: Progress) -> Graded | Ungraded:
        """What is to be stored, or why there is no result by a fault of ours."""
        coursework = self._course.load(claimed.assignment)
        outcome = self._measured(self._errand(coursework, claimed), progress)
        return outcome if isinstance(outcome, Ungraded) else ready(outcome, coursework)

    def close(self) -> None:
        """Close the station of this process."""
        station.leave()

    def _measured(self, errand: station.Errand, progress: Progress) -> Result | Ungraded:
        """The outcome; a speed that noise hides is measured again, and left open in the end."""
        outcome = station.grade(errand, progress)
        for _ in range(TIMED - 1):
            if isinstance(outcome, Ungraded) or all(each.reason not in UNTIMED for each in outcome.checks):
                break
            progress("timing again, since the speed was not measured")
            again = station.grade(replace(errand, before=outcome), progress)
            outcome = outcome if isinstance(again, Ungraded) else again
        return outcome

    def _errand(self, coursework: Coursework, claimed: ClaimedGrading) -> station.Errand:
        facilities = self.facilities
        nobody = Student(label="", name="")
        handin = HandIn(student=nobody, assignment=claimed.assignment, where="", data=claimed.data)
        key = content_key(handin, coursework.measured_sha256, facilities, self._orders)
        return station.Errand(
            orders=self._orders,
            facilities=facilities,
            bundle=pack(coursework),
            data=claimed.data,
            sha256=claimed.sha256,
            seed=seed_of(self._seed, key),
            before=None,
            assignment_sha256=coursework.sha256,
            parts=tuple(part.part for part in coursework.parts),
            max_points=coursework.points,
        )


def ready(result: Result, coursework: Coursework) -> Graded:
    """A result as it is stored. What the student may see of it is made now: by the assignment that it was graded by.
    Tracebacks of ours are in the station's log.
    """
    result = without_tracebacks(result)
    shown = withheld(result, coursework)
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
    )


def _page(result: Result) -> bytes:
    return zlib.compress(page(result).text.encode())
