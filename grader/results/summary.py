"""Summary of the checks of a grading: its first cause, and the points that are not decided yet."""

from collections import defaultdict
from typing import TYPE_CHECKING, Generic, TypeVar

from grader.common.record import Record
from grader.course.rubric import CAUSES_FIRST, Kind
from grader.results.check import CheckLabels
from grader.results.verdicts import NOT_MADE, OUTSTANDING, Reason, Verdict

T = TypeVar("T", bound=CheckLabels)

WASTEFUL = frozenset({Kind.MEMORY, Kind.PERFORMANCE})
"""Kinds of checks that can fail although the results are right."""


class Unchecked(Record):
    """The OUTSTANDING checks with one reason: how many there are, and their points in total, which may be 0."""

    reason: Reason
    checks: int
    points: float


def urgency(check: CheckLabels) -> int:
    """Return the rank of a failed check: 0 if results are wrong, even in only one order of work-items, 1 if its kernel
    is missing, and 2 if it wastes time or memory.
    """
    if check.kind in WASTEFUL and check.reason is not Reason.ORDER_DEPENDENT:
        return 2
    return 1 if check.reason is Reason.KERNEL_MISSING else 0


def _cause(check: CheckLabels) -> str:
    """Return the cause of a failed check, or "" if it is unknown. An array without results is a cause in itself."""
    return check.cause or (check.reason if check.reason is Reason.NOT_WRITTEN else "")


def _is_of_simulator(check: CheckLabels) -> bool:
    """True if the simulator has found that the results cannot be right on every device."""
    return check.kind is Kind.SANITIZER or check.reason is Reason.ORDER_DEPENDENT


class CheckSummary(Generic[T]):
    """Summary of a grading based on its checks, in full or short form."""

    if TYPE_CHECKING:
        checks: tuple[T, ...]

    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """OUTSTANDING checks, with a record for each reason. Their points are included in the full points."""
        by_reason = {why: [check.max_points for check in self.checks if check.reason is why] for why in OUTSTANDING}
        return tuple(
            Unchecked(reason=why, checks=len(points), points=sum(points)) for why, points in by_reason.items() if points
        )

    @property
    def hidden_points(self) -> float:
        """Points of all checks whose outcome is withheld. They are included in the full points."""
        return sum(check.max_points for check in self.checks if check.reason is Reason.HIDDEN)

    @property
    def failed(self) -> bool:
        """True if a check that counts failed or earned only part of its points."""
        lost = {Verdict.PARTIAL, Verdict.FAILED}
        return any(check.verdict in lost for check in self.checks if check.kind in CAUSES_FIRST)

    @property
    def passed(self) -> bool:
        """True if every check that counts passed and none is left to be made. Hidden checks are ignored."""
        return not self.failed and not self.unchecked

    @property
    def failures(self) -> tuple[T, ...]:
        """Failed checks that count, in the order in which they should be read. Checks that failed only because another
        check failed are left out.

        Wrong results come before missing kernels, and both before wasted time and memory (`urgency`). Among equally
        urgent kernels, the one that has lost the most points comes first. For each kernel, findings of the simulator
        come before wrong results, which are their consequences. Among wrong results, the cause that has lost the most
        points comes first. If a cause is known, results without one are probably its consequences, so they come last.
        Among cases with one cause, one without a size of 1 comes first, since a case with only one row or element
        shows little.
        """
        untold = {None, Reason.NOT_RUN, *NOT_MADE}
        failed = [each for each in self.checks if each.kind in CAUSES_FIRST and each.reason not in untold]
        parts = [*dict.fromkeys(check.part for check in failed)]
        lost = {part: sum(each.lost for each in self.checks if each.part == part) for part in parts}
        costs: dict[tuple[str, str], float] = defaultdict(float)
        for check in failed:
            costs[check.part, _cause(check)] += check.lost
        explained = {check.part for check in failed if check.cause}

        def place(check: T) -> tuple[float, ...]:
            kernel = (urgency(check), -lost[check.part], parts.index(check.part))
            cause = _cause(check)
            is_consequence = check.part in explained and not cause
            cost = costs[check.part, cause]
            kind = Kind.SANITIZER if _is_of_simulator(check) else check.kind
            return *kernel, CAUSES_FIRST.index(kind), is_consequence, -cost, check.has_a_size_of_one

        return tuple(sorted(failed, key=place))

    @property
    def first_cause(self) -> T | None:
        """The failed check whose message should be read first, or None if no check that counts failed."""
        return next(iter(self.failures), None)

    @property
    def unreached(self) -> tuple[T, ...]:
        """Checks that failed only because a build failed. Their points are lost, and there is nothing more to
        report.
        """
        unbuilt = {each.part for each in self.checks if each.kind is Kind.BUILD and each.verdict is Verdict.FAILED}
        return tuple(each for each in self.checks if each.part in unbuilt and each.reason is Reason.NOT_RUN)
