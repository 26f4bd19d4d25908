"""A station: a process that grades what it is sent, on the device of its own machine and by the rules of the batch.

The same for a process beside the command line and for a worker of a cluster (workforce/). What comes in is from the
judge's side: submissions are bytes here, and run in sandboxes only.
"""

import json
import platform
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from grader.common.errors import InputError, InterruptedGradingError, WorkerError
from grader.common.interrupts import uninterrupted
from grader.common.record import replace
from grader.course.submissions.scan import scan
from grader.course.submissions.submission import FILE_NAME, Submission, parse_submission
from grader.course.suite import Coursework
from grader.execution.sandbox.folder import LockedFolder, abandoned
from grader.grading.checks.simulator_checks import absence
from grader.grading.completion import complete
from grader.grading.device_lock import shared_cpu
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
"""The name of every submission: the same bytes are graded once for all who handed them in."""

PREFIX = "grader-station-"
SIGN = "bundles"
"""grader-station-XXXX/bundles/ holds what lms/bundle.py makes; see execution/sandbox/folder.py."""


def one_of_several_alike(device: DeviceFacts) -> DeviceFacts:
    """The device without what may differ between devices whose results can be compared, such as the clock of a CPU,
    which changes all the time.
    """
    return replace(device, index=0, bus=None, global_memory=0, clock=None)


@dataclass(frozen=True, kw_only=True)
class Facilities:
    """What a station grades with: where these are equal, results can be compared."""

    grader: str
    device: DeviceFacts
    simulated: bool

    def __str__(self) -> str:
        simulator = "with" if self.simulated else "without"
        return f"grader {self.grader} on {self.device.name}, {simulator} the simulator"


@dataclass(frozen=True, kw_only=True)
class WholeGrading:
    """All checks of a file."""


@dataclass(frozen=True, kw_only=True)
class VisibleGrading:
    """All checks of a file but its hidden cases, which stay pending."""


@dataclass(frozen=True, kw_only=True)
class MissingSpeeds:
    """The speeds that a result lacks, since the machine was too noisy to time on."""

    result: Result


@dataclass(frozen=True, kw_only=True)
class PendingCases:
    """The hidden cases that are pending in a result."""

    result: Result


Work = WholeGrading | VisibleGrading | MissingSpeeds | PendingCases
"""What a station is asked to do with a file."""


@dataclass(frozen=True, kw_only=True)
class Errand:
    """Work on one file for one assignment. `orders` are settings, as JSON, that come before those of the machine; the
    last three are what the result must say of the assignment.
    """

    work: Work
    orders: str
    facilities: Facilities
    bundle: Bundle
    data: bytes
    sha256: str
    seed: int
    assignment_sha256: str
    parts: tuple[str, ...]
    max_points: float


def most_points(assignment: Coursework) -> float:
    """The points out of which a result for the assignment is: a student kit's also has those of checks left out."""
    parts = assignment.parts
    return assignment.points + sum(sum(part.left_out.values()) for part in parts)


class Station:
    """An environment that stays open from one errand to the next, and the assignments that were sent."""

    def __init__(self, orders: str) -> None:
        settings = load_settings(json.loads(orders))
        with ExitStack() as undo:
            with uninterrupted():
                self._assignments = undo.enter_context(_assignments_folder(Path(tempfile.gettempdir())))
                self._environment = undo.enter_context(settings.open_batch(settings.sandbox_for_others()))
            self.facilities = _look_around(self._environment)
            self._opened = undo.pop_all()

    def close(self) -> None:
        """End the spare worker, and remove the assignments."""
        self._opened.close()

    def grade(self, errand: Errand, progress: Progress) -> Result:
        """Grade it; raises what a grading raises, and WorkerError if this is not a station of the batch."""
        if self.facilities != errand.facilities:
            raise WorkerError(
                f"{platform.node()} would grade with {self.facilities}, but the batch is graded with "
                f"{errand.facilities}: the results could not be compared."
            )
        assignment = unpack(errand.bundle, self._assignments)
        return _result(assignment, errand, self._environment, progress)


@contextmanager
def _assignments_folder(parent: Path) -> Iterator[Path]:
    """Where bundles are unpacked until the end of the block; what killed stations have left is removed first."""
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
        environment.roofs(here)  # a stale profile ends the batch before it begins
        simulated = absence(simulator, environment.watching) is None
    return Facilities(grader=version("grader"), device=one_of_several_alike(here), simulated=simulated)


def _result(assignment: Coursework, errand: Errand, environment: GradingEnvironment, progress: Progress) -> Result:
    try:
        submission = parse_submission(NAME, errand.data)
    except InputError as error:
        submission = Submission(path=NAME, source="", sha256=errand.sha256, scan=scan(""))
        return refuse_coursework(assignment, submission, errand.seed, str(error), environment)
    match errand.work:
        case WholeGrading():
            return grade_coursework(assignment, submission, errand.seed, environment, progress)
        case VisibleGrading():
            return grade_without_hidden_cases(assignment, submission, errand.seed, environment, progress)
        case MissingSpeeds(result=result):
            return time_again(assignment, submission, result, environment, progress)
        case PendingCases(result=result):
            return complete(assignment, submission, result, environment)


_at_work = Lock()
"""An environment is for one grading at a time; a worker of a cluster may have several threads."""


_open: dict[str, Station] = {}
"""The station of this process, by its orders: at most one."""


def _station(orders: str) -> Station:
    if orders not in _open:
        leave()
        _open[orders] = Station(orders)
    return _open[orders]


def leave() -> None:
    """Close the station of this process, if there is one, before the process ends."""
    while _open:
        _, station = _open.popitem()
        station.close()


def look_around(orders: str) -> Facilities:
    """What this process grades with."""
    with _at_work:
        return _station(orders).facilities


def grade(errand: Errand, progress: Progress = quietly) -> Result | Ungraded:
    """Grade it in this process; a fault in one grading does not touch the others."""
    try:
        with _at_work:
            return _station(errand.orders).grade(errand, progress)
    except InterruptedGradingError:
        raise
    except Exception as error:  # noqa: BLE001 - see above
        return ungraded(errand.bundle.name, NAME, error)
