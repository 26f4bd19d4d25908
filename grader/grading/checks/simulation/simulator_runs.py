"""Simulated runs on which checks are based, and the data before and after them."""

from dataclasses import dataclass, replace
from functools import cached_property

from grader.common.errors import NoSimulatorError
from grader.course.rubric import Kind, Section
from grader.execution.client import Worker
from grader.grading.checks.simulation.counts import memory_run
from grader.grading.checks.simulation.sanitizer_run import Endless, Failed, sanitizer_run
from grader.grading.checks.simulation.simulated_run import Simulated, SimulatedRun, Subject
from grader.grading.rules import WatchingRules
from grader.protocol.messages import Simulation
from grader.results.check import Check
from grader.results.metrics import Profile


@dataclass(frozen=True, kw_only=True)
class Runs:
    """The simulated runs on which the checks are based.

    Each run is created when a check first needs it, or started earlier by the methods below. If `counter` is not the
    subject's worker, both runs can overlap. `ours` simulates the model solution for comparison, and never runs a
    submission.
    """

    subject: Subject
    counter: Worker
    ours: Worker

    @cached_property
    def sanitizer(self) -> SimulatedRun:
        """The run that is watched for wrong accesses and races."""
        asked = self.subject.task.assignment.sanitizer
        assert asked is not None
        return sanitizer_run(self.subject, asked)

    @cached_property
    def memory(self) -> SimulatedRun:
        """The run in which memory accesses are counted."""
        asked = self.subject.task.assignment.memory
        assert asked is not None
        return memory_run(replace(self.subject, worker=self.counter), asked)

    def begin_sanitizer(self) -> None:
        """Start the run of the sanitizer without waiting for it, if the assignment asks for this check."""
        if self._asks_for(Kind.SANITIZER, self.subject.task.assignment.sanitizer):
            self.sanitizer.begin()

    def begin_memory(self) -> None:
        """Start the run that counts memory accesses without waiting for it. No-op if the assignment does not ask for
        it, or if the run shares a worker with the run of the sanitizer.
        """
        is_apart = self.counter is not self.subject.worker
        if is_apart and self._asks_for(Kind.MEMORY, self.subject.task.assignment.memory):
            self.memory.begin()

    def _asks_for(self, kind: Kind, section: Section | None) -> bool:
        """True if the assignment has this section and this grading makes its checks."""
        return section is not None and kind not in self.subject.task.unmade


@dataclass(frozen=True, kw_only=True)
class Tested:
    """A submission whose shown cases have run: the runs for further checks, and the sizes of the failed cases.
    `endless` is a case that does not end in the simulator, if there is one.
    """

    runs: Runs
    simulation: Simulation
    failed: Failed = ()
    endless: Endless | None = None


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Checks that are based on simulated runs, and the records of these runs.

    `profile` contains the counts of memory behaviour, if they were made. `seen` is the record at the sanitizer's sizes,
    and `at_failed` the record at the smallest failed size. Both are None if the sanitizer check is hidden, because
    shown checks use them. `unsupported` is a phrase for the construct that stopped a run, if there is one.
    """

    checks: tuple[Check, ...]
    profile: Profile | None = None
    unsupported: str | None = None
    seen: Simulated | None = None
    at_failed: Simulated | None = None


def absence(simulator: Worker, rules: WatchingRules) -> NoSimulatorError | None:
    """Return the error if the simulator is missing, or raise it if the rules require the simulator; None if the
    simulator is available.
    """
    try:
        simulator.ready()
    except NoSimulatorError as error:
        if rules.required:
            raise
        return error
    return None
