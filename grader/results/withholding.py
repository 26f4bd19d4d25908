"""The student's view of a result before its hidden checks are released: everything but their outcomes.

Nothing that is shown may reveal the outcome of a hidden check. So no other check depends on a hidden one: a kernel with
right shown cases is counted and timed, and earns those points, even if a hidden case fails
(grading/checks/correctness.forfeit).
"""

from collections.abc import Callable, Container, Iterator, Sequence

from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import Case, MemoryCheck
from grader.course.rubric import Kind, Sanitizer, SpeedGoals
from grader.course.suite import Coursework
from grader.results.check import Check, Reason, Verdict
from grader.results.result import Result

Hideable = Case | Sanitizer | MemoryCheck | SpeedGoals
"""Parts of an assignment that can be hidden."""

View = Callable[[Result, Coursework], Result]
"""Function that selects the part of a result that is shown."""

CASES = {Kind.CORRECTNESS, Kind.PRACTICE}

MESSAGE = "its outcome is shown after release."
"""The only message of a hidden check."""


def released(result: Result, _: Coursework) -> Result:
    """Return the whole result, without tracebacks of grader."""
    return without_tracebacks(result)


def withheld(result: Result, coursework: Coursework) -> Result:
    """Return the result without hidden outcomes. Points, profiles and times cover only the other checks; the full
    points include all checks.

    The coursework must be the version by which the result is scored. If nothing is hidden, this is the result itself,
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


def without_tracebacks(result: Result) -> Result:
    """Return the result with faults that only name the missing part: a traceback may quote secrets."""
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
    """Return the kinds of the checks that students may see before all are decided, one kind for each check. Kinds with
    hidden checks are left out. Cases are not: the shown cases run first.
    """
    cases = (Kind.PRACTICE if case.practice else Kind.CORRECTNESS for case in assignment.correctness.shown)
    others: dict[Kind, tuple[Hideable, ...]] = {
        Kind.SANITIZER: () if assignment.sanitizer is None else (assignment.sanitizer,),
        Kind.MEMORY: () if assignment.memory is None else assignment.memory.checks,
        Kind.PERFORMANCE: () if assignment.performance is None else (assignment.performance,),
    }
    open_kinds = (kind for kind, each in others.items() if not any(one.hidden for one in each) for _ in each)
    return Kind.BUILD, *cases, *open_kinds


def hidden_checks(coursework: Coursework) -> int:
    """Return the number of checks that the coursework hides."""
    return sum(one.hidden for part in coursework.parts for _, each in _asked(part) for one in each)


def _asked(assignment: Assignment) -> tuple[tuple[set[Kind], tuple[Hideable, ...]], ...]:
    """Return the parts of an assignment that can be hidden, by the kinds of their checks. Each part makes one check."""
    return (
        (CASES, assignment.correctness.cases),
        ({Kind.SANITIZER}, () if assignment.sanitizer is None else (assignment.sanitizer,)),
        ({Kind.MEMORY}, () if assignment.memory is None else assignment.memory.checks),
        ({Kind.PERFORMANCE}, () if assignment.performance is None else (assignment.performance,)),
    )


def _hidden(assignment: Assignment, checks: Sequence[Check]) -> set[str]:
    """Return the names of the checks that the assignment hides."""
    return {
        check.name
        for kinds, each in _asked(assignment)
        if any(one.hidden for one in each)
        for check, one in zip([check for check in checks if check.kind in kinds], each, strict=True)
        if one.hidden
    }


def _shown(checks: Sequence[Check], hidden: Container[str]) -> Iterator[Check]:
    """Yield all checks of a part, without the outcomes of the hidden ones. If the part does not build, all outcomes are
    shown, since they follow from that.
    """
    does_build = all(check.verdict is Verdict.PASSED for check in checks if check.kind is Kind.BUILD)
    return (_without_outcome(each) if does_build and each.name in hidden else each for each in checks)


def _without_outcome(check: Check) -> Check:
    """Return a check without its outcome. A check that was not made for lack of a simulator stays unchanged, since this
    reveals nothing about the kernel.

    A speed that was not measured is withheld: on a busy machine, only a speed below the goal is left open.
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
