"""Checks of the simulator. While the simulator works, the submission's worker prepares for a search."""

from grader.common.optional import Fault, attempt
from grader.common.record import replace
from grader.course.truth.oracle import load_oracle
from grader.execution.probe import warm_up
from grader.grading.check_kinds import checks_of, observers
from grader.grading.checks.building import Built
from grader.grading.checks.correctness import Tried, failed_sizes, first_endless
from grader.grading.checks.sanitizer_run import Endless, Failed
from grader.grading.checks.simulated_run import Subject
from grader.grading.checks.simulator_runs import Runs, Tested, Watched, absence
from grader.grading.explain.problem import Problem
from grader.grading.phases.cause_search import SEARCH
from grader.grading.phases.context import GradingContext
from grader.grading.rules import WatchingRules
from grader.protocol.messages import DeviceFacts
from grader.results.check import Reason


def watch_accesses(context: GradingContext, runs: Runs, tried: tuple[Tried, ...]) -> Watched:
    """Return the checks of the simulator. A worker that fails to warm up is stopped; a search then starts another."""
    context.progress("watching every access in the simulator")
    if not context.is_apart:
        context.environment.begin_next()
    may_search = bool(failed_sizes(tried) and context.environment.search.seconds and context.student.is_there)
    if may_search:
        attempt(SEARCH, lambda: warm_up(context.student))
    watched = watch(runs, context.device, context.environment.watching, failed_sizes(tried), first_endless(tried))
    if may_search and isinstance(attempt(SEARCH, context.student.settle), Fault):
        context.student.stop()
    return watched


def simulated_runs(context: GradingContext, built: Built) -> Runs:
    """Return the runs in the simulator, which begin when they are needed."""
    oracle = load_oracle(context.task.assignment)
    subject = Subject(task=context.task, oracle=oracle, worker=context.simulator, built=built)
    return Runs(subject=subject, counter=context.counter, ours=context.model_simulator)


def watch(
    runs: Runs, device: DeviceFacts, rules: WatchingRules, failed: Failed = (), endless: Endless | None = None
) -> Watched:
    """Make the checks after the cases; `endless` is a case that is known not to end in the simulator.

    Without a simulator, the checks that need one are skipped. If the rules require it, NoSimulatorError is raised.
    """
    assignment = runs.subject.task.assignment
    absent = absence(runs.subject.worker, rules) if assignment.is_watched else None
    tested = Tested(runs=runs, simulation=rules.simulation, failed=failed, endless=endless)
    watched = Watched(checks=())
    for section, observe in observers(assignment):
        if section.needs_simulator and absent is not None:
            missing = Problem(reason=Reason.NO_SIMULATOR, message=str(absent))
            watched = replace(watched, checks=(*watched.checks, *map(missing.skip, checks_of(section, device))))
        else:
            watched = observe(tested, watched)
    return watched
