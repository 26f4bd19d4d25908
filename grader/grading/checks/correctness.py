"""Correctness checks. The cases share a session, and every byte of their outputs is checked.

Hidden cases share another session with a separate worker, which is the last session of a grading (grade.py). Therefore
effects of hidden cases, such as repeated launches of a wrong case, cannot influence results that students see before
the release.
"""

import dataclasses
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from grader.common.optional import OptionalWork
from grader.common.record import replace
from grader.course.assignment import Assignment, Chosen
from grader.course.criteria import Case, Sizes
from grader.course.rubric import Kind
from grader.course.truth.oracle import Oracle
from grader.execution.assignment_plans import submission_plan
from grader.execution.client import Worker
from grader.execution.outcome import Failure, Fetched
from grader.execution.plan import Plan, going_on
from grader.execution.series import Series
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.requirements import are_right, worth
from grader.grading.checks.simulation.hanging import Launcher, Lookout
from grader.grading.checks.simulation.sanitizer_run import Endless
from grader.grading.checks.trials.array_evidence import evidence
from grader.grading.checks.trials.inspection import examine
from grader.grading.checks.trials.trial import Trial, case_trial
from grader.grading.explain.diagnosis.evidence import Evidence, Use
from grader.grading.explain.failures import FailedError, has_compiler_failed, of_failure, unwrap
from grader.grading.explain.problem import EXPLANATION, Problem
from grader.results.check import Check, full_marks
from grader.results.result import Result
from grader.results.verdicts import Reason

TIME_LIMITS = 2
"""Number of cases that may exceed the time limit before the remaining cases are skipped. Practice cases are counted
separately because their outcome does not matter. Cases in which a kernel runs alone are counted separately because
another kernel may be the one that hangs.
"""

REPEATED = 2
"""Number of wrong cases that are launched again on the same data, to find out whether the result is always the same."""

REPEATS = 4
"""Number of additional launches of a repeated case. This is enough to distinguish a failure in every other launch from
a single one.
"""

CASE_KEY = 0
"""Key of the inputs of cases. Inputs of timed rounds have the key 1 (timing/verifiers.py)."""

GAVE_UP = Problem(reason=Reason.NOT_RUN, message="skipped: earlier cases timed out.")


def in_order(assignment: Assignment, checks: Iterable[Check]) -> list[Check]:
    """Sort the checks of all cases into the order of the assignment."""
    names = [check.name for check in unrun_cases(assignment, assignment.correctness.cases)]
    return sorted(checks, key=lambda check: names.index(check.name))


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """A wrong array: its problem, and the evidence for explanations."""

    problem: Problem
    evidence: Evidence


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A launch that did not finish, with the failure that ended it."""

    failure: Failure

    @property
    def problem(self) -> Problem:
        """The problem of the submission that follows from the failure."""
        return of_failure(self.failure)


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A case that was run, its check, and evidence about a wrong array. `use` describes the lines that a problem
    concerns. `endless` is set if the case does not end in the simulator. `failure` is the failure that ended the
    launch.
    """

    case: Case
    check: Check
    evidence: Evidence | None = None
    use: Use | None = None
    endless: Endless | None = None
    failure: Failure | None = None

    @property
    def is_undecided(self) -> bool:
        """True if the compiler failed on this case, so that only the simulator can check it."""
        return self.failure is not None and has_compiler_failed(self.failure)


def trial_of(case: Case, built: Built, oracle: Oracle) -> Trial:
    """The data of a case, which depend only on the case and the seed."""
    task = built.task
    names = [each.name for each in task.assignment.correctness.cases]
    key = (task.seed, CASE_KEY, names.index(case.name))
    return case_trial(task.assignment, oracle, case, key)


