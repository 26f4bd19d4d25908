"""The outcome of a grading as records, from which reports and the JSON file are made.

metrics.py has the records of the figures.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pydantic import Field, computed_field, model_validator

from grader.common.optional import Fault
from grader.common.phrases import sizes_in_words
from grader.common.record import Record, replace
from grader.protocol.messages import DeviceFacts
from grader.results.metrics import Performance, Profile, Usage


class Kind(StrEnum):
    """Subject of a check. It is the second half of a JUnit classname."""

    BUILD = "build"
    CORRECTNESS = "correctness"
    PRACTICE = "practice"
    SANITIZER = "sanitizer"
    MEMORY = "memory"
    PERFORMANCE = "performance"


CAUSES_FIRST = (Kind.BUILD, Kind.SANITIZER, Kind.CORRECTNESS, Kind.MEMORY, Kind.PERFORMANCE)
"""Kinds of checks that count, in the order in which failures should be read. Practice cases decide nothing."""


class Verdict(StrEnum):
    """Verdict of a check: it passed, earned part of its points, failed, or was not made. A check that was not made has
    a reason in NOT_MADE. Reports show HIDDEN for a check whose outcome is withheld (`shown_as`); no check has that
    verdict itself.
    """

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"
    HIDDEN = "hidden"


class Reason(StrEnum):
    """Reason in the student's code why a check did not pass. The last eight reasons say why a check was not made."""

    FORBIDDEN = "FORBIDDEN"
    BUILD_ERROR = "BUILD_ERROR"
    KERNEL_MISSING = "KERNEL_MISSING"
    WRONG_ARGUMENTS = "WRONG_ARGUMENTS"
    LAUNCH_SIZES = "LAUNCH_SIZES"
    LAUNCH_ERROR = "LAUNCH_ERROR"
    WRONG_OUTPUT = "WRONG_OUTPUT"
    NOT_WRITTEN = "NOT_WRITTEN"
    OUT_OF_BOUNDS = "OUT_OF_BOUNDS"
    INPUT_CHANGED = "INPUT_CHANGED"
    DATA_RACE = "DATA_RACE"
    BARRIER_DIVERGENCE = "BARRIER_DIVERGENCE"
    UNINITIALISED = "UNINITIALISED"
    ORDER_DEPENDENT = "ORDER_DEPENDENT"
    CRASH = "CRASH"
    TIME_LIMIT = "TIME_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    UNCOALESCED = "UNCOALESCED"
    BANK_CONFLICT = "BANK_CONFLICT"
    EXTRA_TRAFFIC = "EXTRA_TRAFFIC"
    WARP_DIVERGENCE = "WARP_DIVERGENCE"
    BRANCHES = "BRANCHES"
    TOO_MANY_STEPS = "TOO_MANY_STEPS"
    TOO_SLOW = "TOO_SLOW"
    IMPLAUSIBLE = "IMPLAUSIBLE"
    NOT_RUN = "NOT_RUN"
    NO_SIMULATOR = "NO_SIMULATOR"
    NOT_MEASURED = "NOT_MEASURED"
    INTERFERENCE = "INTERFERENCE"
    COMPILER_FAILED = "COMPILER_FAILED"
    DECIDED_ELSEWHERE = "DECIDED_ELSEWHERE"
    PENDING = "PENDING"
    HIDDEN = "HIDDEN"


FOR_INSTRUCTORS = frozenset({Reason.COMPILER_FAILED, Reason.INTERFERENCE})
"""Reasons why a check is open until an instructor has looked at the submission. A submission can cause them. So they
earn nothing, and instructors see the student's name.
"""

UNTIMED = frozenset({Reason.NOT_MEASURED, Reason.INTERFERENCE})
"""Reasons why a speed must be measured again: no measurement so far decides anything."""

OUTSTANDING = (
    Reason.NO_SIMULATOR,
    Reason.NOT_MEASURED,
    Reason.INTERFERENCE,
    Reason.COMPILER_FAILED,
    Reason.DECIDED_ELSEWHERE,
    Reason.PENDING,
)
"""Reasons why a check is still to be made, in this order: the simulator is missing here; the machine was too noisy to
time on; its operating system disturbed the timing; the compiler failed on the kernel; the course's machine decides; the
service runs it later. The points of such a check are neither earned nor lost.
"""

NOT_MADE = frozenset({*OUTSTANDING, Reason.HIDDEN})
"""Reasons that only skipped checks have. A hidden check was made, but its outcome is withheld."""


class Place(Record):
    """A line of the submission, and the event there, e.g. "work-item (3, 0) of group (1, 0) writes Ash"."""

    line: int
    text: str
    words: str


LINES = re.compile(r"\blines? (\d+(?:, \d+)*(?: and \d+)?)")
"""Pattern for the lines that a sentence names: "line 7", "lines 3, 5 and 9"."""


