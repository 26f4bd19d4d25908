"""Checks of a result, their names, and the points that they lose. The summary has the first cause and the points that
are not decided yet.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import Field, model_validator

from grader.common.optional import Fault
from grader.common.phrases import sizes_in_words
from grader.common.record import Record, replace
from grader.course.rubric import CAUSES_FIRST, AskedCheck, Kind
from grader.results.findings import ErrorMap, Finding, lines_named
from grader.results.metrics import Performance, Usage
from grader.results.verdicts import NOT_MADE, OUTSTANDING, Reason, Verdict, shown_as

ONE_LINE = "one line is wrong"
"""Cause of results that are corrected by changing one line. Reports count causes across students, so this text does not
contain the line.
"""

UNSTEADY = "launches on the same data give different results"
"""Cause of a case whose results change from launch to launch. The underlying mistake is a race or a value that was
never set.
"""


class CheckLabels:
    """Name of a check and its parts, in full or short form.

    The name is published: "practice: one row (height 1, width 9)" or, in a suite, "turn: memory: bank conflicts". Only
    this module builds it (`full_marks`, `of_part`) and splits it (this class).
    """

    if TYPE_CHECKING:
        name: str
        part: str
        kind: Kind
        verdict: Verdict
        points: float
        max_points: float
        reason: Reason | None
        cause: str

    @property
    def shown_verdict(self) -> Verdict:
        """Verdict that reports show."""
        return Verdict(shown_as(self.verdict, self.reason))

    @property
    def lost(self) -> float:
        """Points that the check has lost. The points of a check that is still to be made are not lost."""
        return 0.0 if self.reason in NOT_MADE else self.max_points - self.points

    @property
    def own_name(self) -> str:
        """Name of the check among the checks of its part."""
        return self.name.removeprefix(f"{self.part}: ")

    @property
    def title(self) -> str:
        """Name of the check among the checks of its part, without sizes."""
        return self.own_name.removesuffix(f" ({self.sizes})")

    @property
    def label(self) -> str:
        """Words that distinguish the check from others of its kind, such as the name of a case, or "" for the
        only one.
        """
        return self.title.removeprefix(self.kind).removeprefix(": ")

    @property
    def sizes(self) -> str:
        """Sizes in words, or "" for a check without sizes."""
        _, bracket, sizes = self.own_name.rpartition(" (")
        return sizes.removesuffix(")") if bracket else ""

    @property
    def has_a_size_of_one(self) -> bool:
        """True if a size is 1, for example if there is only one row or one element."""
        return any(size.endswith(" 1") for size in self.sizes.split(", "))


class Check(Record, CheckLabels):
    """One statement that can be graded.

    `name` is unique in a result. `message` states in one or two sentences why the check did not pass, or by how much it
    passed, with the measured value and the limit. `help` is the next step, or empty if none is known. A skipped check
    has earned nothing and keeps its `max_points`, so that totals are relative to the full points. `part` is the kernel
    of a suite to which the check belongs; it is empty if there is only one kernel. `detail` is evidence for the
    message. `cause` describes a mistake that explains a wrong output. Its words are equal for every case and every
    submission, so that grader can count it. `usage` lists the resources that the kernels use on the device that times
    them. `faults` are faults of grader, each with the information that is missing in the check.
    """

    name: str
    part: str = ""
    kind: Kind
    verdict: Verdict
    points: float
    max_points: float
    seconds: float
    reason: Reason | None = None
    message: str = ""
    help: str = Field(default="", exclude_if=lambda value: not value)
    detail: str = ""
    cause: str = ""
    performance: Performance | None = None
    usage: tuple[Usage, ...] = ()
    findings: tuple[Finding, ...] = ()
    error_map: ErrorMap | None = None
    faults: tuple[Fault, ...] = Field(default=(), exclude_if=lambda value: not value)

    @property
    def sentences(self) -> str:
        """Message and help as one text."""
        return " ".join(filter(None, (self.message, self.help)))

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the source that the message mentions, in the same order."""
        return lines_named(self.message)

    @property
    def first_line(self) -> int | None:
        """The line of the source to look at first, or None if no line is known."""
        found = (line for finding in self.findings for line in finding.lines)
        return next(iter(self.lines), next(found, None))

    def of_part(self, part: str) -> "Check":
        """Return this check as a check of a part of a suite. For "", return it without the name of a part."""
        lead = f"{part}: " if part else ""
        return replace(self, name=f"{lead}{self.own_name}", part=part)

    @model_validator(mode="after")
    def _says_why_it_was_not_made(self) -> "Check":
        if (self.verdict is Verdict.SKIPPED) is not (self.reason in NOT_MADE):
            raise ValueError("a check must have a reason in NOT_MADE if it is skipped, and only then")
        return self


def faults_of(checks: Iterable[Check]) -> tuple[Fault, ...]:
    """Return the parts of these checks that are missing because grader failed, without duplicates."""
    found = (fault for check in checks for fault in (*check.faults, *(each.fault for each in check.findings)) if fault)
    return tuple(dict.fromkeys(found))


def full_marks(asked: AskedCheck) -> Check:
    """Return a check in its state before the run: passed, with full points."""
    sizes = f" ({sizes_in_words(asked.sizes)})" if asked.sizes else ""
    return Check(
        name=": ".join(filter(None, (asked.kind, asked.label))) + sizes,
        kind=asked.kind,
        verdict=Verdict.PASSED,
        points=asked.points,
        max_points=asked.points,
        seconds=0.0,
    )


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
