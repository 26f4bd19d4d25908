"""The sanitizer check: does anything go wrong in a run on the simulator, even if the results are right?"""

import math
import time
from dataclasses import dataclass

from grader.common.phrases import sizes_in_words
from grader.common.record import replace
from grader.course.rubric import Sanitizer, Sizes
from grader.grading.checks.simulated_run import CUT_OFF, Simulated, SimulatedRun, Subject, run_at, seen_in, simulate
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.findings import findings
from grader.results.result import Check, Finding, Kind, Reason, full_marks

NUMBER = 0
"""The number of the simulated run, from which its inputs follow."""

LARGER = 16
"""How many times as large as asked for a failed case may be that is simulated, too, by the product of its sizes. More
takes minutes, and a loop of millions of turns looks there like one that does not end.
"""

Failed = tuple[Sizes, ...]
"""The sizes of the cases that failed, the smallest first; none if all are right."""


@dataclass(frozen=True, kw_only=True)
class Endless:
    """A case that the simulator has found not to end, and all that went wrong in its run."""

    sizes: Sizes
    findings: tuple[Finding, ...]

    @property
    def problem(self) -> Problem:
        """The loop; it is the first cause of all that it has found."""
        return _told(self.findings)


@dataclass(frozen=True, kw_only=True)
class Sanitized:
    """The check, and what was seen at the sizes that it asks for, if the run finished. `at_failed` is what was seen
    at the smallest failed size, if the simulator ran there.
    """

    check: Check
    seen: Simulated | None = None
    at_failed: Simulated | None = None


def of_endless(asked: Sanitizer, endless: Endless) -> Sanitized:
    """The check of a submission of which the simulator has seen a case that does not end: it is not run again."""
    problem = _at(endless.sizes, _told(endless.findings))
    return Sanitized(check=problem.fail(replace(unwatched(asked), findings=endless.findings)))


def sanitizer_run(subject: Subject, asked: Sanitizer) -> SimulatedRun:
    """The run that the check rests on."""
    return run_at(subject, asked.sizes, NUMBER)


def check_sanitizer(run: SimulatedRun, asked: Sanitizer, failed: Failed = ()) -> Sanitized:
    """Run it once on the simulator; if that shows nothing and cases have failed, also at the smallest failed size,
    if it is small enough.
    """
    start = time.perf_counter()
    seen: Simulated | None = None
    at_failed: Simulated | None = None
    found: tuple[Finding, ...] = ()
    try:
        seen = unwrap(seen_in(run))
        found = findings_of(seen)
        problem = _problem(seen, found)
        if failed and not found:
            at_failed = _at_failed(run.subject, seen, failed[0])
            found = findings_of(at_failed) if at_failed else ()
            problem = _at(failed[0], _told(found)) if found else _nothing_seen(seen, at_failed)
    except FailedError as failure:
        problem = failure.problem
    check = replace(unwatched(asked), seconds=time.perf_counter() - start, findings=found)
    return Sanitized(check=check if problem is None else problem.fail(check), seen=seen, at_failed=at_failed)


def _at_failed(subject: Subject, clean: Simulated, sizes: Sizes) -> Simulated | None:
    """The simulation at a size with wrong results, after a clean run; None if it takes too long."""
    if sizes == clean.sizes:
        return clean
    if math.prod(sizes.values()) > LARGER * math.prod(clean.sizes.values()):
        return None
    return unwrap(simulate(subject, sizes, NUMBER))


def _at(sizes: Sizes, problem: Problem) -> Problem:
    return replace(problem, message=f"at {sizes_in_words(sizes)}, {problem.message}")


def _nothing_seen(clean: Simulated, at_failed: Simulated | None) -> Problem:
    runs = [clean] if at_failed is None or at_failed is clean else [clean, at_failed]
    where = " and ".join(f"({sizes_in_words(run.sizes)})" for run in runs)
    return Problem(
        reason=Reason.NOT_RUN,
        message=f"the simulator saw no wrong access at {where}, but results are wrong: fix correctness first to earn "
        "these points.",
    )


def unwatched(asked: Sanitizer) -> Check:
    """The check as if it had passed, for a submission that gets no chance to run."""
    return full_marks(Kind.SANITIZER, asked.points, sizes=asked.sizes)


def findings_of(seen: Simulated) -> tuple[Finding, ...]:
    """Everything that went wrong in the launches of a simulated run, each once."""
    launches = enumerate(zip(seen.kernels, seen.scenes, strict=True))
    found = (each for n, (kernel, scene) in launches for each in findings(kernel, scene, seen.kernels[:n]))
    return tuple({each.message: each for each in found}.values())  # a kernel that is repeated does it every time


def _problem(seen: Simulated, found: tuple[Finding, ...]) -> Problem | None:
    """The first finding; without one, what else went wrong in the simulated run."""
    if found:
        return _told(found)
    return seen.problem if seen.problem in {None, CUT_OFF} else _order_matters(seen.problem)


def _told(found: tuple[Finding, ...]) -> Problem:
    return Problem(reason=found[0].reason, message=f"{found[0].message} {found[0].cause}")


def _order_matters(problem: Problem) -> Problem:
    return replace(
        problem,
        message=f"the results are right here and wrong in the simulator: {problem.message} They depend on the order of "
        "work-items, or on what OpenCL leaves undefined, such as the conversion of a number that does not fit.",
    )