def try_cases(
    cases: tuple[Case, ...], built: Built, oracle: Oracle, worker: Worker, lookout: Lookout | None = None
) -> Iterator[Tried]:
    """Run these cases of the assignment in one worker. Each case runs when the caller requests the next item. A case
    fails without running if the file lacks a kernel that it needs. The lookout finds out whether a case that hangs
    would ever end.
    """
    assignment, device = built.task.assignment, worker.ready()
    lacking = {case.name: built.lacking(case) for case in cases}
    able = [case for case in cases if lacking[case.name] is None]
    alone = {case.name: trial_of(case, built, oracle) for case in able if case.alone}
    plans = {case.name: going_on(_plan(case, alone.get(case.name), built), device) for case in able}
    series = Series(worker, plans)
    launcher = Launcher(series, worker, lookout)
    seen: dict[tuple[bool, str], Counter[Reason]] = defaultdict(Counter)
    for case in cases:
        start = time.perf_counter()
        reasons = seen[case.practice, case.alone]
        found: Problem | Wrong | Endless | Ended | None = lacking[case.name] or GAVE_UP
        if case.name in plans and reasons[Reason.TIME_LIMIT] < TIME_LIMITS:
            repeats = REPEATS if reasons[Reason.WRONG_OUTPUT] < REPEATED else 0
            found = _try(launcher, series, case, alone.get(case.name) or trial_of(case, built, oracle), repeats)
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


def _plan(case: Case, alone: Trial | None, built: Built) -> Plan:
    """The plan of a case. If a kernel runs alone, its plan depends on the arrays that the oracle gives (`alone`)."""
    assignment = built.task.assignment if alone is None else Chosen(alone.assignment)
    return submission_plan(assignment, case.sizes, built.bindings)


def _try(
    launcher: Launcher, series: Series, case: Case, trial: Trial, repeats: int
) -> Problem | Wrong | Endless | Ended | None:
    """Launch a case and return its problem, if any. If an array is wrong, the launch is repeated `repeats` times on the
    same data.
    """
    fetched = launcher.run(case, trial)
    if isinstance(fetched, Endless):
        return fetched
    if not isinstance(fetched, dict):
        return Ended(failure=fetched)
    script = series.script(case.name)
    problem = examine(trial, script, fetched)
    if problem is None or problem.error_map is None:
        return problem
    buffer = problem.error_map.buffer
    with OptionalWork(EXPLANATION) as repetition:
        again = _repeated(series, case.name, trial, repeats)
        with OptionalWork(EXPLANATION) as comparison:
            return Wrong(problem=problem, evidence=evidence(trial, script, buffer, [fetched, *again]))
        return dataclasses.replace(problem, faults=(*problem.faults, comparison.fault))
    series.abandon()
    return dataclasses.replace(problem, faults=(*problem.faults, repetition.fault))


def _repeated(series: Series, name: str, trial: Trial, repeats: int) -> list[dict[str, Fetched]]:
    """Outputs of `repeats` more launches on the same data, which are used only for explanations; empty if a launch
    fails.
    """
    try:
        return [unwrap(series.run(name, trial.arrays)) for _ in range(repeats)]
    except FailedError:
        return []


def unrun_cases(assignment: Assignment, cases: Iterable[Case]) -> Iterator[Check]:
    """Checks of these cases as if they had passed, for a submission for which they are not run."""
    return (_check(assignment, case, None, 0.0) for case in cases)


def _check(assignment: Assignment, case: Case, problem: Problem | None, seconds: float) -> Check:
    check = replace(full_marks(assignment.correctness.asked_by(case)), seconds=seconds)
    return check if problem is None else problem.fail(check)


def gave_up(checks: Iterable[Check]) -> bool:
    """True if so many of these cases exceeded the time limit that further cases are skipped."""
    hung = [each for each in checks if each.reason is Reason.TIME_LIMIT and each.kind is Kind.CORRECTNESS]
    return len(hung) >= TIME_LIMITS


def first_endless(tried: Iterable[Tried]) -> Endless | None:
    """The first case, except practice cases, that does not end in the simulator; None if all of them end."""
    return next((each.endless for each in tried if each.endless and not each.case.practice), None)


def failed_sizes(tried: Iterable[Tried]) -> tuple[Sizes, ...]:
    """Sizes of the failed cases, except practice cases, the smallest first."""
    failed = [each.case.sizes for each in tried if not are_right([each.check])]
    return tuple(sorted(failed, key=lambda sizes: prod(sizes.values())))


def rescored(result: Result, assignment: Assignment) -> Iterator[Check]:
    """Return the cases of a stored result with the points that they are worth now."""
    asked = assignment.correctness
    separate = {full_marks(asked.asked_by(case)).name: case.points for case in asked.cases if case.points is not None}
    shares = {Kind.CORRECTNESS: asked.share, Kind.PRACTICE: 0.0}
    return (
        worth(check, separate.get(check.own_name, shares[check.kind]))
        for check in result.checks
        if check.kind in shares
    )
