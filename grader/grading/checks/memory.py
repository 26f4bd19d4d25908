"""Memory checks, which compare the counts of a simulated run with the limits of the assignment."""

import dataclasses
import time
from collections.abc import Iterator, Sequence

from grader.common.optional import OptionalWork
from grader.common.phrases import capital
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import MemoryCheck
from grader.course.expressions import evaluate
from grader.course.rubric import Kind, Memory, Sanitizer
from grader.grading.checks.causes.missing_barrier import with_barrier
from grader.grading.checks.memory_behaviour.measures import MEASURES
from grader.grading.checks.memory_behaviour.reading import in_digits
from grader.grading.checks.memory_behaviour.remedies import fitted
from grader.grading.checks.memory_behaviour.serial import CONCERNED, serial
from grader.grading.checks.memory_behaviour.uncounted import explained
from grader.grading.checks.simulation.counts import Counted, count_memory, memory_run, needs
from grader.grading.checks.simulation.model_run import COMPARISON
from grader.grading.checks.simulation.simulated_run import CUT_OFF, unsupported_in
from grader.grading.checks.simulation.simulator_runs import Runs, Tested, Watched
from grader.grading.explain.problem import NOT_RIGHT, Problem
from grader.grading.explain.simulator.tried_barriers import ended_by_a_barrier
from grader.protocol.messages import Simulation
from grader.results.check import Check, full_marks
from grader.results.metrics import Profile
from grader.results.result import Result
from grader.results.verdicts import Reason, Verdict

TOLERANCE = 1e-9
"""Relative tolerance of a limit, for the rounding errors of ratios."""


def observe(tested: Tested, before: Watched) -> Watched:
    """Add the memory checks. They count if their run has right results, even if cases fail, because a missing guard for
    ragged sizes does not change the counts.
    """
    assignment = tested.runs.subject.task.assignment
    assert assignment.memory is not None
    start = time.perf_counter()
    ran = NOT_RIGHT if tested.endless else count_memory(tested.runs.memory, tested.simulation)
    counted = NOT_RIGHT if tested.endless else _counted(tested, before, ran)
    source = tested.runs.subject.task.submission.source
    checks = tuple(check_memory(assignment, assignment.memory, counted, source))
    if isinstance(counted, Profile) and any(check.reason is Reason.EXTRA_TRAFFIC for check in checks):
        counted = _with_needs(counted, tested.runs)
        checks = tuple(check_memory(assignment, assignment.memory, counted, source))
    seconds = (time.perf_counter() - start) / len(checks)
    profile = None if isinstance(counted, Problem) else counted
    timed = (replace(check, seconds=seconds) for check in checks)
    unsupported = before.unsupported or unsupported_in(ran.run if isinstance(ran, Counted) else ran)
    seen = before.checks
    if profile is not None and profile.barrier_after is not None:
        seen = tuple(ended_by_a_barrier(check, profile.barrier_after) for check in seen)
    return dataclasses.replace(before, checks=(*seen, *timed), profile=profile, unsupported=unsupported)


def _counted(tested: Tested, before: Watched, ran: Counted | Problem) -> Profile | Problem:
    """Return the counts of a submission, which ran in the simulator with the outcome `ran`. If its only mistake is a
    missing barrier, these are the counts with the barrier added. If neither run can be counted, returns a Problem,
    which contains an explanation only if no other check reports the mistake.
    """
    runs, simulation = tested.runs, tested.simulation
    counted = usable(ran)
    if not isinstance(counted, Problem):
        return counted
    asked = runs.subject.task.assignment.sanitizer
    sanitized = [check for check in before.checks if check.kind is Kind.SANITIZER]
    shown = [] if asked is None or asked.hidden else sanitized
    mended = None if asked is None else _with_barrier(runs, simulation, asked, shown)
    if mended is not None:
        return mended
    if _is_told(tested, before, shown, ran):
        return counted
    return explained(ran, runs.memory, runs.ours) or counted


def _is_told(tested: Tested, before: Watched, shown: Sequence[Check], ran: Counted | Problem) -> bool:
    """True if another check reports the mistake. No check explains wrong results on the device if the simulator has no
    finding, does not stop the kernel, and gets right results in ascending order of work-items.
    """
    if not tested.failed:
        return any(check.verdict is Verdict.FAILED for check in shown)
    if before.seen is None or any(check.reason is not Reason.NOT_RUN for check in shown):
        return True
    if isinstance(ran, Problem) or ran.run.problem == CUT_OFF:
        return True
    return any(run is not None and run.problem is not None for run in (before.seen, before.at_failed))