def lines_named(words: str) -> tuple[int, ...]:
    """Return the lines of the source that a sentence names, in its order."""
    return tuple(int(line) for named in LINES.findall(words) for line in re.findall(r"\d+", named))


class Finding(Record):
    """An error that the simulator observed.

    `message` is a sentence that names the lines. `cause` is a sentence about the usual cause. `places` are the accesses
    of one instance. `times` is the number of observed instances. `fault` is a fault of grader that prevented an
    explanation.
    """

    reason: Reason
    message: str
    cause: str
    places: tuple[Place, ...]
    times: int
    fault: Fault | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def lines(self) -> tuple[int, ...]:
        """Lines that the message names, followed by the lines of the places."""
        return (*lines_named(self.message), *(place.line for place in self.places))


class ErrorMap(Record):
    """Wrong blocks of an array, as rows of cells. Each cell is a block of `block` (rows, columns) elements.

    A cell is "." if all of its elements are right, "+" if some are wrong, "#" if all are wrong, "o" if none was ever
    written.
    """

    buffer: str
    shape: tuple[int, int]
    block: tuple[int, int]
    cells: tuple[str, ...]


def shown_as(verdict: str, reason: str | None) -> str:
    """Return the verdict that reports show. A check that was not run because another one failed is shown as skipped,
    although its points are lost. A check whose outcome is withheld is shown as hidden.
    """
    if reason == Reason.HIDDEN:
        return Verdict.HIDDEN
    return Verdict.SKIPPED if reason == Reason.NOT_RUN else verdict


class Told:
    """Name of a check and its parts, in full or short form.

    The name is published: "practice: one row (height 1, width 9)" or, in a suite, "turn: memory: bank conflicts". Only
    this module makes it (`full_marks`, `of_part`) and splits it (this class).
    """

    if TYPE_CHECKING:
        name: str
        part: str
        kind: Kind
        verdict: Verdict
        max_points: float
        reason: Reason | None
        cause: str

    @property
    def shown_verdict(self) -> Verdict:
        """Verdict that reports show."""
        return Verdict(shown_as(self.verdict, self.reason))

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
        """Words that distinguish the check from others of its kind, such as the name of a case; "" for the only one."""
        return self.title.removeprefix(self.kind).removeprefix(": ")

    @property
    def sizes(self) -> str:
        """Sizes in words; "" for a check without sizes."""
        _, bracket, sizes = self.own_name.rpartition(" (")
        return sizes.removesuffix(")") if bracket else ""

    @property
    def has_a_size_of_one(self) -> bool:
        """True if a size is 1, for example if there is only one row or one element."""
        return any(size.endswith(" 1") for size in self.sizes.split(", "))


class Check(Record, Told):
    """One gradable statement.

    `name` is unique in a result. `message` says in a sentence or two why the check did not pass, or by how much it
    passed: the measured value, and the limit. A skipped check has earned nothing, and keeps its `max_points`, so that
    totals are out of the full points. `part` is the kernel of a suite that the check is about; it is empty if there is
    only one kernel. `detail` is evidence for the message. `cause` names a mistake that explains a wrong output. Its
    words are equal for every case and every submission, so that it can be counted. `usage` lists the resources that the
    kernels take on the device that times them. `faults` are faults of grader, each with the information that is missing
    in the check.
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
    detail: str = ""
    cause: str = ""
    performance: Performance | None = None
    usage: tuple[Usage, ...] = ()
    findings: tuple[Finding, ...] = ()
    error_map: ErrorMap | None = None
    faults: tuple[Fault, ...] = Field(default=(), exclude_if=lambda value: not value)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the source that its message names, in its order."""
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
            raise ValueError("a skipped check, and no other, has a reason for which it was not made")
        return self


def faults_of(checks: Iterable[Check]) -> tuple[Fault, ...]:
    """Return the parts of these checks that are missing because grader failed, without repetition."""
    found = (fault for check in checks for fault in (*check.faults, *(each.fault for each in check.findings)) if fault)
    return tuple(dict.fromkeys(found))


T = TypeVar("T", bound=Told)


def full_marks(kind: Kind, points: float, label: str = "", sizes: Mapping[str, str | int] | None = None) -> Check:
    """Return a passed check with full points, before its run. `label` distinguishes it from others of its kind."""
    return Check(
        name=": ".join(filter(None, (kind, label))) + (f" ({sizes_in_words(sizes)})" if sizes else ""),
        kind=kind,
        verdict=Verdict.PASSED,
        points=points,
        max_points=points,
        seconds=0.0,
    )


class Unchecked(Record):
    """The OUTSTANDING checks of one reason: their number, and their points in total, which may be 0."""

    reason: Reason
    checks: int
    points: float


