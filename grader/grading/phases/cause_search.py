"""Searches for the mistaken line if changing a single line might correct wrong results. Whether a search is needed
depends only on results that students see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from grader.common import record
from grader.common.optional import OptionalWork
from grader.course.assignment import Assignment
from grader.course.criteria import Sizes
from grader.course.rubric import Kind
from grader.grading.checks.causes.missing_barrier import Barriers, advised_barriers
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.simulation.sanitizer_run import findings_of, simulate
from grader.grading.checks.simulation.simulated_run import Subject
from grader.grading.checks.simulation.simulator_runs import Watched
from grader.grading.device_lock import shared
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.source_lines import EXPLAINED
from grader.grading.explain.simulator.tried_barriers import beside_another_mistake, despite_barriers
from grader.grading.explain.slips.macros import REDEFINED
from grader.grading.phases.context import GradingContext, thawed
from grader.grading.search.hint import Hint
from grader.grading.search.hint import hint as hint_of
from grader.grading.search.localisation import IsClean, search, text_seconds
from grader.grading.search.suspect import Suspect
from grader.results.check import Check
from grader.results.findings import Finding
from grader.results.verdicts import Reason, Verdict

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
        described = despite_barriers if barriers is Barriers.RACES_REMAIN else beside_another_mistake
        told = watched.checks if is_told else tuple(map(described, watched.checks))
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


WRONG = EXPLAINED | {Reason.OUT_OF_BOUNDS, Reason.INPUT_CHANGED}
"""Reasons of failed cases that an edit can correct. If the message of such a case names a line, that line may only show
an effect.
"""

UNTOLD = WRONG | {Reason.CRASH}
"""Reasons that do not reveal where the mistake is. A crash in one case does not reveal it for other cases."""

BY_EDITS = frozenset({Reason.OUT_OF_BOUNDS, Reason.INPUT_CHANGED, Reason.DATA_RACE, Reason.UNINITIALISED})
"""Reasons of findings that may be effects of a mistake in another line."""


def rightness(assignment: Assignment, checks: Sequence[Check]) -> dict[str, bool]:
    """Map the name of each case that counts to True if the case is right."""
    cases = zip(assignment.correctness.shown, checks, strict=True)
    return {case.name: check.verdict is Verdict.PASSED for case, check in cases if not case.practice}


def is_needed(built: Built, checks: Sequence[Check], watched: Sequence[Check]) -> bool:
    """True if results are wrong and a change of one line may correct them. The lines in other explanations
    may show only effects of the mistake. No search is needed if the submission redefines a macro, or if the simulator
    found a mistake that no edit corrects, such as a barrier that not all work-items reach.
    """
    asked = built.task.assignment
    failed = [check for check in checks if check.verdict is Verdict.FAILED and check.kind is Kind.CORRECTNESS]
    is_untold = all(check.reason in UNTOLD and check.cause != REDEFINED for check in failed)
    is_wrong = any(check.reason in WRONG for check in failed)
    if built.wrong_parameters or not is_wrong:
        return False
    return asked.hints != "none" and is_untold and not _is_explained(asked, watched)


def _is_explained(assignment: Assignment, watched: Sequence[Check]) -> bool:
    """True if a first finding of the simulator that is shown explains the mistake completely."""
    return any(each.reason not in BY_EDITS for each in _firsts(assignment, watched))


def _firsts(assignment: Assignment, watched: Sequence[Check]) -> list[Finding]:
    """The first finding of each check, if findings are shown."""
    return [check.findings[0] for check in watched if check.findings and not assignment.hides_sanitizer]


def effect_of_barriers(subject: Subject, watched: Watched) -> Barriers:
    """Effect of the single barrier that ends all races, or of the advised barriers if the first finding advises one. A
    wrong index can also cause a race that a barrier would end, but then the results stay wrong.
    """
    asked = subject.task.assignment
    if watched.profile is not None and watched.profile.barrier_after is not None:
        return Barriers.ENOUGH
    if not any(each.barrier for each in _firsts(asked, watched.checks)):
        return Barriers.UNKNOWN
    found = [each for check in watched.checks for each in check.findings]
    return advised_barriers(subject, _sizes_of_findings(asked, watched), found)


def _sizes_of_findings(assignment: Assignment, watched: Watched) -> Sizes:
    """The sizes at which the simulator had findings, or the sizes of the sanitizer check if it had none."""
    has_findings = any(check.findings for check in watched.checks)
    if watched.at_failed and has_findings:
        return watched.at_failed.sizes
    return assignment.sanitizer.sizes if assignment.sanitizer else {}


def cleanness(subject: Subject, watched: Watched, seconds: float) -> IsClean:
    """Return the function that decides whether an edited program is clean. It is clean if the simulator does not report
    a mistake at the sizes with findings and, if all cases are fixed, its simulated results are right. If there is no
    simulator, or if its findings are hidden, every program counts as clean. After `seconds`, no program counts as
    clean.
    """
    asked = subject.task.assignment.sanitizer
    sizes = _sizes_of_findings(subject.task.assignment, watched)
    ends = perf_counter() + seconds

    def is_clean(built: Built, is_all: bool) -> bool:
        assert asked is not None, "a case without a sanitizer is clean"
        left = ends - perf_counter()
        if left <= 0:
            return False
        with subject.worker.timeouts.hurried(max(1.0, left)):
            seen = simulate(replace(subject, built=built), sizes)
        if isinstance(seen, Problem) or (is_all and seen.problem is not None):
            return False
        return not findings_of(seen)

    made = any(check.kind is Kind.SANITIZER and check.reason is not Reason.NO_SIMULATOR for check in watched.checks)
    return is_clean if asked is not None and made and not asked.hidden else lambda *_: True
