"""Sanitizer check. It finds wrong accesses and races in a run in the simulator, even if the results are right."""

import dataclasses
import math
import time
from collections.abc import Iterator

from grader.common.phrases import sizes_in_words
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import Sizes
from grader.course.rubric import Kind, Sanitizer
from grader.grading.checks.requirements import are_shown_right, is_forfeited, worth
from grader.grading.checks.simulation.sanitizer_run import (
    LARGER,
    Endless,
    Failed,
    findings_of,
    problem_of,
    runs_alone,
    simulate,
)
from grader.grading.checks.simulation.simulated_run import (
    CUT_OFF,
    Simulated,
    SimulatedRun,
    Subject,
    seen_in,
    unsupported_in,
)
from grader.grading.checks.simulation.simulator_runs import Tested, Watched
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import Problem, evidence_of
from grader.results.check import Check, full_marks
from grader.results.findings import Finding
from grader.results.result import Result
from grader.results.verdicts import Reason


def of_endless(asked: Sanitizer, endless: Endless) -> Watched:
    """Return the check of a submission with a case that does not end in the simulator. The submission is
    not run again.
    """
    problem = _at(endless.sizes, problem_of(endless.findings))
    return Watched(checks=(problem.fail(replace(unwatched(asked), findings=endless.findings)),))


def observe(tested: Tested, before: Watched) -> Watched:
    """Add the sanitizer check. If it is hidden, its records are left out because shown checks use them."""
    asked = tested.runs.subject.task.assignment.sanitizer
    assert asked is not None
    if tested.endless is not None:
        sanitized = of_endless(asked, tested.endless)
    else:
        sanitized = check_sanitizer(tested.runs.sanitizer, asked, tested.failed)
    checks = *before.checks, *sanitized.checks
    watched = dataclasses.replace(before, checks=checks, unsupported=sanitized.unsupported)
    return watched if asked.hidden else dataclasses.replace(watched, seen=sanitized.seen, at_failed=sanitized.at_failed)


def check_sanitizer(run: SimulatedRun, asked: Sanitizer, failed: Failed = ()) -> Watched:
    """Run the submission once in the simulator, and make the check. If the run has no findings, the kernels that the
    assignment lists also run alone. If there are still no findings although cases have failed, the submission also runs
    at the smallest failed size, provided that this is small enough (LARGER).
    """
    start = time.perf_counter()
    seen: Simulated | None = None
    at_failed: Simulated | None = None
    found: tuple[Finding, ...] = ()
    ran = seen_in(run)
    try:
        seen = unwrap(ran)
        found = findings_of(seen)
        problem = _problem(seen, found)
        if problem is None:
            found, problem = _of_runs_alone(run.subject, asked)
        if failed and not found:
            at_failed = _at_failed(run.subject, seen, failed[0])
            found = findings_of(at_failed) if at_failed else ()
            problem = _at(failed[0], problem_of(found)) if found else _nothing_seen(seen, at_failed)
    except FailedError as failure:
        problem = failure.problem
    check = replace(unwatched(asked), seconds=time.perf_counter() - start, findings=found)
    return Watched(
        checks=(check if problem is None else problem.fail(check),),
        unsupported=unsupported_in(ran),
        seen=seen,
        at_failed=at_failed,
    )


def _of_runs_alone(subject: Subject, asked: Sanitizer) -> tuple[tuple[Finding, ...], Problem | None]:
    """The findings and the problem of the first kernel that has one when it runs alone."""
    for case, ran in runs_alone(subject, asked):
        seen = unwrap(ran)
        found = findings_of(seen)
        problem = _problem(seen, found)
        if problem is not None:
            where = f"Only {case.alone} ran, at {sizes_in_words(case.sizes)}."
            return found, dataclasses.replace(problem, message=f"{problem.message} {where}")
    return (), None


def _at_failed(subject: Subject, clean: Simulated, sizes: Sizes) -> Simulated | None:
    """Simulate the submission at a size with wrong results, after a run without findings; None if this would take too
    long.
    """
    if sizes == clean.sizes:
        return clean
    if math.prod(sizes.values()) > LARGER * math.prod(clean.sizes.values()):
        return None
    return unwrap(simulate(subject, sizes))


def _at(sizes: Sizes, problem: Problem) -> Problem:
    return dataclasses.replace(problem, message=f"{problem.message} The sizes are {sizes_in_words(sizes)}.")


def _nothing_seen(clean: Simulated, at_failed: Simulated | None) -> Problem:
    runs = [clean] if at_failed is None or at_failed is clean else [clean, at_failed]
    where = " and ".join(f"({sizes_in_words(run.sizes)})" for run in runs)
    return Problem(
        reason=Reason.NOT_RUN,
        message=f"the simulator saw no wrong access at {where}, but the results are wrong.",
        help="Fix correctness first to earn these points.",
    )


def rescored(result: Result, assignment: Assignment) -> Iterator[Check]:
    """Score the check of a stored result again. A run without findings gets its points back if only hidden cases
    failed.
    """
    if assignment.sanitizer is None:
        return
    shown_right = are_shown_right(assignment, result.checks)
    for check in result.checks:
        if check.kind is Kind.SANITIZER:
            fresh = replace(unwatched(assignment.sanitizer), seconds=check.seconds)
            yield fresh if shown_right and is_forfeited(check) else worth(check, assignment.sanitizer.points)


def unwatched(asked: Sanitizer) -> Check:
    """The check as if it had passed, for a submission that is not run."""
    return full_marks(asked.check)


def _problem(seen: Simulated, found: tuple[Finding, ...]) -> Problem | None:
    """The problem of the first finding. If there are no findings, returns the problem of the results in the simulated
    run.
    """
    if found:
        return problem_of(found)
    return seen.problem if seen.problem in {None, CUT_OFF} else _order_matters(seen.problem)


def _order_matters(problem: Problem) -> Problem:
    return dataclasses.replace(
        problem,
        message="the results are right on this device but wrong in the simulator.",
        help="The results depend on the order of work-items, or on undefined behaviour, such as the conversion of a "
        "number that does not fit.",
        detail=evidence_of(problem.message, problem.detail),
    )
