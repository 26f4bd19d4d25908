"""Where and by what rules gradings are run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from grader.common.record import replace
from grader.execution.client import Deadlines, Worker
from grader.execution.pool import OwnWorkers
from grader.execution.sandbox import Sandbox
from grader.grading.checks.simulator_checks import WatchingRules
from grader.grading.timing.device_profile import load_profile
from grader.grading.timing.intervals import TimingRules
from grader.protocol.messages import DeviceFacts
from grader.results.metrics import Roofs
from grader.results.provenance import Setting

Progress = Callable[[str], None]
"""Told in a few words what is being done."""


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
    own: OwnWorkers = field(default_factory=OwnWorkers)

    def worker(self) -> Worker:
        """A worker on this bench."""
        return Worker(self.sandbox, self.device, self.deadlines)

    def roofs(self, device: DeviceFacts) -> Roofs | None:
        """What `grader calibrate` has measured of it; raises DeviceError if that is no longer true."""
        profile = load_profile(self.profiles, device, self.sandbox_name)
        return None if profile is None else profile.roofs

    @property
    def setting(self) -> Setting:
        """What results say of it."""
        return Setting(sandbox=self.sandbox_name, limits=self.sandbox.facts())

    def simulator(self) -> Worker:
        """A worker whose device is simulated."""
        seconds = self.deadlines.simulation
        deadlines = replace(self.deadlines, first_launch=seconds, launch=seconds)
        return Worker(self.sandbox, 0, deadlines, self.watching.simulation)
