"""The correctness checks: one session a case, and every byte that comes back looked at."""

import time
from collections import Counter
from collections.abc import Iterator

from grader.assignment import Assignment
from grader.diagnosis import Problem, of_failure, sizes_in_words
from grader.inspection import Trial, inspect, make_trial
from grader.oracle import Oracle
from grader.plan import STUDENT, Bindings, Plan, submission_plan
from grader.result import Check, Kind, Reason, Verdict
from grader.rubric import Case
from grader.runner import Worker
from grader.scoring import case_points
from grader.task import Task

PATIENCE = 2
"""After so many cases that ran into a time limit, the rest are not waited for."""

REPEATED = 2
"""So many wrong cases are launched again on the same data, to see whether the result is always the same."""

REPEATS = 4
"""Launches of a repeated case: enough to tell every other one from a single exception."""

CASE_KEY = 0
"""Tells the inputs of cases from those of timed rounds, which have the key 1 (measurement.py)."""

GAVE_UP = Problem(reason=Reason.NOT_RUN, message="earlier cases ran into the time limit; this one was not waited for.")


def check_cases(task: Task, oracle: Oracle, worker: Worker, bindings: Bindings) -> Iterator[Check]:
    """The check of every case, in the order of the assignment; each is run when it is asked for."""
    assignment = task.assignment
    reasons: Counter[Reason] = Counter()
    for number, case in enumerate(assignment.correctness.cases):
        start = time.perf_counter()
        problem: Problem | None = GAVE_UP
        if reasons[Reason.TIME_LIMIT] < PATIENCE:
            trial = make_trial(assignment, oracle, case.sizes, case.data, (task.seed, CASE_KEY, number))
            plan = submission_plan(assignment, case.sizes, bindings)
            problem = _try(worker, plan, trial, repeats=REPEATS if reasons[Reason.WRONG_OUTPUT] < REPEATED else 0)
        if problem is not None:
            reasons[problem.reason] += 1
        yield _check(assignment, case, problem, time.perf_counter() - start)


def _try(worker: Worker, plan: Plan, trial: Trial, repeats: int) -> Problem | None:
    """What is wrong with a launch; a wrong result is held against so many others on the same data."""
    script = plan.scripts[STUDENT]
    fetched = worker.run_once(plan, STUDENT, trial.arrays)
    if not isinstance(fetched, dict):
        return of_failure(fetched)
    problem = inspect(trial, script, fetched)
    if problem is None or problem.reason is not Reason.WRONG_OUTPUT or not repeats:
        return problem
    again = worker.run_repeatedly(plan, STUDENT, trial.arrays, repeats)
    return inspect(trial, script, fetched, again) if isinstance(again, list) else problem


def unrun_cases(assignment: Assignment) -> Iterator[Check]:
    """The checks of all cases as if they had passed, for a submission that gets no chance to run them."""
    return (_check(assignment, case, None, 0.0) for case in assignment.correctness.cases)


def _check(assignment: Assignment, case: Case, problem: Problem | None, seconds: float) -> Check:
    points = case_points(assignment.correctness.points, len(assignment.correctness.cases))
    check = Check(
        name=f"correctness: {case.name} ({sizes_in_words(case.sizes)})",
        kind=Kind.CORRECTNESS,
        verdict=Verdict.PASSED,
        points=points,
        max_points=points,
        seconds=seconds,
    )
    return check if problem is None else problem.fail(check)