class Standing(Generic[T]):
    """Summary of a grading by its checks, in full or short form."""

    if TYPE_CHECKING:
        checks: tuple[T, ...]

    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """OUTSTANDING checks, with a record for each reason. Their points are part of the full points."""
        by_reason = {why: [check.max_points for check in self.checks if check.reason is why] for why in OUTSTANDING}
        return tuple(
            Unchecked(reason=why, checks=len(points), points=sum(points)) for why, points in by_reason.items() if points
        )

    @property
    def hidden_points(self) -> float:
        """Points of all checks whose outcome is withheld; included in the full points."""
        return sum(check.max_points for check in self.checks if check.reason is Reason.HIDDEN)

    @property
    def failed(self) -> bool:
        """True if a check that counts failed or earned only a part of its points."""
        lost = {Verdict.PARTIAL, Verdict.FAILED}
        return any(check.verdict in lost for check in self.checks if check.kind in CAUSES_FIRST)

    @property
    def passed(self) -> bool:
        """True if every check that counts passed and none is left to be made. Hidden checks are ignored."""
        return not self.failed and not self.unchecked

    @property
    def first_cause(self) -> T | None:
        """The failed check whose message should be read first, or None if no check that counts failed.

        It is about the first kernel that failed. Findings of the simulator come before wrong results, which are their
        consequences. Among wrong results, the commonest cause comes first. Among cases with this cause, one without a
        size of 1 comes first, since a case with only one row or element shows little.
        """
        untold = {None, Reason.NOT_RUN, *NOT_MADE}
        failed = [each for each in self.checks if each.kind in CAUSES_FIRST and each.reason not in untold]
        of_first = [check for check in failed if check.part == failed[0].part]
        causes = Counter(check.cause for check in of_first if check.cause)
        return min(
            of_first,
            key=lambda check: (CAUSES_FIRST.index(check.kind), -causes[check.cause], check.has_a_size_of_one),
            default=None,
        )

    @property
    def unreached(self) -> tuple[T, ...]:
        """Checks that failed only because a build failed. Their points are lost, and there is no more to report."""
        unbuilt = {each.part for each in self.checks if each.kind is Kind.BUILD and each.verdict is Verdict.FAILED}
        return tuple(each for each in self.checks if each.part in unbuilt and each.reason is Reason.NOT_RUN)


class Provenance(Record):
    """Origin of a result, with enough data to repeat the grading and to see that two results are comparable."""

    grader: str
    python: str
    packages: dict[str, str]
    assignment_sha256: str
    submission_sha256: str
    sandbox: str
    limits: dict[str, int | float | str]
    seed: int
    started: str
    device: DeviceFacts


class Correction(Record):
    """An instructor's change of a grade: the difference in points, and the reason. A `final` correction sets the
    points, so that no hidden check changes them.
    """

    points: float
    comment: str = ""
    final: bool = Field(default=False, exclude_if=lambda value: not value)


class Deduction(Record):
    """Cost of lateness: the points `before` it, the `points` to add (zero or negative), and the reason in words."""

    before: float
    points: float
    why: str

    @property
    def after(self) -> float:
        """Points that are left, before any correction."""
        return self.before + self.points


class Result(Record, Standing[Check]):
    """The grading of one submission for one assignment. `profiles` has one for each part whose memory accesses were
    counted, under the part's name. `points` are the points of all checks, less the deduction for lateness and then with
    the correction, if there are any.
    """

    schema_version: Literal["grader-result/3"] = "grader-result/3"
    status: Literal["graded"] = "graded"
    assignment: str
    title: str
    submission: str
    source: str
    checks: tuple[Check, ...]
    profiles: dict[str, Profile]
    points: float
    max_points: float
    seconds: float
    provenance: Provenance
    deduction: Deduction | None = Field(default=None, exclude_if=lambda value: value is None)
    correction: Correction | None = None

    @model_validator(mode="before")
    @classmethod
    def _follows_from_checks(cls, fields: Any) -> Any:
        """Drop derived fields of the JSON, such as unchecked and hidden points: here they follow from the checks."""
        if not isinstance(fields, dict):
            return fields
        return {name: value for name, value in fields.items() if name not in {"unchecked", "hidden_points"}}

    @property
    def performance_check(self) -> Check | None:
        """The check of speed, of the first part if there are several; None if only correctness is checked."""
        return next((check for check in self.checks if check.kind is Kind.PERFORMANCE), None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Parts that are missing because grader failed, without repetition; the grade is not affected."""
        return faults_of(self.checks)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """Checks that were not made here, by reason. Their points are part of `max_points`."""
        return super().unchecked

    @computed_field  # type: ignore[prop-decorator]
    @property
    def hidden_points(self) -> float:
        """Points that are decided after release; included in `max_points`."""
        return 0.0 if self.correction is not None and self.correction.final else super().hidden_points


class Ungraded(Record):
    """Reason why there is no grade: a fault of grader, never the student's."""

    schema_version: Literal["grader-result/3"] = "grader-result/3"
    status: Literal["ungraded"] = "ungraded"
    assignment: str
    submission: str
    fault: str
