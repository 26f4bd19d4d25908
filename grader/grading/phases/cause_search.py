"""Searches for the mistaken line if changing a single line might correct wrong results."""

from dataclasses import dataclass, replace

from grader.common import record
from grader.common.optional import OptionalWork
from grader.grading.checks.causes.missing_barrier import Barriers
from grader.grading.checks.simulation.simulated_run import Subject
from grader.grading.checks.simulation.simulator_runs import Watched
from grader.grading.device_lock import shared
from grader.grading.explain.simulator.races import beside_another_mistake
from grader.grading.phases.context import GradingContext, thawed
from grader.grading.search.hint import Hint
from grader.grading.search.hint import hint as hint_of
from grader.grading.search.localisation import search, text_seconds
from grader.grading.search.need import cleanness, effect_of_barriers, is_needed, rightness
from grader.grading.search.suspect import Suspect
from grader.results.check import Check
from grader.results.verdicts import Verdict

SEARCH = "the line of the mistake"
"""Name of the part of a report that is missing if the search fails."""


@dataclass(frozen=True, kw_only=True)
class ExplainedChecks:
    """The checks of the cases and of the simulated runs, with the explanations that are known so far."""

    cases: tuple[Check, ...]
    watched: Watched


def with_cause(context: GradingContext, subject: Subject, checks: ExplainedChecks) -> ExplainedChecks:
    """Return the checks. If a search was needed and found the mistaken line, they contain it. If the search itself
    fails, the failed cases report that the line is missing. The workers of the search are then stopped, because their
    state is unknown and no later phase needs them.
    """
    cases, watched = checks.cases, checks.watched
    if not context.environment.search.seconds:
        return checks
    with OptionalWork(SEARCH) as work:
        if not is_needed(subject.built, cases, watched.checks):
            return checks
        context.begin("looking for the line that is wrong")
        barriers = effect_of_barriers(subject, watched)
        if barriers is Barriers.ENOUGH:
            return checks
        found = _hint(context, subject, cases, watched)
        is_told = barriers is Barriers.UNKNOWN or (found is not None and found.is_all)
        told = watched.checks if is_told else tuple(map(beside_another_mistake, watched.checks))
        return ExplainedChecks(cases=_with(found, cases), watched=replace(watched, checks=_with(found, told)))
    for worker in (context.student, subject.worker):
        worker.stop()
    faulty = (
        record.replace(check, faults=(*check.faults, work.fault)) if check.verdict is Verdict.FAILED else check
        for check in cases
    )
    return ExplainedChecks(cases=tuple(faulty), watched=watched)


def _with(found: Hint | None, checks: tuple[Check, ...]) -> tuple[Check, ...]:
    return tuple(found.add_to(check) for check in checks) if found else checks


def _hint(context: GradingContext, subject: Subject, cases: tuple[Check, ...], watched: Watched) -> Hint | None:
    """Search for the mistaken line."""
    asked, built = context.task.assignment, subject.built
    rules = context.environment.search
    with shared(context.device, context.environment.locks), thawed(context.student, context.device):
        took = sum(check.seconds for check in cases)
        right = rightness(asked, cases)
        suspect = Suspect(built=built, oracle=subject.oracle, worker=context.student, right=right, seconds=took)
        fix = search(suspect, rules, cleanness(subject, watched, rules.seconds + text_seconds(took)))
    return hint_of(fix, context.task.submission.source, asked.hints) if fix else None
