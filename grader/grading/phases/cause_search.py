"""Searches for the line with the mistake if no rule explains it."""

from grader.common.optional import OptionalWork
from grader.common.record import replace
from grader.grading.checks.simulated_run import Subject
from grader.grading.checks.simulator_runs import Watched
from grader.grading.device_lock import shared
from grader.grading.phases.context import GradingContext, thawed
from grader.grading.search.hint import hint as hint_of
from grader.grading.search.localisation import Suspect, search
from grader.grading.search.need import cleanness, is_needed, rightness
from grader.results.check import Check, Verdict

SEARCH = "the line of the mistake"
"""Name of the part of a report that is missing if the search fails."""


def with_cause(
    context: GradingContext, subject: Subject, cases: tuple[Check, ...], watched: Watched
) -> tuple[Check, ...]:
    """Return the checks of the cases, with the line that a search has found if nothing else explains them. If the
    search fails because of a fault, the failed checks report that the line is missing. The workers of the search are
    then stopped, because their state is unknown and no later phase needs them.
    """
    with OptionalWork(SEARCH) as work:
        return _located(context, subject, cases, watched)
    for worker in (context.student, subject.worker):
        worker.stop()
    return tuple(
        replace(check, faults=(*check.faults, work.fault)) if check.verdict is Verdict.FAILED else check
        for check in cases
    )


def _located(
    context: GradingContext, subject: Subject, cases: tuple[Check, ...], watched: Watched
) -> tuple[Check, ...]:
    asked, built = context.task.assignment, subject.built
    rules = context.environment.search
    if not rules.seconds or not is_needed(built, cases, watched.checks):
        return cases
    context.begin("looking for the line that is wrong")
    with shared(context.device, context.environment.locks), thawed(context.student, context.device):
        suspect = Suspect(built=built, oracle=subject.oracle, worker=context.student, right=rightness(asked, cases))
        fix = search(suspect, rules, cleanness(subject, watched.checks, rules))
    hint = fix and hint_of(fix, context.task.submission.source, asked.hints)
    return tuple(hint.add_to(check) for check in cases) if hint else cases
