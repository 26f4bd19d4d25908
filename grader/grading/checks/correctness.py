"""Correctness checks: cases share a session, and every byte of their outputs is checked.

Hidden cases share another session with a separate worker, the last session of a grading (grade.py). So effects of
hidden cases, such as a repeated launch of a wrong case, come too late to show in results that students see before the
release.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
from grader.grading.checks.sanitizer import Endless
from grader.grading.checks.scoring import case_points
from grader.grading.explain.diagnosis.evidence import Evidence, Use
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import EXPLANATION, Problem, of_failure
from grader.grading.explain.simulator.source_lines import EXPLAINED
from grader.results.check import Check, Reason, Verdict, full_marks

TIME_LIMITS = 2
"""Number of cases that exceed the time limit before the rest are skipped. Practice cases decide nothing, so they are
counted separately."""

REPEATED = 2
"""Number of wrong cases that are launched again on the same data, to see if the result is always the same."""

REPEATS = 4
"""More launches of a repeated case: enough to tell a failure in every other launch from a single exception."""

CASE_KEY = 0
"""Key of the inputs of cases. Inputs of timed rounds have the key 1 (timing/verifiers.py)."""

EARNING = {Verdict.PASSED, Verdict.PARTIAL}

FORFEITED = Problem(
    reason=Reason.NOT_RUN,
    message="does not count yet: fix the wrong results first. Only a correct kernel earns these points.",
)

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
    kind = Kind.PRACTICE if case.practice else Kind.CORRECTNESS
    check = full_marks(kind, case_points(assignment.correctness, case), case.name, case.sizes)
    check = replace(check, seconds=seconds)
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


def are_right(checks: Iterable[Check]) -> bool:
    """True if the submission builds and no case has failed, practice cases apart.

    Cases that a student kit leaves out are not among the checks; they are decided elsewhere.
    """
    deciding = (check for check in checks if check.kind in {Kind.BUILD, Kind.CORRECTNESS})
    return not any(check.verdict is Verdict.FAILED for check in deciding)


def forfeit(assignment: Assignment, checks: Sequence[Check]) -> tuple[Check, ...]:
    """Return all checks; if a shown case has failed, they lose the points that only right kernels earn.

    Hidden cases affect only the points of hidden cases, because students see all other points before the release.
    """
    if are_shown_right(assignment, checks):
        return tuple(checks)
    return tuple(FORFEITED.fail(check) if _rests_on_results(check) else check for check in checks)


def are_shown_right(assignment: Assignment, checks: Iterable[Check]) -> bool:
    """True if the submission builds and no shown case has failed."""
    hidden = {check.name for check in unrun_cases(assignment, assignment.correctness.hidden)}
    return are_right(check for check in checks if check.name not in hidden)


def _rests_on_results(check: Check) -> bool:
    """True if the check earns points beyond results, or says that results are wrong in the simulator only."""
    earns = check.kind in {Kind.SANITIZER, Kind.PERFORMANCE} and check.verdict in EARNING
    return earns or (check.kind is Kind.SANITIZER and check.reason in EXPLAINED and not check.findings)
