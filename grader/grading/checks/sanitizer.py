"""The sanitizer check: does anything go wrong in a run on the simulator, whether or not it shows in the results?"""

import time
from dataclasses import dataclass, replace

from grader.course.rubric import Sanitizer
from grader.grading.checks.simulation import Simulated, Subject, simulate
from grader.grading.explain.problem import Problem, sizes_in_words
from grader.grading.explain.simulator.findings import findings
from grader.grading.explain.simulator.source_lines import whereabouts
from grader.results.result import Check, Finding, Kind, Reason, Verdict

NUMBER = 0
"""Of the simulated run, for its inputs."""

NOTHING_SEEN = Problem(
    reason=Reason.NOT_RUN,
    message="the simulator saw no wrong access, but results are wrong: fix correctness first to earn these points.",
)


@dataclass(frozen=True, kw_only=True)
class Sanitized:
    """The check, and where in the source the arrays are used, for what a wrong result alone does not tell."""

    check: Check
    whereabouts: str


def check_sanitizer(subject: Subject, asked: Sanitizer, *, right: bool) -> Sanitized:
    """Run it once, and look at what the simulator says; `right` is whether all cases are."""
    start = time.perf_counter()
    seen = simulate(subject, asked.sizes, NUMBER)
    found = _findings(seen) if isinstance(seen, Simulated) else ()
    check = unwatched(asked).model_copy(update={"seconds": time.perf_counter() - start, "findings": found})
    problem = _problem(seen, found, right=right) or (None if right else NOTHING_SEEN)
    places = map(whereabouts, seen.kernels, seen.scenes) if isinstance(seen, Simulated) else ()
    told = " ".join(dict.fromkeys(places))
    return Sanitized(check=check if problem is None else problem.fail(check), whereabouts=told)


def unwatched(asked: Sanitizer) -> Check:
    """The check as if it had passed, for a submission that gets no chance to run."""
    return Check(
        name=f"sanitizer ({sizes_in_words(asked.sizes)})",
        kind=Kind.SANITIZER,
        verdict=Verdict.PASSED,
        points=asked.points,
        max_points=asked.points,
        seconds=0.0,
    )


def _findings(seen: Simulated) -> tuple[Finding, ...]:
    found = (each for kernel, scene in zip(seen.kernels, seen.scenes, strict=True) for each in findings(kernel, scene))
    return tuple({each.message: each for each in found}.values())  # a kernel that is repeated does it every time


def _problem(seen: Simulated | Problem, found: tuple[Finding, ...], *, right: bool) -> Problem | None:
    """The first finding; without one, whatever else went wrong there."""
    if isinstance(seen, Problem):
        return seen
    if found:
        return Problem(reason=found[0].reason, message=f"{found[0].message} {found[0].cause}")
    return _order_matters(seen.problem) if right and seen.problem is not None else None


def _order_matters(problem: Problem) -> Problem:
    return replace(
        problem,
        message=f"its results depend on the order in which work-items run: in the simulator, {problem.message}",
    )
