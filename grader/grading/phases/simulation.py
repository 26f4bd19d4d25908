"""Checks of the simulator. While the simulator works, the submission's worker prepares for a search."""

from grader.common.optional import Fault, attempt
from grader.course.truth.oracle import load_oracle
from grader.execution.probe import warm_up
from grader.grading.checks.building import Built
from grader.grading.checks.correctness import Tried, failed_sizes, first_endless
from grader.grading.checks.simulated_run import Subject
from grader.grading.checks.simulator_checks import Runs, Watched, watch
from grader.grading.phases.cause_search import SEARCH
from grader.grading.phases.context import GradingContext


def watch_accesses(context: GradingContext, runs: Runs, tried: tuple[Tried, ...]) -> Watched:
    """Return the checks of the simulator. A worker that fails to warm up is stopped; a search then starts another."""
    context.progress("watching every access in the simulator")
    if not context.is_apart:
        context.environment.begin_next()
    may_search = bool(failed_sizes(tried) and context.environment.search.seconds and context.student.is_there)
    if may_search:
        attempt(SEARCH, lambda: warm_up(context.student))
    watched = watch(runs, context.environment.watching, failed_sizes(tried), first_endless(tried))
    if may_search and isinstance(attempt(SEARCH, context.student.settle), Fault):
        context.student.stop()
    return watched


def simulated_runs(context: GradingContext, built: Built) -> Runs:
    """Return the runs in the simulator, which begin when they are needed."""
    oracle = load_oracle(context.task.assignment)
    subject = Subject(task=context.task, oracle=oracle, worker=context.simulator, built=built)
    return Runs(subject=subject, counter=context.counter, ours=context.model_simulator)
