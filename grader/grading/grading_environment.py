"""Environment of gradings: sandbox, device, rules, and the workers that run our own kernels."""

import platform
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grader.common.record import replace
from grader.course.submissions.task import Task
from grader.execution.client import Worker
from grader.execution.device import share_a_process
from grader.execution.pool import Ahead, Early, OwnWorkers
from grader.execution.sandbox import Sandbox
from grader.execution.timeouts import Timeouts
from grader.grading.rules import SearchRules, TimingRules, WatchingRules
from grader.grading.timing.device_profile import load_profile
from grader.grading.timing.participants import Role
from grader.protocol.messages import DeviceFacts
from grader.results.metrics import Roofs
from grader.results.result import Provenance

PACKAGES = ("numpy", "pyopencl", "pocl-binary-distribution", "pydantic", "junit-xml")
"""Packages whose versions a result states, if they are installed; PoCL may also come from the system."""


PLENTY = 2
"""Least number of idle processors for early work: our own kernels are built before it is clear that they are needed,
and kernels on a GPU are timed while the simulator works.
"""


@dataclass(frozen=True, kw_only=True)
class GradingEnvironment:
    """Sandbox, device, timeouts, rules, and workers for our own kernels. One grading at a time uses them."""

    sandbox_name: str
    sandbox: Sandbox
    device: int
    timeouts: Timeouts
    timing: TimingRules
    locks: Path
    profiles: Path
    watching: WatchingRules
    search: SearchRules = field(default_factory=SearchRules)
    own: OwnWorkers = field(default_factory=OwnWorkers)
    ahead: Ahead | Early | None = None
    spare: int = 0
    """Number of processors that a grading would leave idle. They do work that may be needed later."""

    @property
    def has_plenty(self) -> bool:
        """True if enough processors are idle for work that may turn out not to be needed."""
        return self.spare >= PLENTY

    def begin_ours(self) -> None:
        """Start the workers that run our own kernels, if enough processors are idle."""
        if self.has_plenty:
            for role in (Role.REFERENCE, Role.CONTROL):
                self.own.begin(role, self.worker())

    def look(self) -> DeviceFacts:
        """Return the facts of the device.

        On a GPU, the worker that asks for them is kept, and later runs the model solution. While the driver knows one
        process, the next process starts in a tenth of the time.
        """
        worker = self.worker()
        self.own.begin(Role.REFERENCE, worker)
        device = worker.ready()
        if share_a_process(device):
            self.own.close()
        return device

    def student(self) -> Worker:
        """Return a worker for a submission, which may have warmed up already."""
        return self.worker() if self.ahead is None else self.ahead.take()

    def begin_next(self) -> None:
        """Start the worker of the next submission, if one is expected."""
        if self.ahead is not None:
            self.ahead.begin()

    def settle(self) -> None:
        """Wait until no worker is starting, since a submission will be timed."""
        if self.ahead is not None:
            self.ahead.settle()

    def worker(self) -> Worker:
        """Return a new worker on the device."""
        return Worker(self.sandbox, self.device, self.timeouts)

    def roofs(self, device: DeviceFacts) -> Roofs | None:
        """Return the limits that `grader calibrate` has measured; None without a profile.

        Raises DeviceError if the profile is out of date or cannot be read.
        """
        profile = load_profile(self.profiles, device, self.sandbox_name)
        return None if profile is None else profile.roofs

    def provenance(self, task: Task, device: DeviceFacts, started: datetime) -> Provenance:
        """Return the versions, limits and device of a grading."""
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
        """Return a worker whose device is simulated."""
        seconds = self.timeouts.simulation
        timeouts = replace(self.timeouts, first_launch=seconds, launch=seconds)
        return Worker(self.sandbox, 0, timeouts, self.watching.simulation)


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
