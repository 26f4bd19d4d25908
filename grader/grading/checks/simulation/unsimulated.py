"""Leaves checks open if the simulator cannot run something that an exercise needs.

A submission that stops the simulator loses the points of the checks in the simulator. Otherwise, a student could avoid
these checks with a useless call. The points stay open only if the assignment causes the stop, that is, if the model
solution stops the simulator as well, or if the submission computes with a type of the assignment. An open check earns
nothing until an instructor decides.
"""

import dataclasses

from grader.common.phrases import listed
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.course.submissions.submission import Task, fresh_seed
from grader.course.truth.oracle import load_oracle
from grader.execution.client import Worker
from grader.grading.checks.compilation.device_needs import extensions
from grader.grading.checks.simulation.model_run import model_subject
from grader.grading.checks.simulation.simulated_run import run_at, seen_in, unsupported_in
from grader.grading.checks.simulation.simulator_runs import Runs, Watched
from grader.grading.explain.failures import FailedError
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.oclgrind import AN_INSTRUCTION, HALF_ARITHMETIC
from grader.results.check import Check
from grader.results.verdicts import Reason, Verdict

NUMBER = 0
"""Number of the simulated run of the model solution. The inputs of the run are derived from it."""

HALF_EXTENSION = "cl_khr_fp16"

OF_A_STOP = {Reason.CRASH, Reason.BUILD_ERROR, Reason.NOT_RUN}
"""Reasons for which a check fails when the simulator stops."""


def with_open_checks(watched: Watched, unsupported: str, runs: Runs) -> Watched:
    """Leave open each check that failed because the simulator cannot run this construct, if the assignment needs it."""
    task = runs.subject.task
    if not _needs(task, unsupported, runs.ours):
        return watched
    why = Problem(reason=Reason.NOT_SIMULATED, message=OPEN.format(unsupported))
    simulated = _simulated_kinds(task.assignment)
    checks = (
        why.skip(_unexplained(each))
        if each.kind in simulated and each.verdict is Verdict.FAILED and each.reason in OF_A_STOP
        else each
        for each in watched.checks
    )
    return dataclasses.replace(watched, checks=tuple(checks))


OPEN = (
    "the simulator cannot run {}, which this exercise needs. These points are not graded here. They are open until "
    "your instructor decides."
)


def _needs(task: Task, unsupported: str, ours: Worker) -> bool:
    """True if the assignment needs this unsupported construct."""
    computes_with_half = unsupported == HALF_ARITHMETIC and HALF_EXTENSION in extensions(task.assignment).values()
    return computes_with_half or unsupported_in_model(task.assignment, task.seed, ours) is not None


def unsupported_in_model(assignment: Assignment, seed: int, simulator: Worker) -> str | None:
    """A phrase for the construct in the model solution that the simulator cannot run. Returns None if the simulator can
    run all of it, if no check uses the simulator, or in a student kit, which has no model solution.
    """
    sizes = next(
        (each for section in assignment.sections if section.needs_simulator for each in section.launch_sizes()), None
    )
    if sizes is None or assignment.kit is not None:
        return None
    try:
        subject = model_subject(assignment, seed, load_oracle(assignment), simulator)
    except FailedError as failed:
        return AN_INSTRUCTION if failed.problem.reason in {Reason.CRASH, Reason.BUILD_ERROR} else None
    return unsupported_in(seen_in(run_at(subject, sizes, NUMBER)))


def missing_in_simulator(assignment: Assignment, simulator: Worker) -> str | None:
    """Return a sentence for authors if the simulator cannot run the model solution."""
    unsupported = unsupported_in_model(assignment, fresh_seed(), simulator)
    return None if unsupported is None else MISSING.format(unsupported, listed(_simulated_kinds(assignment), "and"))


MISSING = (
    "the simulator cannot run {} in the model solution, so the points of {} stay open until you decide them. Leave out "
    "these checks, or change the model solution."
)


def _simulated_kinds(assignment: Assignment) -> tuple[Kind, ...]:
    """The kinds of checks that use the simulator."""
    return tuple(kind for section in assignment.sections if section.needs_simulator for kind in section.kinds)


def _unexplained(check: Check) -> Check:
    """The check without the explanation of its failure."""
    return replace(check, help="", detail="", findings=())
