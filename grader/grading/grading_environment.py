"""The environment of gradings: workers in a sandbox, and rules."""

import platform
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grader.course.submissions.submission import Task
from grader.execution.client import Worker
from grader.execution.pool import PLENTY, WorkerPool
from grader.grading.rules import SearchRules, TimingRules, WatchingRules
from grader.grading.timing.device_profile import load_profile
from grader.grading.timing.rounds import Role
from grader.protocol.messages import DeviceFacts
from grader.results.metrics import Roofs
from grader.results.result import Provenance

PACKAGES = ("numpy", "pyopencl", "pocl-binary-distribution", "pydantic", "junit-xml")
"""Packages whose versions are part of a result, if they are installed. PoCL may also come from the system."""


@dataclass(frozen=True, kw_only=True)
class GradingEnvironment:
    """Workers in a sandbox, and rules. Only one grading at a time may use them."""

    sandbox_name: str
    workers: WorkerPool
    timing: TimingRules
    locks: Path
    profiles: Path
    watching: WatchingRules
    search: SearchRules = field(default_factory=SearchRules)
    spare: int = 0
    """Number of processors that a grading would leave idle. They do work that may be needed later."""

    @property
    def has_plenty(self) -> bool:
        """True if enough processors are idle for work that may turn out not to be needed."""
        return self.spare >= PLENTY

    def start_own(self) -> None:
        """Start the workers that run grader's own kernels, if enough processors are idle."""
        self.workers.start_own((Role.REFERENCE, Role.CONTROL))

    def look(self) -> DeviceFacts:
        """Return the facts of the device."""
        return self.workers.look(Role.REFERENCE)

    def worker(self) -> Worker:
        """Return a new worker on the device."""
        return self.workers.worker()

    def roofs(self, device: DeviceFacts) -> Roofs | None:
        """Return the limits that `grader calibrate` has measured; None if there is no profile.

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
            limits=self.workers.sandbox.facts(),
            seed=task.seed,
            started=started.isoformat(timespec="seconds"),
            device=device,
        )

    def simulator(self) -> Worker:
        """Return a new worker whose device is simulated."""
        return self.workers.simulator(self.watching.simulation)


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
