"""The build check: does the submission compile, and does it hold the kernels that are asked for?"""

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
    outcome = worker.open(NOTHING)
    if not isinstance(outcome, Opened):
        return _failed(of_failure(outcome), 0.0)
    worker.close()
    bindings = {}
    for launch in assignment.student_launches:
        bound = bind(assignment, launch, outcome.kernels)
        if isinstance(bound, Problem):
            return _failed(bound, outcome.build_seconds)
        bindings[launch.kernel] = bound
    return Build(check=_passed(outcome.build_seconds), bindings=bindings)


def _failed(problem: Problem, seconds: float) -> Build:
    return Build(check=problem.fail(_passed(seconds)), bindings=None)


def _passed(seconds: float) -> Check:
    return Check(name="build", kind=Kind.BUILD, verdict=Verdict.PASSED, points=0, max_points=0, seconds=seconds)
