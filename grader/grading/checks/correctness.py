"""Correctness checks: cases share a session, and every byte of their outputs is checked.

Hidden cases share another session with a separate worker, the last session of a grading (grade.py). So effects of
hidden cases, such as a repeated launch of a wrong case, come too late to show in results that students see before the
release.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from grader.common.optional import Fault, attempt
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import Case, Sizes
from grader.course.rubric import Kind
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.execution.outcome import Failure, Fetched
from grader.execution.plan import going_on, submission_plan
from grader.execution.series import Series
from grader.grading.checks.building import Built
from grader.grading.checks.hanging import Launcher, Lookout
from grader.grading.checks.inspection import Trial, evidence, examine, make_trial
from grader.grading.checks.requirements import are_right, worth
from grader.grading.checks.sanitizer_run import Endless
from grader.grading.explain.diagnosis.evidence import Evidence, Use
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import EXPLANATION, Problem, of_failure
from grader.results.check import Check, Reason, full_marks
from grader.results.result import Result

TIME_LIMITS = 2
"""Number of cases that exceed the time limit before the rest are skipped. Practice cases decide nothing, so they are
counted separately."""

REPEATED = 2
"""Number of wrong cases that are launched again on the same data, to see if the result is always the same."""

REPEATS = 4
"""More launches of a repeated case: enough to tell a failure in every other launch from a single exception."""

CASE_KEY = 0
"""Key of the inputs of cases. Inputs of timed rounds have the key 1 (timing/verifiers.py)."""

GAVE_UP = Problem(reason=Reason.NOT_RUN, message="skipped: earlier cases timed out.")


def in_order(assignment: Assignment, checks: Iterable[Check]) -> list[Check]:
    """Sort the checks of all cases into the order of the assignment."""
    names = [check.name for check in unrun_cases(assignment, assignment.correctness.cases)]
    return sorted(checks, key=lambda check: names.index(check.name))


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """Wrong array: its problem, and the evidence for explanations."""

    problem: Problem
    evidence: Evidence


@dataclass(frozen=True, kw_only=True)
class Ended:
    """Launch that did not finish, with the failure that ended it."""

    failure: Failure

    @property
    def problem(self) -> Problem:
        """Problem of the submission that follows from the failure."""
        return of_failure(self.failure)


@dataclass(frozen=True, kw_only=True)
class Tried:
    """Case that was run, its check, and evidence about a wrong array.

    `use` describes the lines that a problem is about. `endless` is the simulator's record if the case hung. `failure`
    is the failure that ended the launch.
    """

    case: Case
    check: Check
    evidence: Evidence | None = None
    use: Use | None = None
    endless: Endless | None = None
    failure: Failure | None = None


def trial_of(case: Case, built: Built, oracle: Oracle) -> Trial:
    """Data of a case; they depend only on the case and the seed."""
    task = built.task
    names = [each.name for each in task.assignment.correctness.cases]
    key = (task.seed, CASE_KEY, names.index(case.name))
    return make_trial(task.assignment, oracle, case.sizes, case.data, key)


def try_cases(
    cases: tuple[Case, ...], built: Built, oracle: Oracle, worker: Worker, lookout: Lookout | None = None
) -> Iterator[Tried]:
    """Run these cases of the assignment in one worker, each when the caller asks for the next item.

    The lookout finds out if a case that hangs would ever end.
    """
    assignment, device = built.task.assignment, worker.ready()
    plans = {case.name: going_on(submission_plan(assignment, case.sizes, built.bindings), device) for case in cases}
    series = Series(worker, plans)
    launcher = Launcher(series, worker, lookout)
    seen: dict[bool, Counter[Reason]] = defaultdict(Counter)
    for case in cases:
        start = time.perf_counter()
        reasons = seen[case.practice]
        found: Problem | Wrong | Endless | Ended | None = GAVE_UP
        if reasons[Reason.TIME_LIMIT] < TIME_LIMITS:
            repeats = REPEATS if reasons[Reason.WRONG_OUTPUT] < REPEATED else 0
            found = _try(launcher, series, case.name, trial_of(case, built, oracle), repeats)
        problem = found.problem if isinstance(found, Wrong | Endless | Ended) else found
        if problem is not None:
            reasons[problem.reason] += 1
        check = _check(assignment, case, problem, time.perf_counter() - start)
        yield Tried(
            case=case,
            check=check,
            evidence=found.evidence if isinstance(found, Wrong) else None,
            use=problem.use if problem else None,
            endless=found if isinstance(found, Endless) else None,
            failure=found.failure if isinstance(found, Ended) else None,
        )
    series.close()


def _try(
    launcher: Launcher, series: Series, name: str, trial: Trial, repeats: int
) -> Problem | Wrong | Endless | Ended | None:
    """Launch a case and return its problem, if any; a wrong array is repeated `repeats` times on the same data."""
    fetched = launcher.run(name, trial)
    if isinstance(fetched, Endless):
        return fetched
    if not isinstance(fetched, dict):
        return Ended(failure=fetched)
    script = series.script(name)
    problem = examine(trial, script, fetched)
    if problem is None or problem.error_map is None:
        return problem
    buffer = problem.error_map.buffer
    again = attempt(EXPLANATION, lambda: _repeated(series, name, trial, repeats))
    if isinstance(again, Fault):
        series.abandon()
        return replace(problem, faults=(*problem.faults, again))
    known = attempt(EXPLANATION, lambda: evidence(trial, script, buffer, [fetched, *again]))
    if isinstance(known, Fault):
        return replace(problem, faults=(*problem.faults, known))
    return Wrong(problem=problem, evidence=known)


def _repeated(series: Series, name: str, trial: Trial, repeats: int) -> list[dict[str, Fetched]]:
    """Outputs of `repeats` more launches on the same data, for explanations only; empty if a launch fails."""
    try:
        return [unwrap(series.run(name, trial.arrays)) for _ in range(repeats)]
    except FailedError:
        return []


def unrun_cases(assignment: Assignment, cases: Iterable[Case]) -> Iterator[Check]:
    """Checks of these cases as if they had passed, for a submission that does not get to run them."""
    return (_check(assignment, case, None, 0.0) for case in cases)


def _check(assignment: Assignment, case: Case, problem: Problem | None, seconds: float) -> Check:
    check = replace(full_marks(assignment.correctness.asked_by(case)), seconds=seconds)
    return check if problem is None else problem.fail(check)


def gave_up(checks: Iterable[Check]) -> bool:
    """True if so many of these cases exceeded the time limit that no more cases are run."""
    hung = [each for each in checks if each.reason is Reason.TIME_LIMIT and each.kind is Kind.CORRECTNESS]
    return len(hung) >= TIME_LIMITS


def first_endless(tried: Iterable[Tried]) -> Endless | None:
    """First case that does not end in the simulator, without practice cases, which decide nothing."""
    return next((each.endless for each in tried if each.endless and not each.case.practice), None)


def failed_sizes(tried: Iterable[Tried]) -> tuple[Sizes, ...]:
    """Sizes of failed cases, the smallest first, without practice cases, which decide nothing."""
    failed = [each.case.sizes for each in tried if not are_right([each.check])]
    return tuple(sorted(failed, key=lambda sizes: prod(sizes.values())))


def rescored(result: Result, assignment: Assignment) -> Iterator[Check]:
    """Return the cases of a stored result with the points that they are worth now."""
    shares = {Kind.CORRECTNESS: assignment.correctness.share, Kind.PRACTICE: 0.0}
    return (worth(check, shares[check.kind]) for check in result.checks if check.kind in shares)
