"""Requirements between checks. The points of some checks count only if other checks, which show that the student solved
the exercise, have passed.
"""

from collections.abc import Iterable, Iterator, Sequence

from grader.common.phrases import capital, listed
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.course.speed_goals import device_class
from grader.execution.device import share_a_process
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.source_lines import EXPLAINED
from grader.protocol.messages import DeviceFacts
from grader.results.check import Check, full_marks
from grader.results.verdicts import UNTIMED, Reason, Verdict

ON_A_CPU = " On a CPU, a naive kernel is fast enough, too."
"""Reason why the points for speed on a CPU depend on a memory check."""

OPEN = UNTIMED | {Reason.COMPILER_FAILED}
"""Reasons of checks that are open and may still earn points."""


EARNING = {Verdict.PASSED, Verdict.PARTIAL}

FORFEITED = Problem(
    reason=Reason.NOT_RUN,
    message="does not count yet: fix the wrong results first. Only a correct kernel earns these points.",
)


def are_right(checks: Iterable[Check]) -> bool:
    """True if the submission builds and no case has failed. Practice cases are ignored. Cases that a student kit omits
    are not among the checks; they are decided elsewhere.
    """
    deciding = (check for check in checks if check.kind in {Kind.BUILD, Kind.CORRECTNESS})
    return not any(check.verdict is Verdict.FAILED for check in deciding)


def forfeit(assignment: Assignment, checks: Sequence[Check]) -> tuple[Check, ...]:
    """Return all checks. If a shown case has failed, checks that only right kernels pass lose their points. Hidden
    cases affect only their own points because students see all other points before the release.
    """
    if are_shown_right(assignment, checks):
        return tuple(checks)
    return tuple(FORFEITED.fail(check) if _rests_on_results(assignment, check) else check for check in checks)


def are_shown_right(assignment: Assignment, checks: Iterable[Check]) -> bool:
    """True if the submission builds and no shown case has failed."""
    cases = assignment.correctness
    hidden = {full_marks(cases.asked_by(case)).name for case in cases.hidden}
    return are_right(check for check in checks if check.name not in hidden)


def _rests_on_results(assignment: Assignment, check: Check) -> bool:
    """True if the check earns points that depend on right results, or reports that results are wrong only in the
    simulator.
    """
    earns = assignment.depends_on_cases(check.kind) and check.verdict in EARNING
    return earns or (check.kind is Kind.SANITIZER and check.reason in EXPLAINED and not check.findings)


def is_forfeited(check: Check) -> bool:
    """True if the check has lost its points because a case failed."""
    return (check.reason, check.message) == (FORFEITED.reason, FORFEITED.message)


def worth(check: Check, points: float) -> Check:
    """Return a check whose verdict does not depend on limits, with `points` as its maximum."""
    earned = points if check.verdict is Verdict.PASSED else 0.0
    return replace(check, points=earned, max_points=points)


def required(assignment: Assignment, device: DeviceFacts, checks: Sequence[Check]) -> Iterator[Check]:
    """Yield the checks of one assignment, in their order, after applying the requirements between them.

    A check that earned points fails if a check that it requires has failed. A check that is open because of the machine
    or the compiler fails as well, because it could no longer earn its points. If a required check is open because of
    the simulator, a check that earned points becomes open, too. Otherwise, a submission could keep these points by
    stopping the simulator. A required check that was not made for another reason, for example because there is no
    simulator, has no effect.
    """
    asked = (each for section in assignment.sections for each in section.asked(device_class(device)))
    requires = {(each.kind, each.label): each.requires for each in asked}
    failed: set[str] = set()
    left_open: set[str] = set()
    for check in checks:
        needed = requires.get((check.kind, check.label), ())
        missing = [name for name in needed if name in failed]
        unknown = [name for name in needed if name in left_open]
        counted = check
        if missing and (check.verdict in EARNING or check.reason in OPEN):
            counted = _uncounted(check, missing, device)
        elif unknown and check.verdict in EARNING:
            counted = _left_open(check, unknown)
        if counted.kind is Kind.MEMORY and counted.verdict is Verdict.FAILED:
            failed.add(counted.label)
        if counted.kind is Kind.MEMORY and counted.reason is Reason.NOT_SIMULATED:
            left_open.add(counted.label)
        yield counted


def _uncounted(check: Check, missing: Sequence[str], device: DeviceFacts) -> Check:
    """The check without its points. Its message still contains the measured values."""
    why = ON_A_CPU if check.kind is Kind.PERFORMANCE and share_a_process(device) else ""
    measured = capital(check.message) if check.verdict in EARNING else ""
    words = f"not counted: these points count when {_pass(missing)}.{why} {measured}"
    return Problem(reason=Reason.NOT_RUN, message=words.strip()).fail(check)


def _left_open(check: Check, unknown: Sequence[str]) -> Check:
    """The check, left open for an instructor to decide its points. Its message still contains the measured values."""
    words = f"open: these points count when {_pass(unknown)}, but the simulator cannot run that check."
    return Problem(reason=Reason.NOT_SIMULATED, message=f"{words} {capital(check.message)}".strip()).skip(check)


def _pass(names: Sequence[str]) -> str:
    """A clause that lists the checks that have to pass."""
    quoted = listed([f'"{name}"' for name in names], "and")
    return f"{quoted} {'passes' if len(names) == 1 else 'pass'}"
