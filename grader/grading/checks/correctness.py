"""The correctness checks: cases share a session, and every byte that comes back is checked.

Hidden cases share another session, the last of a grading and in its own worker (grade.py). Whatever follows from them,
such as that a wrong one is launched again, comes too late to show in anything that students see before the release.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.rubric import Case
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.execution.plan import submission_plan
from grader.execution.series import Series
from grader.grading.checks.building import Built
from grader.grading.checks.inspection import Trial, inspect, make_trial
from grader.grading.checks.scoring import case_points
from grader.grading.explain.failing import FailedError, done, or_problem
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.source_lines import EXPLAINED
from grader.results.result import Check, Kind, Reason, Verdict, full_marks

PATIENCE = 2
"""After so many cases that ran into a time limit, the rest are skipped. Cases for practice are counted apart: they
decide nothing."""

REPEATED = 2
"""So many wrong cases are launched again on the same data, to see whether the result is always the same."""

REPEATS = 4
"""Launches of a repeated case: enough to tell a failure every other time from a single exception."""

CASE_KEY = 0
"""Tells the inputs of cases from those of timed rounds, which have the key 1 (timing/referee.py)."""

EARNING = {Verdict.PASSED, Verdict.PARTIAL}

FORFEITED = Problem(
    reason=Reason.NOT_RUN,
    message="does not count yet: fix the wrong results first. Only a correct kernel earns these points.",
)

GAVE_UP = Problem(reason=Reason.NOT_RUN, message="skipped: earlier cases timed out.")


def in_order(assignment: Assignment, checks: Iterable[Check]) -> list[Check]:
    """The checks of all cases in the order of the assignment, however they were made."""
    names = [check.name for check in unrun_cases(assignment, assignment.correctness.cases)]
    return sorted(checks, key=lambda check: names.index(check.name))


def check_cases(cases: tuple[Case, ...], built: Built, oracle: Oracle, worker: Worker) -> Iterator[Check]:
    """The check of each of these cases of the assignment, in one worker; each is run when it is asked for."""
    task, bindings = built.task, built.bindings
    assignment = task.assignment
    names = [case.name for case in assignment.correctness.cases]
    series = Series(worker, {case.name: submission_plan(assignment, case.sizes, bindings) for case in cases})
    seen: dict[bool, Counter[Reason]] = defaultdict(Counter)
    for case in cases:
        start = time.perf_counter()
        reasons = seen[case.practice]
        problem: Problem | None = GAVE_UP
        if reasons[Reason.TIME_LIMIT] < PATIENCE:
            key = (task.seed, CASE_KEY, names.index(case.name))
            trial = make_trial(assignment, oracle, case.sizes, case.data, key)
            problem = _try(series, case.name, trial, repeats=REPEATS if reasons[Reason.WRONG_OUTPUT] < REPEATED else 0)
        if problem is not None:
            reasons[problem.reason] += 1
        yield _check(assignment, case, problem, time.perf_counter() - start)
    series.close()


@or_problem
def _try(series: Series, name: str, trial: Trial, repeats: int) -> Problem | None:
    """What is wrong with a launch; a wrong result is compared with those of so many repeats on the same data."""
    fetched = done(series.run(name, trial.arrays))
    script = series.script(name)
    problem = inspect(trial, script, fetched)
    if problem is None or problem.reason is not Reason.WRONG_OUTPUT:
        return problem
    try:
        again = [done(series.run(name, trial.arrays)) for _ in range(repeats)]
    except FailedError:
        return problem
    return inspect(trial, script, fetched, again) if again else problem


def unrun_cases(assignment: Assignment, cases: Iterable[Case]) -> Iterator[Check]:
    """The checks of these cases as if they had passed, for a submission that gets no chance to run them."""
    return (_check(assignment, case, None, 0.0) for case in cases)


def _check(assignment: Assignment, case: Case, problem: Problem | None, seconds: float) -> Check:
    kind = Kind.PRACTICE if case.practice else Kind.CORRECTNESS
    check = full_marks(kind, case_points(assignment.correctness, case), case.name, case.sizes)
    check = replace(check, seconds=seconds)
    return check if problem is None else problem.fail(check)


def are_right(checks: Iterable[Check]) -> bool:
    """Whether the submission builds and no case has failed, except for practice. Cases that a student kit leaves out
    are decided elsewhere.
    """
    deciding = (check for check in checks if check.kind in {Kind.BUILD, Kind.CORRECTNESS})
    return not any(check.verdict is Verdict.FAILED for check in deciding)


def forfeit(checks: Sequence[Check]) -> tuple[Check, ...]:
    """All checks, without the points that only right kernels earn if a case has failed.

    A kernel that fails in hidden cases only has been measured by then. What it failed stays as it is; what it earned
    does not count, or being wrong in hidden cases would be a way to be fast.
    """
    if are_right(checks):
        return tuple(checks)
    return tuple(FORFEITED.fail(check) if _rests_on_results(check) else check for check in checks)


def _rests_on_results(check: Check) -> bool:
    """Whether the check earns points beyond results, or blames the simulator for results that are right elsewhere."""
    earns = check.kind in {Kind.SANITIZER, Kind.MEMORY, Kind.PERFORMANCE} and check.verdict in EARNING
    return earns or (check.kind is Kind.SANITIZER and check.reason in EXPLAINED and not check.findings)
