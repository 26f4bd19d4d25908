"""Runs the hidden cases of a grading, after all checks that may be shown are complete. The service runs them even
later, in a second grading (grading/completion.py), so that the times that students see do not depend on hidden cases.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from grader.course.criteria import Case
from grader.course.submissions.submission import Task
from grader.course.truth.oracle import load_oracle
from grader.execution.client import Worker
from grader.execution.plan import SUBMISSION
from grader.grading.checks.causes.compiler_failures import left_open
from grader.grading.checks.causes.conclusions import conclude
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.correctness import GAVE_UP, gave_up, in_order, try_cases, unrun_cases
from grader.grading.checks.requirements import forfeit, required
from grader.grading.checks.simulation.simulated_run import Subject
from grader.grading.checks.simulation.simulator_runs import Watched
from grader.grading.device_lock import shared, shared_cpu
from grader.grading.draft import Draft, blamed_on_parameters, result_of
from grader.grading.explain.problem import PENDING
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases.context import probe_after, thawed
from grader.grading.progress import Progress
from grader.grading.refusal import BUILD_FAILED
from grader.results.check import Check
from grader.results.result import Result


def finish(draft: Draft, environment: GradingEnvironment, progress: Progress) -> Result:
    """Run the hidden cases, and return the result with all points."""
    clock = time.perf_counter()
    hidden = _without_run(draft)
    if hidden is None:
        progress("running hidden cases")
        assert draft.built is not None, "only a submission that was built has cases to run"
        hidden = run(draft.task, draft.built, draft.task.assignment.correctness.hidden, environment)
    return _result(draft, hidden, draft.seconds + time.perf_counter() - clock)


def postpone(draft: Draft) -> Result:
    """Return the result without running hidden cases. Those that must run are pending."""
    hidden = _without_run(draft)
    if hidden is None:
        asked = draft.task.assignment
        hidden = tuple(map(PENDING.skip, unrun_cases(asked, asked.correctness.hidden)))
    return _result(draft, hidden, draft.seconds)


def _result(draft: Draft, hidden: tuple[Check, ...], seconds: float) -> Result:
    asked, device = draft.task.assignment, draft.provenance.device
    checks = forfeit(asked, (draft.build, *in_order(asked, (*draft.cases, *hidden)), *draft.others))
    return result_of(draft.task, tuple(required(asked, device, checks)), draft.profile, seconds, draft.provenance)


def _without_run(draft: Draft) -> tuple[Check, ...] | None:
    """Return the checks of the hidden cases; None if they must be run."""
    assignment = draft.task.assignment
    hidden = assignment.correctness.hidden
    if draft.left_open is not None:
        return tuple(map(draft.left_open.rest.skip, unrun_cases(assignment, hidden)))
    if draft.built is None:
        return tuple(map(BUILD_FAILED.fail, unrun_cases(assignment, hidden)))
    if not hidden or gave_up(draft.cases):
        return tuple(map(GAVE_UP.fail, unrun_cases(assignment, hidden)))
    return None


def run(task: Task, built: Built, cases: tuple[Case, ...], environment: GradingEnvironment) -> tuple[Check, ...]:
    """Run the cases in a new worker, and return their checks. Their outcomes are not reported as progress."""
    oracle = load_oracle(task.assignment)
    with ExitStack() as workers:
        with shared_cpu(environment.locks):
            worker = workers.enter_context(environment.worker())
            device = worker.ready()
        with shared(device, environment.locks), thawed(worker, device):
            worker.load({SUBMISSION: built.program})
            tried = tuple(try_cases(cases, built, oracle, worker))
        simulator = workers.enter_context(_stopping(environment.simulator()))
        subject = Subject(task=task, oracle=oracle, worker=simulator, built=built)
        waits = left_open(tried, subject, Watched(checks=()))
    checks = blamed_on_parameters(conclude(tried, built, oracle), built)
    probe_after(checks, environment, device)
    return waits.of(checks, task.assignment) if waits else checks


@contextmanager
def _stopping(worker: Worker) -> Iterator[Worker]:
    """Stop the worker at the end of the block. The worker starts at its first use."""
    try:
        yield worker
    finally:
        worker.stop()
