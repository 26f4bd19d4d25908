"""A station: a process that grades the files it receives on a device of its machine, with the settings of the batch.

Both the child processes of the command line and the workers of a cluster (workforce/) run this code. A station receives
submissions from the judge as bytes, and runs them only in sandboxes.
"""

import json
import platform
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from grader.common.errors import InputError, WorkerError
from grader.common.interrupts import uninterrupted
from grader.common.record import replace
from grader.course.submissions.scan import scan
from grader.course.submissions.submission import FILE_NAME, Submission, parse_submission
from grader.course.suite import Coursework
from grader.execution.sandbox.folder import LockedFolder, abandoned
from grader.grading.checks.simulation.simulator_runs import absence
from grader.grading.completion import complete
from grader.grading.device_lock import shared_cpu
from grader.grading.dry_run import grade_shown_checks
from grader.grading.grade import grade_coursework, grade_without_hidden_cases
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Progress, quietly
from grader.grading.refusal import refuse_coursework, ungraded
from grader.grading.retiming import time_again
from grader.grading.settings import load_settings
from grader.lms.bundle import Bundle, unpack
from grader.protocol.messages import DeviceFacts
from grader.results.result import Result, Ungraded

NAME = Path(FILE_NAME)
"""File name of every submission. The same bytes are graded only once for all students who handed them in."""

PREFIX = "grader-station-"
SIGN = "bundles"
"""Folder in a station's folder for the bundles of lms/bundle.py: grader-station-XXXX/bundles/. It marks the folder as a
station's (see execution/sandbox/folder.py).
"""


def one_of_several_alike(device: DeviceFacts) -> DeviceFacts:
    """Return the device without the facts that may differ between devices with comparable results, such as the clock of
    a CPU, which changes all the time.
    """
    return replace(device, index=0, bus=None, global_memory=0, clock=None, constant_memory=None)


@dataclass(frozen=True, kw_only=True)
class Facilities:
    """Version, device, simulator and sandbox of a station. Results can be compared if the first three are equal."""

    grader: str
    device: DeviceFacts
    simulated: bool
    sandbox: str = field(compare=False)

    def __str__(self) -> str:
        simulator = "with" if self.simulated else "without"
        return f"grader {self.grader} on {self.device.name}, {simulator} the simulator"


@dataclass(frozen=True, kw_only=True)
class WholeGrading:
    """Make all checks of a file."""


@dataclass(frozen=True, kw_only=True)
class VisibleGrading:
    """Make all checks of a file except its hidden cases, which stay pending."""


@dataclass(frozen=True, kw_only=True)
class ShownChecks:
    """Make the checks of a file that students see, without hidden checks."""


@dataclass(frozen=True, kw_only=True)
class MissingSpeeds:
    """Measure the speeds that a result lacks because the machine was too noisy for timing."""

    result: Result


@dataclass(frozen=True, kw_only=True)
class PendingCases:
    """Grade the hidden cases that are still pending in a result."""

    result: Result


Work = WholeGrading | VisibleGrading | ShownChecks | MissingSpeeds | PendingCases
"""Kinds of work that a station does with a file."""


@dataclass(frozen=True, kw_only=True)
class GradingJob:
    """Work on one file for one assignment. `settings_json` overrides the settings of the machine. The result must
    contain the values of the last three fields.
    """

    work: Work
    settings_json: str
    facilities: Facilities
    bundle: Bundle
    data: bytes
    sha256: str
    seed: int
    assignment_sha256: str
    parts: tuple[str, ...]
    max_points: float


def most_points(assignment: Coursework) -> float:
    """Return the full points of a result for the assignment. In a student kit, they include the points of checks that
    the kit leaves out.
    """
    parts = assignment.parts
    return assignment.points + sum(sum(part.left_out.values()) for part in parts)


