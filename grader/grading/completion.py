"""Completes a result whose hidden cases are pending, without repeating other checks.

The service shows a result to the student before its hidden cases run, so the time of a grading does not reveal their
outcomes.
"""

import time
from contextlib import ExitStack

from grader.common.errors import UngradedError
from grader.common.record import replace
from grader.course.submissions.submission import Submission, Task, tasks_of
from grader.course.suite import Coursework
from grader.grading.checks.compilation.building import Built, check_build
from grader.grading.checks.correctness import unrun_cases
from grader.grading.checks.requirements import forfeit, required
from grader.grading.device_lock import shared, shared_cpu
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases import hidden_cases
from grader.grading.phases.context import thawed
from grader.results.check import Check
from grader.results.result import Result
from grader.results.suite_results import joined, separated
from grader.results.verdicts import Reason


def is_pending(result: Result) -> bool:
    """True if hidden cases of the result have not run yet."""
    return any(map(_is_pending, result.checks))


def complete(coursework: Coursework, submission: Submission, result: Result, environment: GradingEnvironment) -> Result:
    """Return the result with its hidden cases, whose inputs are derived from the seed of the result. Raises
    UngradedError if the submission, which was built before, does not build now.
    """
    clock = time.perf_counter()
    own = zip(tasks_of(coursework, submission, result.provenance.seed), separated(coursework, result), strict=True)
    try:
        whole = joined(coursework, [_completed(task, part, environment) for task, part in own])
    finally:
        environment.workers.close_own()  # a crash on a GPU may have ended them; the next grading opens new ones
    return replace(whole, seconds=result.seconds + time.perf_counter() - clock)


def _completed(task: Task, result: Result, environment: GradingEnvironment) -> Result:
    """The result of a part, with its hidden cases."""
    if not is_pending(result):
        return result
    asked = task.assignment.correctness.cases
    pending = {check.name for check in result.checks if _is_pending(check)}
    cases = tuple(
        case for case, check in zip(asked, unrun_cases(task.assignment, asked), strict=True) if check.name in pending
    )
    known = {check.name: check for check in hidden_cases.run(task, _built(task, environment), cases, environment)}
    checks = tuple(known.get(check.name, check) for check in result.checks)
    scored = tuple(required(task.assignment, result.provenance.device, forfeit(task.assignment, checks)))
    return replace(result, checks=scored, points=sum(check.points for check in scored))


def _built(task: Task, environment: GradingEnvironment) -> Built:
    """The program of the submission, built by a worker that does not run anything else."""
    with ExitStack() as workers:
        with shared_cpu(environment.locks):
            worker = workers.enter_context(environment.workers.submission())
            device = worker.ready()
        with shared(device, environment.locks), thawed(worker, device):
            build = check_build(task, worker)
    if build.built is None:
        raise UngradedError("the submission was built before, but it could not be built again for its hidden cases.")
    return build.built


def _is_pending(check: Check) -> bool:
    return check.reason is Reason.PENDING
