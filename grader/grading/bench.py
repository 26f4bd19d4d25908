"""Where and by what rules gradings are run."""

import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grader.common.record import replace
from grader.course.submissions.task import Task
from grader.execution.client import Worker
from grader.execution.deadlines import Deadlines
from grader.execution.device import share_a_process
from grader.execution.pool import Ahead, Early, OwnWorkers
from grader.execution.sandbox import Sandbox
from grader.grading.rules import SearchRules, TimingRules, WatchingRules
from grader.grading.timing.contestant import Role
from grader.grading.timing.device_profile import load_profile
from grader.protocol.messages import DeviceFacts
from grader.results.metrics import Roofs
from grader.results.result import Check, Provenance


@dataclass(frozen=True, kw_only=True)
class Decided:
    """A check is decided, and may be shown whatever comes of hidden ones. `sentence` is why it failed, unless a later
    part of the grading may still explain that better.
    """

    check: Check
    sentence: str = ""

    def __str__(self) -> str:
        return self.check.name


Progress = Callable[[str | Decided], None]
"""Called with a few words about what begins, and with each check that is decided."""

PACKAGES = ("numpy", "pyopencl", "pocl-binary-distribution", "pydantic", "junit-xml")
"""Packages whose versions a result states, where they are installed: PoCL may also come from the system."""


PLENTY = 2
"""Processors to spare from which on our own kernels are built before anybody knows whether they will be timed, and a
GPU is timed beside the simulator.
"""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A sandbox, a device, deadlines, rules, and workers of our own."""

    sandbox_name: str
    sandbox: Sandbox
    device: int
    deadlines: Deadlines
    timing: TimingRules
    locks: Path
    profiles: Path
    watching: WatchingRules
    search: SearchRules = field(default_factory=SearchRules)
    own: OwnWorkers = field(default_factory=OwnWorkers)
    ahead: Ahead | Early | None = None
    spare: int = 0
    """Processors that a grading would leave idle: what may be needed later begins on these, so that nobody waits."""

    @property
    def has_plenty(self) -> bool:
        """Whether so many processors are idle that something may be done which may turn out not to be needed."""
        return self.spare >= PLENTY

    def begin_ours(self) -> None:
        """Start the workers that run our own kernels, if there is plenty for it."""
        if self.has_plenty:
            for role in (Role.REFERENCE, Role.CONTROL):
                self.own.begin(role, self.worker())

    def look(self) -> DeviceFacts:
        """The device. The worker that sees a GPU will run the model solution: as long as a process is known to it, its
        driver takes a tenth of the time for the next.
        """
        worker = self.worker()
        self.own.begin(Role.REFERENCE, worker)
        device = worker.ready()
        if share_a_process(device):
            self.own.close()
        return device

    def student(self) -> Worker:
        """A worker for a submission, which may be warm already."""
        return self.worker() if self.ahead is None else self.ahead.take()

    def begin_next(self) -> None:
        """Let the next submission's worker start now, where more are to come."""
        if self.ahead is not None:
            self.ahead.begin()

    def settle(self) -> None:
        """Wait until nothing starts any more: somebody is to be timed."""
        if self.ahead is not None:
            self.ahead.settle()

    def worker(self) -> Worker:
        """A worker on this bench."""
        return Worker(self.sandbox, self.device, self.deadlines)

    def roofs(self, device: DeviceFacts) -> Roofs | None:
        """What `grader calibrate` has measured of it, if anything; raises DeviceError if that is out of date."""
        profile = load_profile(self.profiles, device, self.sandbox_name)
        return None if profile is None else profile.roofs

    def provenance(self, task: Task, device: DeviceFacts, started: datetime) -> Provenance:
        """What the result of a grading on this device rests on."""
        return Provenance(
            grader=version("grader"),
            python=platform.python_version(),
            packages=_versions(),
            assignment_sha256=task.assignment.sha256,
            submission_sha256=task.submission.sha256,
            sandbox=self.sandbox_name,
            limits=self.sandbox.facts(),
            seed=task.seed,
            started=started.isoformat(timespec="seconds"),
            device=device,
        )

    def simulator(self) -> Worker:
        """A worker whose device is simulated."""
        seconds = self.deadlines.simulation
        deadlines = replace(self.deadlines, first_launch=seconds, launch=seconds)
        return Worker(self.sandbox, 0, deadlines, self.watching.simulation)


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
