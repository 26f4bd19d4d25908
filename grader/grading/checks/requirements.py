"""Checks whose points count only if other checks pass, which show that the student solved the exercise."""

from collections.abc import Iterator, Sequence

from grader.common.phrases import capital, listed
from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.execution.device import share_a_process
from grader.grading.checks.correctness import EARNING
from grader.grading.explain.problem import Problem
from grader.protocol.messages import DeviceFacts
from grader.results.check import UNTIMED, Check, Reason, Verdict

ON_A_CPU = " On a CPU, a naive kernel is just as fast."
"""Reason why points for speed on a CPU require a memory check."""

OPEN = UNTIMED | {Reason.COMPILER_FAILED}
"""Reasons of open checks that may still earn points."""


def required(assignment: Assignment, device: DeviceFacts, checks: Sequence[Check]) -> Iterator[Check]:
    """Yield the checks of one assignment, in their order, after applying the requirements between them.

    A check that earned points fails if a check that it requires failed. A check that is open because of the machine or
    the compiler fails as well, since it could no longer earn its points. A required check that was not made, for
    example without a simulator, decides nothing.
    """
    memory = assignment.memory.checks if assignment.memory else ()
    requires: dict[tuple[Kind, str], tuple[str, ...]] = {(Kind.MEMORY, each.name): each.requires for each in memory}
    if assignment.performance is not None:
        requires |= {(Kind.PERFORMANCE, kind): assignment.performance.requires for kind in assignment.goals}
    failed: set[str] = set()
    for check in checks:
        missing = [name for name in requires.get((check.kind, check.label), ()) if name in failed]
        may_earn = check.verdict in EARNING or check.reason in OPEN
        counted = _uncounted(check, missing, device) if missing and may_earn else check
        if counted.kind is Kind.MEMORY and counted.verdict is Verdict.FAILED:
            failed.add(counted.label)
        yield counted


def _uncounted(check: Check, missing: Sequence[str], device: DeviceFacts) -> Check:
    """Check without its points; its message still has the measured values."""
    names = listed([f'"{name}"' for name in missing], "and")
    verb = "passes" if len(missing) == 1 else "pass"
    why = ON_A_CPU if check.kind is Kind.PERFORMANCE and share_a_process(device) else ""
    measured = capital(check.message) if check.verdict in EARNING else ""
    words = f"not counted: these points count when {names} {verb}.{why} {measured}"
    return Problem(reason=Reason.NOT_RUN, message=words.strip()).fail(check)
