"""Runs the shown cases. The simulator begins while they run."""

from collections.abc import Sequence

from grader.grading.checks.correctness import Tried, failed_sizes, try_cases
from grader.grading.checks.simulation.hanging import Lookout
from grader.grading.checks.simulation.simulator_runs import Runs
from grader.grading.phases.context import GradingContext
from grader.results.verdicts import Reason


def try_shown(context: GradingContext, runs: Runs) -> tuple[Tried, ...]:
    """Run the shown cases, and report each one when it is decided. The run of the sanitizer begins after the first
    case. The run that counts memory accesses begins when all cases are right or, if processors are idle, when the first
    case is right.
    """
    context.begin("running the cases")
    if context.is_apart:
        context.environment.workers.note_idle_device()
    tried: list[Tried] = []
    cases, subject = context.task.assignment.correctness.shown, runs.subject
    promising = 1 if context.environment.has_plenty else len(cases)
    for each in try_cases(cases, subject.built, subject.oracle, context.student, Lookout(subject=subject)):
        if not each.is_undecided:
            context.tell([each.check], subject.built.misordered)
        if not tried and each.check.reason is not Reason.TIME_LIMIT:
            runs.begin_sanitizer()
        tried.append(each)
        if len(tried) == promising and not failed_sizes(tried):
            runs.begin_memory()
    return tuple(tried)


def are_decided(tried: Sequence[Tried]) -> bool:
    """True if the compiler did not fail on any of the cases."""
    return not any(each.is_undecided for each in tried)
