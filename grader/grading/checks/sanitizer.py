"""The sanitizer check: does anything go wrong in a run on the simulator, even if the results are right?"""

import time

from grader.common.record import replace
from grader.course.rubric import Sanitizer
from grader.grading.checks.simulated_run import Simulated, Subject, simulate
from grader.grading.explain.failing import FailedError, done
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.findings import findings
from grader.grading.explain.simulator.source_lines import lines_used
from grader.results.result import Check, Finding, Kind, Reason, full_marks

NUMBER = 0
"""The number of the simulated run, from which its inputs follow."""

NOTHING_SEEN = Problem(
    reason=Reason.NOT_RUN,
    message="the simulator saw no wrong access, but results are wrong: fix correctness first to earn these points.",
)


def check_sanitizer(subject: Subject, asked: Sanitizer, *, right: bool) -> tuple[Check, str]:
    """Run it once on the simulator: the check, and the lines that use the arrays, which a wrong result does not name.

    `right` is whether all cases are.
    """
    start = time.perf_counter()
    found: tuple[Finding, ...] = ()
    told = ""
    try:
        seen = done(simulate(subject, asked.sizes, NUMBER))
        found = _findings(seen)
        problem = _problem(seen, found, right=right)
        told = " ".join(dict.fromkeys(map(lines_used, seen.kernels, seen.scenes)))
    except FailedError as failed:
        problem = failed.problem
    check = replace(unwatched(asked), seconds=time.perf_counter() - start, findings=found)
    return check if problem is None else problem.fail(check), told


def unwatched(asked: Sanitizer) -> Check:
    """The check as if it had passed, for a submission that gets no chance to run."""
    return full_marks(Kind.SANITIZER, asked.points, sizes=asked.sizes)


def _findings(seen: Simulated) -> tuple[Finding, ...]:
    found = (each for kernel, scene in zip(seen.kernels, seen.scenes, strict=True) for each in findings(kernel, scene))
    return tuple({each.message: each for each in found}.values())  # a kernel that is repeated does it every time


def _problem(seen: Simulated, found: tuple[Finding, ...], *, right: bool) -> Problem | None:
    """The first finding; without one, what else went wrong in the simulated run."""
    if found:
        return Problem(reason=found[0].reason, message=f"{found[0].message} {found[0].cause}")
    if not right:
        return NOTHING_SEEN
    return None if seen.problem is None else _order_matters(seen.problem)


def _order_matters(problem: Problem) -> Problem:
    return replace(
        problem,
        message=f"its results depend on the order in which work-items run: in the simulator, {problem.message}",
    )
