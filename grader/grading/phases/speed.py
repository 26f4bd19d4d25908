"""The timed rounds of a grading: their set-up, and the performance check."""

from collections.abc import Callable
from dataclasses import replace

from grader.course.rubric import Kind
from grader.course.speed_goals import device_class
from grader.grading.check_kinds import untimed_checks
from grader.grading.checks.compilation.building import Built
from grader.grading.device_lock import exclusive
from grader.grading.explain.problem import UNMADE, Problem
from grader.grading.phases.context import GradingContext, thawed
from grader.grading.timing.measurement import open_sessions
from grader.grading.timing.performance import check_performance
from grader.grading.timing.timing_setup import OwnParticipants, TimingSetup, request_own, request_submission
from grader.results.check import Check
from grader.results.verdicts import Reason

UNTIMED = Problem(reason=Reason.NOT_RUN, message="skipped: nothing is timed here.")
NO_SPEED = Problem(reason=Reason.NOT_RUN, message="skipped: the assignment does not check speed.")

Preparation = Callable[[GradingContext], OwnParticipants | Problem]
"""Function that prepares the participants that run grader's own kernels, or returns the reason why nothing is timed."""


def prepare_own(context: GradingContext) -> OwnParticipants | Problem:
    """Prepare grader's own participants, or return the reason if the assignment or this grading does not
    check speed.
    """
    if context.task.assignment.performance is None:
        return NO_SPEED
    if Kind.PERFORMANCE in context.task.unmade:
        return UNMADE
    return request_own(context.task, context.device, context.borrow)


def prepare_none(_: GradingContext) -> OwnParticipants | Problem:
    """Do not prepare participants, because nothing is timed."""
    return UNTIMED


def set_up(context: GradingContext, own: OwnParticipants | Problem, built: Built) -> TimingSetup | Problem:
    """Request the session of a submission whose cases are right. Returns all participants, or the reason why nothing is
    timed.
    """
    if isinstance(own, Problem):
        return own
    setup = own.with_submission(context.student, built)
    return request_submission(setup, built) or setup


def opened(setup: TimingSetup | Problem) -> TimingSetup | Problem:
    """Wait until the sessions are open. Returns the set-up, or the reason why nothing is timed."""
    if isinstance(setup, Problem):
        return setup
    return open_sessions(setup) or setup


def time_submission(context: GradingContext, setup: TimingSetup | Problem) -> tuple[Check, ...]:
    """Return the performance check; empty if speed is not checked. No other grading uses the device meanwhile."""
    if isinstance(setup, Problem):
        return tuple(map(setup.mark, untimed_checks(context.task.assignment, context.device)))
    context.environment.workers.quieten()
    ready = setup if device_class(context.device) == "cpu" else _prepared(context, setup)
    context.begin("waiting for the device")
    with exclusive(context.device, context.environment.locks), thawed(context.student, context.device):
        context.begin("timing")
        return (check_performance(ready, context.environment.timing, context.roofs),)


def _prepared(context: GradingContext, setup: TimingSetup) -> TimingSetup:
    """Make the inputs of the first timed rounds. At the sizes of a GPU, a processor needs up to 8 s for a round, and no
    other grading can use the GPU during the rounds.
    """
    context.begin("preparing the timed rounds")
    with context.cpu:
        return replace(setup, verifier=setup.verifier.prepared(context.environment.timing.clear_pairs))
