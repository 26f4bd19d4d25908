"""The correctness checks: one session for all cases, and every byte that comes back looked at."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator

from grader.assignment import Assignment
from grader.building import Built
from grader.diagnosis import Problem, of_failure, sizes_in_words
from grader.inspection import Launched, Trial, inspect, make_trial
from grader.oracle import Oracle
from grader.plan import submission_plan
from grader.result import Check, Kind, Reason, Verdict
from grader.rubric import Case
from grader.runner import Worker
from grader.scoring import case_points
from grader.series import Series

PATIENCE = 2
"""After so many cases that ran into a time limit, the rest are not waited for. Cases for practice and hidden ones are
counted apart: what becomes of them must not show in others."""

REPEATED = 2
"""So many wrong cases are launched again on the same data, to see whether the result is always the same."""

REPEATS = 4
"""Launches of a repeated case: enough to tell every other one from a single exception."""

CASE_KEY = 0
"""Tells the inputs of cases from those of timed rounds, which have the key 1 (measurement.py)."""

GAVE_UP = Problem(reason=Reason.NOT_RUN, message="earlier cases ran into the time limit; this one was not waited for.")


def check_cases(built: Built, oracle: Oracle, worker: Worker) -> Iterator[Check]:
    """The check of every case, in the order of the assignment; each is run when it is asked for."""
    task, bindings = built.task, built.bindings
    assignment = task.assignment
    cases = assignment.correctness.cases
    series = Series(worker, {case.name: submission_plan(assignment, case.sizes, bindings) for case in cases})
    seen: dict[tuple[bool, bool], Counter[Reason]] = defaultdict(Counter)
    for number, case in enumerate(cases):
        start = time.perf_counter()
        reasons = seen[case.practice, case.hidden]
        problem: Problem | None = GAVE_UP
        if reasons[Reason.TIME_LIMIT] < PATIENCE:
            trial = make_trial(assignment, oracle, case.sizes, case.data, (task.seed, CASE_KEY, number))
            problem = _try(series, case.name, trial, repeats=REPEATS if reasons[Reason.WRONG_OUTPUT] < REPEATED else 0)
        if problem is not None:
            reasons[problem.reason] += 1
        yield _check(assignment, case, problem, time.perf_counter() - start)
    series.close()


def _try(series: Series, name: str, trial: Trial, repeats: int) -> Problem | None:
    """What is wrong with a launch; a wrong result is held against so many others on the same data."""
    fetched = series.run(name, trial.arrays)
    if not isinstance(fetched, dict):
        return of_failure(fetched)
    script = series.script(name)
    problem = inspect(trial, script, fetched)
    if problem is None or problem.reason is not Reason.WRONG_OUTPUT:
        return problem
    again: list[Launched] = []
    for _ in range(repeats):
        launched = series.run(name, trial.arrays)
        if not isinstance(launched, dict):
            return problem
        again.append(launched)
    return inspect(trial, script, fetched, again) if again else problem


def unrun_cases(assignment: Assignment) -> Iterator[Check]:
    """The checks of all cases as if they had passed, for a submission that gets no chance to run them."""
    return (_check(assignment, case, None, 0.0) for case in assignment.correctness.cases)


def _check(assignment: Assignment, case: Case, problem: Problem | None, seconds: float) -> Check:
    points = case_points(assignment.correctness, case)
    check = Check(
        name=f"{'practice' if case.practice else 'correctness'}: {case.name} ({sizes_in_words(case.sizes)})",
        kind=Kind.PRACTICE if case.practice else Kind.CORRECTNESS,
        verdict=Verdict.PASSED,
        points=points,
        max_points=points,
        seconds=seconds,
    )
    return check if problem is None else problem.fail(check)