class Station:
    """A grading environment that stays open between jobs, with the assignments that it has received."""

    def __init__(self, settings_json: str) -> None:
        settings = load_settings(json.loads(settings_json))
        with ExitStack() as undo:
            with uninterrupted():
                self._assignments = undo.enter_context(_assignments_folder(Path(tempfile.gettempdir())))
                self._environment = undo.enter_context(settings.open_batch(settings.sandbox_for_others()))
            self.facilities = _look_around(self._environment)
            self._opened = undo.pop_all()

    def close(self) -> None:
        """End the spare worker and remove the assignments."""
        self._opened.close()

    def grade(self, job: GradingJob, progress: Progress) -> Result:
        """Grade a job. Raises the errors of a grading, and WorkerError if the job requires other facilities than the
        station's.
        """
        if self.facilities != job.facilities:
            raise WorkerError(
                f"{platform.node()} would grade with {self.facilities}, but this batch is graded with "
                f"{job.facilities}: the results could not be compared."
            )
        assignment = unpack(job.bundle, self._assignments)
        return _result(assignment, job, self._environment, progress)


@contextmanager
def _assignments_folder(parent: Path) -> Iterator[Path]:
    """Yield a folder for unpacked bundles, and remove it at the end of the block. Folders that killed stations have
    left behind are removed first. Raises WorkerError if the folder cannot be created.
    """
    with abandoned(parent, PREFIX, SIGN):
        pass
    try:
        folder = LockedFolder.make(parent, PREFIX)
        (folder.path / SIGN).mkdir()
    except OSError as error:
        raise WorkerError(f"cannot make a folder for assignments in {parent}: {error.strerror}.") from error
    try:
        yield folder.path / SIGN
    finally:
        folder.remove()


def _look_around(environment: GradingEnvironment) -> Facilities:
    with shared_cpu(environment.locks), environment.simulator() as simulator:
        here = environment.look()
        environment.roofs(here)  # raises if the profile is stale, so that the batch does not begin
        simulated = absence(simulator, environment.watching) is None
    return Facilities(
        grader=version("grader"),
        device=one_of_several_alike(here),
        simulated=simulated,
        sandbox=environment.sandbox_name,
    )


def _result(assignment: Coursework, job: GradingJob, environment: GradingEnvironment, progress: Progress) -> Result:
    try:
        submission = parse_submission(NAME, job.data)
    except InputError as error:
        if isinstance(job.work, PendingCases):
            raise
        submission = Submission(path=NAME, source="", sha256=job.sha256, scan=scan(""))
        return refuse_coursework(assignment, submission, job.seed, str(error), environment)
    match job.work:
        case WholeGrading():
            return grade_coursework(assignment, submission, job.seed, environment, progress)
        case VisibleGrading():
            return grade_without_hidden_cases(assignment, submission, job.seed, environment, progress)
        case ShownChecks():
            return grade_shown_checks(assignment, submission, job.seed, environment, progress)
        case MissingSpeeds(result=result):
            return time_again(assignment, submission, result, environment, progress)
        case PendingCases(result=result):
            return complete(assignment, submission, result, environment)


_at_work = Lock()
"""Lock around the environment, which can do one grading at a time. A worker of a cluster may have several threads."""


_open: dict[str, Station] = {}
"""The station of this process, by its settings. At most one is open."""


def _station(settings_json: str) -> Station:
    if settings_json not in _open:
        leave()
        _open[settings_json] = Station(settings_json)
    return _open[settings_json]


def leave() -> None:
    """Close the station of this process, if it has one, before the process ends."""
    while _open:
        _, station = _open.popitem()
        station.close()


def look_around(settings_json: str) -> Facilities:
    """Return the facilities of this process's station. The station is opened first if necessary."""
    with _at_work:
        return _station(settings_json).facilities


def grade(job: GradingJob, progress: Progress = quietly) -> Result | Ungraded:
    """Grade a job in this process. A fault in one grading is returned as Ungraded and does not affect the others."""
    try:
        with _at_work:
            return _station(job.settings_json).grade(job, progress)
    except Exception as error:  # noqa: BLE001 - see the docstring
        return ungraded(job.bundle.name, NAME, error)
