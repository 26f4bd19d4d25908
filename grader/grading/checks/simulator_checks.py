"""Checks that only a simulator can make: hidden races, stray accesses, and memory behaviour."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.common.errors import NoSimulatorError
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.rubric import Sanitizer
from grader.execution.client import Worker
from grader.grading.checks.memory import check_memory, count_memory, memory_run, uncounted, usable
from grader.grading.checks.missing_barrier import with_barrier
from grader.grading.checks.sanitizer import Endless, Failed, check_sanitizer, of_endless, sanitizer_run, unwatched
from grader.grading.checks.simulated_run import Simulated, SimulatedRun, Subject
from grader.grading.checks.uncounted import explained
from grader.grading.explain.problem import NOT_RIGHT, Problem
from grader.grading.rules import WatchingRules
from grader.protocol.messages import Simulation
from grader.results.check import Check, Reason, Verdict
from grader.results.metrics import Profile


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Simulated runs that the checks rest on.

    Each run is made when a check first asks for it, and may begin earlier. If `counter` is another worker than the
    subject's, both runs can overlap. `ours` simulates the model solution for comparison, and never runs a submission.
    """

    subject: Subject
    counter: Worker
    ours: Worker

    @cached_property
    def sanitizer(self) -> SimulatedRun:
        """Run that is watched for wrong accesses and races."""
        asked = self.subject.task.assignment.sanitizer
        assert asked is not None
        return sanitizer_run(self.subject, asked)

    @cached_property
    def memory(self) -> SimulatedRun:
        """Run that counts memory accesses."""
        asked = self.subject.task.assignment.memory
        assert asked is not None
        return memory_run(replace(self.subject, worker=self.counter), asked)

    def begin_sanitizer(self) -> None:
        """Start the sanitizer's run without waiting for it, if the assignment asks for this check."""
        if self.subject.task.assignment.sanitizer is not None:
            self.sanitizer.begin()

    def begin_memory(self) -> None:
        """Start the run that counts without waiting for it.

        Nothing starts if the assignment does not ask for it, or if the run shares a worker with the sanitizer's run.
        """
        if self.subject.task.assignment.memory is not None and self.counter is not self.subject.worker:
            self.memory.begin()


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Checks that rest on simulated runs, and the records of the runs.

    `profile` has the counts of memory behaviour, if they were made. `seen` is the record at the sanitizer's sizes, and
    `at_failed` the record at the smallest failed size. A hidden sanitizer's check gives neither of them, because checks
    that are shown use them.
    """

    checks: tuple[Check, ...]
    profile: Profile | None = None
    seen: Simulated | None = None
    at_failed: Simulated | None = None


def watch(runs: Runs, rules: WatchingRules, failed: Failed = (), endless: Endless | None = None) -> Watched:
    """Run the submission on the simulator, unless one of its cases is known not to end there (`endless`).

    Memory behaviour counts if its run has right results, even if cases fail: a missing guard for ragged sizes does not
    change it. Without a simulator, the checks are skipped. NoSimulatorError is raised instead if they are required.
    """
    assignment = runs.subject.task.assignment
    if not assignment.is_watched:
        return Watched(checks=())
    absent = absence(runs.subject.worker, rules)
    if absent is not None:
        missing = Problem(reason=Reason.NO_SIMULATOR, message=str(absent))
        return Watched(checks=tuple(map(missing.skip, unwatched_checks(assignment))))
    watched = Watched(checks=())
    if assignment.sanitizer is not None:
        asked = assignment.sanitizer
        sanitized = of_endless(asked, endless) if endless else check_sanitizer(runs.sanitizer, asked, failed)
        watched = Watched(checks=(sanitized.check,))
        if not assignment.sanitizer.hidden:
            watched = replace(watched, seen=sanitized.seen, at_failed=sanitized.at_failed)
    if assignment.memory is not None:
        start = time.perf_counter()
        counted = NOT_RIGHT if endless else _counted(runs, rules.simulation, watched.checks, failed)
        memory = tuple(check_memory(assignment, assignment.memory, counted))
        seconds = (time.perf_counter() - start) / len(memory)
        profile = None if isinstance(counted, Problem) else counted
        timed = (replace(check, seconds=seconds) for check in memory)
        watched = replace(watched, checks=(*watched.checks, *timed), profile=profile)
    return watched


def _counted(runs: Runs, simulation: Simulation, sanitized: Sequence[Check], failed: Failed) -> Profile | Problem:
    """Counts of the submission; if its only mistake is a missing barrier, counts with the barrier added.

    The result is a Problem if neither run counts. It explains the run that counts only if no other mistake is known.
    """
    ran = count_memory(runs.memory, simulation)
    counted = usable(ran)
    if not isinstance(counted, Problem):
        return counted
    asked = runs.subject.task.assignment.sanitizer
    shown = () if asked is None or asked.hidden else sanitized
    mended = None if asked is None else _with_barrier(runs, simulation, asked, shown)
    if mended is not None:
        return mended
    if failed or any(check.verdict is Verdict.FAILED for check in shown):
        return counted
    return explained(ran, runs.memory, runs.ours) or counted


def _with_barrier(runs: Runs, simulation: Simulation, asked: Sanitizer, shown: Sequence[Check]) -> Profile | None:
    """Counts with the one missing barrier added; None if the barrier is not the only mistake."""
    memory = runs.subject.task.assignment.memory
    mended = with_barrier(runs.subject, asked, [finding for check in shown for finding in check.findings])
    if mended is None or memory is None:
        return None
    subject = replace(runs.subject, built=mended.built, worker=runs.counter)
    again = usable(count_memory(memory_run(subject, memory), simulation))
    return None if isinstance(again, Problem) else replace(again, barrier_after=mended.line)


def absence(simulator: Worker, rules: WatchingRules) -> NoSimulatorError | None:
    """Return the error of a missing simulator, or raise it if the rules require the simulator; None if it is there."""
    try:
        simulator.ready()
    except NoSimulatorError as error:
        if rules.required:
            raise
        return error
    return None


def unwatched_checks(assignment: Assignment) -> Iterator[Check]:
    """Checks of the simulator as if they had passed."""
    if assignment.sanitizer is not None:
        yield unwatched(assignment.sanitizer)
    if assignment.memory is not None:
        yield from uncounted(assignment.memory)
