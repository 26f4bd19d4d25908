"""The student's view of a result before its hidden checks are released, which shows everything but their outcomes.

Nothing that is shown may reveal the outcome of a hidden check. Therefore, no other check depends on a hidden one: a
kernel whose shown cases are right is counted and timed, and earns those points, even if a hidden case fails
(grading/checks/correctness.forfeit).
"""

from collections.abc import Callable, Container, Iterator, Sequence

from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.rubric import Kind, Section
from grader.course.suite import Coursework
from grader.results.check import Check
from grader.results.result import Result
from grader.results.verdicts import Reason, Verdict

View = Callable[[Result, Coursework], Result]
"""Function that selects the part of a result that is shown."""

MESSAGE = "its outcome is shown after release."
"""The only message of a hidden check whose outcome is withheld."""

LEFT_OUT = "this check runs when you hand in."
"""The only message of a hidden check in a dry run, which leaves it out."""


def released(result: Result, _: Coursework) -> Result:
    """Return the whole result, without tracebacks of grader."""
    return without_tracebacks(result)


def withheld(result: Result, coursework: Coursework) -> Result:
    """Return the result without hidden outcomes. Points, profiles and times cover only the other checks; the full
    points include all checks.

    The coursework must be the version by which the result was scored. If nothing is hidden, this is the result itself,
    without tracebacks of grader.
    """
    result = without_tracebacks(result)
    by_part = {check.part: [each for each in result.checks if each.part == check.part] for check in result.checks}
    shown = [
        each
        for part, checks in zip(coursework.parts, by_part.values(), strict=True)
        for each in _shown(checks, _hidden(part, checks))
    ]
    if tuple(shown) == result.checks:
        return result
    changed = [old for old, new in zip(result.checks, shown, strict=True) if old is not new]
    uncounted = {check.part for check in changed if check.kind is Kind.MEMORY}
    return replace(
        result,
        checks=tuple(shown),
        profiles={part: profile for part, profile in result.profiles.items() if part not in uncounted},
        points=sum(check.points for check in shown),
        seconds=sum(check.seconds for check in shown),
    )


def leaves_out_hidden(result: Result) -> bool:
    """True for a dry run of an assignment with hidden checks."""
    return any(check.reason is Reason.HIDDEN and check.message == LEFT_OUT for check in result.checks)


def without_tracebacks(result: Result) -> Result:
    """Return the result with faults that state only the missing part, because a traceback may quote secrets."""
    if not result.faults:
        return result
    return replace(result, checks=tuple(map(_without_tracebacks, result.checks)))


def _without_tracebacks(check: Check) -> Check:
    return replace(
        check,
        faults=tuple(map(_without_traceback, check.faults)),
        findings=tuple(
            each if each.fault is None else replace(each, fault=_without_traceback(each.fault))
            for each in check.findings
        ),
    )


def _without_traceback(fault: Fault) -> Fault:
    return Fault(lost=fault.lost)


def shown_at_once(assignment: Assignment) -> tuple[Kind, ...]:
    """Return the kinds of the checks that students may see before all checks are decided, one kind for each check.
    Kinds with hidden checks are left out. Cases are not left out, because the shown cases run first.
    """
    cases, *others = assignment.sections
    assert cases is assignment.correctness, "the cases come first in a rubric"
    shown = (assignment.correctness.asked_by(case).kind for case in assignment.correctness.shown)
    whole = [section for section in others if not any(section.hides)]
    return Kind.BUILD, *shown, *(section.kinds[0] for section in whole for _ in section.hides)


def hidden_kinds(assignment: Assignment) -> frozenset[Kind]:
    """Return the kinds whose checks are all hidden. Correctness is never among them, because at least one case is
    shown.
    """
    sections = (section for section in assignment.sections if all(section.hides))
    return frozenset(kind for section in sections for kind in section.kinds)


def hidden_checks(coursework: Coursework) -> int:
    """Return the number of checks that the coursework hides."""
    return sum(is_hidden for part in coursework.parts for section in part.sections for is_hidden in section.hides)


def _hidden(assignment: Assignment, checks: Sequence[Check]) -> set[str]:
    """Return the names of the checks that the assignment hides."""
    return {
        check.name
        for section in assignment.sections
        if any(section.hides)
        for check, is_hidden in zip(_of(section, checks), section.hides, strict=True)
        if is_hidden
    }


def _of(section: Section, checks: Sequence[Check]) -> list[Check]:
    return [check for check in checks if check.kind in section.kinds]


def _shown(checks: Sequence[Check], hidden: Container[str]) -> Iterator[Check]:
    """Yield all checks of a part, without the outcomes of the hidden ones. If the part does not build, all outcomes are
    shown, since they follow from that.
    """
    does_build = all(check.verdict is Verdict.PASSED for check in checks if check.kind is Kind.BUILD)
    return (_without_outcome(each) if does_build and each.name in hidden else each for each in checks)


def _without_outcome(check: Check) -> Check:
    """Return a check without its outcome. A check that was not made because the simulator is missing stays unchanged,
    since this reveals nothing about the kernel.

    A speed that was not measured is withheld, because on a busy machine, only a speed below the goal stays open.
    """
    if check.reason is Reason.NO_SIMULATOR:
        return check
    return Check(
        name=check.name,
        part=check.part,
        kind=check.kind,
        verdict=Verdict.SKIPPED,
        reason=Reason.HIDDEN,
        points=0.0,
        max_points=check.max_points,
        seconds=0.0,
        message=MESSAGE,
    )