def _with_needs(counted: Profile, runs: Runs) -> Profile:
    """Counts with the traffic of the model solution, which shows the arrays that are accessed too often."""
    with OptionalWork(COMPARISON):
        return replace(counted, needed=needs(runs.memory, runs.ours))
    return counted


def _with_barrier(runs: Runs, simulation: Simulation, asked: Sanitizer, shown: Sequence[Check]) -> Profile | None:
    """The counts with the missing barrier added; None if a missing barrier is not the only mistake."""
    memory = runs.subject.task.assignment.memory
    mended = with_barrier(runs.subject, asked, [finding for check in shown for finding in check.findings])
    if mended is None or memory is None:
        return None
    subject = dataclasses.replace(runs.subject, built=mended.built, worker=runs.counter)
    again = usable(count_memory(memory_run(subject, memory), simulation))
    return None if isinstance(again, Problem) else replace(again, barrier_after=mended.line)


def check_memory(
    assignment: Assignment, asked: Memory, counted: Profile | Problem, source: str = ""
) -> Iterator[Check]:
    """Make the check for each limit of the assignment on memory behaviour. If `counted` is a Problem, all of them fail.
    The help is adapted to the source if it is given. If a barrier was added to the counted kernel, the message of the
    first check mentions it.
    """
    note = "" if isinstance(counted, Problem) else _note_of_barrier(counted)
    for check, each in zip(uncounted(asked), asked.checks, strict=True):
        if isinstance(counted, Problem):
            yield counted.fail(check)
        else:
            judged = _judged(check, each, evaluate(each.at_most, assignment.names(asked.sizes)), counted, source)
            yield replace(judged, message=f"{note}{judged.message}")
            note = ""


def uncounted(asked: Memory) -> Iterator[Check]:
    """The checks as if they had passed, for a submission that is not run."""
    return map(full_marks, asked.asked_checks)


def usable(counted: Counted | Problem) -> Profile | Problem:
    """Return the counts if the results of the kernel were right, otherwise the reason why the counts cannot be used."""
    if isinstance(counted, Problem):
        return _uncounted(counted.message)
    run = counted.run
    if run.unsupported is not None:
        return _uncounted(f"the simulator cannot run {run.unsupported}.")
    if run.problem == CUT_OFF:
        return _uncounted("the simulator stopped the kernel before its end.")
    if run.problem is not None:
        return dataclasses.replace(_uncounted("the results are wrong in the simulator."), detail=run.problem.message)
    return counted.profile


def _uncounted(why: str) -> Problem:
    """The problem for missing counts. Another check reports the mistake itself."""
    return Problem(reason=Reason.NOT_RUN, message=f"not counted: {why}")


def _judged(check: Check, each: MemoryCheck, limit: float, counted: Profile, source: str) -> Check:
    """Compare a measure with its limit. The message contains both. If the limit is exceeded, the help explains how to
    get below it.
    """
    reading = MEASURES[each.measure](counted)
    words = f"{reading.what}; the limit is {in_digits(limit)}."
    if reading.value <= limit * (1 + TOLERANCE):
        return replace(check, message=words)
    alone = serial(counted, source) if reading.reason in CONCERNED else None
    if alone is not None:
        told = f"{alone.sentence}. {capital(words)}"
        return Problem(reason=Reason.WARP_DIVERGENCE, message=told, help=alone.help, detail=each.teaches).fail(check)
    words = f"{reading.excess}. {capital(words)}" if reading.excess else words
    return Problem(reason=reading.reason, message=words, help=fitted(reading, source), detail=each.teaches).fail(check)


def _note_of_barrier(counted: Profile) -> str:
    """Clause about the barrier that was added; empty if none was."""
    if counted.barrier_after is None:
        return ""
    return f"counted with a barrier after line {counted.barrier_after}, which ends the data race; "


def rescored(result: Result, assignment: Assignment) -> tuple[Check, ...]:
    """Score the memory checks again by the stored counts. If no counts are stored, the checks fail again for the stored
    reason. Skipped checks stay skipped.
    """
    stored = tuple(check for check in result.checks if check.kind is Kind.MEMORY)
    if assignment.memory is None or not stored:
        return stored
    if stored[0].verdict is Verdict.SKIPPED:
        return tuple(
            replace(stored[0], name=each.name, max_points=each.max_points) for each in uncounted(assignment.memory)
        )
    first = stored[0]
    reason = first.reason or Reason.NOT_RUN
    why = Problem(reason=reason, message=first.message, help=first.help, detail=first.detail)
    counted = next(iter(result.profiles.values()), why)
    checks = check_memory(assignment, assignment.memory, counted, result.source)
    seconds = sum(check.seconds for check in stored) / len(assignment.memory.checks)
    return tuple(replace(check, seconds=seconds) for check in checks)
