"""The build check: does the submission compile, and does it hold the kernels that are asked for?"""

import time
from dataclasses import dataclass

from grader.assignment import Assignment
from grader.diagnosis import Problem, of_failure
from grader.plan import NOTHING, Bindings
from grader.protocol import Opened
from grader.result import Check, Kind, Verdict
from grader.runner import Worker
from grader.signature import bind


@dataclass(frozen=True, kw_only=True)
class Build:
    """The check, and how the file spells the kernels (None if it failed)."""

    check: Check
    bindings: Bindings | None


def check_build(assignment: Assignment, worker: Worker) -> Build:
    """Build the submission in a session of its own and compare its kernels with the assignment."""
    start = time.perf_counter()
    outcome = worker.open(NOTHING)
    seconds = time.perf_counter() - start
    if not isinstance(outcome, Opened):
        return _failed(of_failure(outcome), seconds)
    worker.close()
    bindings = {}
    for launch in assignment.student_launches:
        bound = bind(assignment, launch, outcome.kernels)
        if isinstance(bound, Problem):
            return _failed(bound, seconds)
        bindings[launch.kernel] = bound
    return Build(check=_passed(seconds), bindings=bindings)


def _failed(problem: Problem, seconds: float) -> Build:
    return Build(check=problem.fail(_passed(seconds)), bindings=None)


def _passed(seconds: float) -> Check:
    return Check(name="build", kind=Kind.BUILD, verdict=Verdict.PASSED, points=0, max_points=0, seconds=seconds)
