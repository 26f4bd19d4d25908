"""Grades claimed submissions in the same way as `grader grade` and `grader batch`, on this machine or on a cluster.

If the sanitizer or the speed is hidden, the end of a grading is delayed, so that its time does not reveal hidden
outcomes. A check that fails takes longer than one that passes because grader searches for an explanation. Students see
when a grading ends. Therefore it ends a whole number of slots after the last event that students see. Hidden cases do
not need slots because they run after the end that students see (submissions/queue.py).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.batch.rescoring import up_to_date
from grader.batch.station import (
    Facilities,
    GradingJob,
    MissingSpeeds,
    PendingCases,
    ShownChecks,
    VisibleGrading,
    WholeGrading,
    Work,
    most_points,
    one_of_several_alike,
)
from grader.batch.store import content_key, seed_of
from grader.common.interrupts import pause
from grader.course.catalogue import Course
from grader.course.rubric import Correctness, Kind
from grader.course.speed_goals import device_class
from grader.course.submissions.handin import HandIn, Student
from grader.course.submissions.submission import fresh_seed
from grader.course.suite import Coursework
from grader.grading.progress import Decided, Progress, quietly
from grader.lms.bundle import pack
from grader.results.result import Result, Ungraded
from grader.results.verdicts import UNTIMED
from grader.service.course.assignment_view import LastGoodState
from grader.service.course.assignments import NO_LAST_STATE, AssignmentCache, classes_of, elsewhere
from grader.service.db.session import Database
from grader.service.db.tables.stations import SecretRow
from grader.service.station.backends import Backend
from grader.service.station.storage import Upkeep, ready, ready_dry_run
from grader.service.submissions.claims import ClaimedGrading, Graded, PendingResult
from grader.service.submissions.queue import CHANGED, MOVED

SLOT = 5.0
"""Length of a slot in seconds. An explanation takes 1 to 4 s."""

TOLD = {Kind.BUILD, *Correctness.kinds}
"""Kinds of checks that are decided before the sanitizer and the speed. Only the latter two may be hidden here."""

TIMED = 3
"""Number of attempts to measure a speed if noise prevents a measurement."""

SEED = "seed"


@dataclass(kw_only=True)
class Pace:
    """Passes on the progress of a grading that begins now, and delays its end. `clock` and `sleep` use seconds."""

    coursework: Coursework
    progress: Progress
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    told: float = field(init=False)
    """Time when the last event was passed on. The first event is the beginning of the grading."""

    def __post_init__(self) -> None:
        """Record the beginning of the grading."""
        self.told = self.clock()

    def note(self, event: str | Decided) -> None:
        """Pass on an event, unless its time may reveal a hidden outcome."""
        is_early = isinstance(event, Decided) and event.check.kind in TOLD
        if _hides_runs(self.coursework) and not is_early:
            return
        self.told = self.clock()
        self.progress(event)

    def wait(self) -> None:
        """Wait for the end of the slot if the time may reveal a hidden outcome."""
        if _hides_runs(self.coursework):
            self.sleep(SLOT - (self.clock() - self.told) % SLOT)


def _hides_runs(coursework: Coursework) -> bool:
    """True if the time of an event may reveal the outcome of a hidden check."""
    sections = (section for part in coursework.parts for section in part.sections)
    return any(section.time_tells and any(section.hides) for section in sections)


class Judge:
    """Grades the claims of one course with one backend. `seed` is the secret seed of the service."""

    def __init__(
        self,
        course: Course,
        backend: Backend,
        seed: int,
        device_class: str = "",
        recall: Callable[[], LastGoodState] = lambda: NO_LAST_STATE,
    ) -> None:
        self._course, self._backend, self._seed, self._class = course, backend, seed, device_class
        self._cache = AssignmentCache(course, Path(), recall=recall)
        self._upkeep = Upkeep(course, self._cache)

    @property
    def facilities(self) -> Facilities:
        """Versions of the software, and the device. Raises a GraderError if the backend cannot grade."""
        return self._backend.facilities

    @property
    def device_class(self) -> str:
        """The device class that the operator set, or else the class of the device."""
        return self._class or device_class(self.facilities.device)

    def elsewhere(self) -> frozenset[str]:
        """Return the assignments that stations of other device classes grade."""
        return elsewhere(classes_of(self._cache), self.device_class)

    def grade(self, claimed: ClaimedGrading, progress: Progress) -> Graded | Ungraded:
        """Return the result to store, or the fault of grader that prevented one."""
        self._cache.require_readable(claimed.assignment)
        coursework = self._course.load(claimed.assignment)
        measured = coursework.measured_sha256  # the files may change during the grading
        if claimed.pending is None:
            outcome = self._graded(coursework, claimed, progress)
        else:
            outcome = self._completed(coursework, claimed, claimed.pending)
        if isinstance(outcome, Ungraded):
            return outcome
        if claimed.is_dry_run:
            return replace(ready_dry_run(outcome, coursework), measured_sha256=measured)
        return replace(ready(outcome, coursework), measured_sha256=measured)

    def keep_up(self, database: Database) -> bool:
        """Store the present states of assignments, delete old dry runs, and update some stored results whose points
        have changed. Return True if there may be more such results.
        """
        self._upkeep.record_assignments(database)
        self._upkeep.delete_dry_runs(database)
        return self._upkeep.score_some(database)

    def close(self) -> None:
        """Close the backend."""
        self._backend.close()

    def _graded(self, coursework: Coursework, claimed: ClaimedGrading, progress: Progress) -> Result | Ungraded:
        """Return the outcome of a first grading. Hidden cases stay pending. If other checks are hidden, the grading
        ends with its slot.
        """
        if claimed.is_dry_run:  # hidden checks do not run, so the time does not reveal their outcomes
            return self._measured(self._job(coursework, claimed, ShownChecks()), progress)
        pace = Pace(coursework=coursework, progress=progress, sleep=pause)
        work = VisibleGrading() if claimed.hides else WholeGrading()
        outcome = self._measured(self._job(coursework, claimed, work), pace.note)
        pace.wait()
        return outcome

    def _completed(self, coursework: Coursework, claimed: ClaimedGrading, pending: PendingResult) -> Result | Ungraded:
        """Return the stored result, completed by its hidden cases. Does not report progress."""
        if pending.measured_sha256 != coursework.measured_sha256:
            return Ungraded(assignment=claimed.assignment, submission="", fault=CHANGED)
        result = up_to_date(Result.model_validate_json(pending.result), coursework)
        here, made = self.facilities, result.provenance
        is_alike = one_of_several_alike(made.device) == one_of_several_alike(here.device)
        if made.grader != here.grader or not is_alike:
            return Ungraded(assignment=claimed.assignment, submission="", fault=MOVED)
        return self._backend.grade(self._job(coursework, claimed, PendingCases(result=result)), quietly)

    def _measured(self, job: GradingJob, progress: Progress) -> Result | Ungraded:
        """Return the outcome. If noise prevents the measurement of a speed, it is tried again, and
        finally left open.
        """
        outcome = self._backend.grade(job, progress)
        for _ in range(TIMED - 1):
            if isinstance(outcome, Ungraded) or all(each.reason not in UNTIMED for each in outcome.checks):
                break
            progress("timing again because the speed could not be measured")
            again = self._backend.grade(replace(job, work=MissingSpeeds(result=outcome)), progress)
            outcome = outcome if isinstance(again, Ungraded) else again
        return outcome

    def _job(self, coursework: Coursework, claimed: ClaimedGrading, work: Work) -> GradingJob:
        facilities = self.facilities
        nobody = Student(label="", name="")
        handin = HandIn(student=nobody, assignment=claimed.assignment, where="", data=claimed.data)
        key = content_key(handin, coursework.measured_sha256, facilities, self._backend.settings_json)
        return GradingJob(
            work=work,
            settings_json=self._backend.settings_json,
            facilities=facilities,
            bundle=pack(coursework),
            data=claimed.data,
            sha256=claimed.sha256,
            seed=work.result.provenance.seed if isinstance(work, PendingCases) else seed_of(self._seed, key),
            assignment_sha256=coursework.sha256,
            parts=tuple(part.part for part in coursework.parts),
            max_points=most_points(coursework),
        )


def service_seed(database: Database) -> int:
    """Return the seed. The first call creates it."""
    with database.writing() as session:
        row = session.get(SecretRow, SEED)
        if row is None:
            row = SecretRow(name=SEED, value=str(fresh_seed()))
            session.add(row)
        return int(row.value)
