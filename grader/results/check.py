"""Checks of a result, with their verdicts, their reasons, and the evidence for them."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from grader.common.optional import Fault
from grader.common.phrases import sizes_in_words
from grader.common.record import Record, replace
from grader.course.rubric import AskedCheck, Kind
from grader.results.metrics import Performance, Usage


class Verdict(StrEnum):
    """Verdict of a check: it passed, earned part of its points, failed, or was not made. A check that was not made has
    a reason in NOT_MADE. Reports show HIDDEN for a check whose outcome is withheld (`shown_as`), but no check has that
    verdict itself.
    """

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"
    HIDDEN = "hidden"


class Reason(StrEnum):
    """Reason in the student's code why a check did not pass. The last nine reasons state why a check was not made."""

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
    EXTRA_WORK = "EXTRA_WORK"
    TOO_MANY_STEPS = "TOO_MANY_STEPS"
    TOO_SLOW = "TOO_SLOW"
    IMPLAUSIBLE = "IMPLAUSIBLE"
    NOT_RUN = "NOT_RUN"
    NO_SIMULATOR = "NO_SIMULATOR"
    NOT_SIMULATED = "NOT_SIMULATED"
    NOT_MEASURED = "NOT_MEASURED"
    INTERFERENCE = "INTERFERENCE"
    COMPILER_FAILED = "COMPILER_FAILED"
    DECIDED_ELSEWHERE = "DECIDED_ELSEWHERE"
    PENDING = "PENDING"
    HIDDEN = "HIDDEN"


FOR_INSTRUCTORS = frozenset({Reason.COMPILER_FAILED, Reason.INTERFERENCE, Reason.NOT_SIMULATED})
"""Reasons why a check is open until an instructor has looked at the submission. Since a submission can cause them, such
checks earn nothing, and instructors see the student's name.
"""


UNTIMED = frozenset({Reason.NOT_MEASURED, Reason.INTERFERENCE})
"""Reasons why a speed must be measured again, because no measurement so far has decided it."""


OUTSTANDING = (
    Reason.NO_SIMULATOR,
    Reason.NOT_SIMULATED,
    Reason.NOT_MEASURED,
    Reason.INTERFERENCE,
    Reason.COMPILER_FAILED,
    Reason.DECIDED_ELSEWHERE,
    Reason.PENDING,
)
"""Reasons why a check is still to be made. In this order, they mean: the simulator is not installed; it cannot run
something that the exercise needs; the machine was too noisy for timing; its operating system disturbed the timing; the
compiler failed on the kernel; the course's machine decides; the service runs the check later. The points of such a
check are neither earned nor lost.
"""


ONE_LINE = "one line is wrong"
"""Cause of results that are corrected by changing one line. Reports count causes across students, so this text does not
contain the line.
"""

UNSTEADY = "launches on the same data give different results"
"""Cause of a case whose results change from launch to launch. The underlying mistake is a race or a value that was
never set.
"""

NOT_MADE = frozenset({*OUTSTANDING, Reason.HIDDEN})
"""Reasons that only skipped checks have. The outcome of a hidden check is withheld, and a dry run leaves it out."""


class Place(Record):
    """A line of the submission, and what happens there, such as "work-item (3, 0) of group (1, 0) writes Ash"."""

    line: int
    text: str
    words: str


LINES = re.compile(r"\b[Ll]ines? (\d+(?:, \d+)*(?: and \d+)?)")
"""Matches the lines that a sentence mentions, such as "line 7" or "lines 3, 5 and 9"."""


def lines_named(words: str) -> tuple[int, ...]:
    """Return the lines of the source that a sentence mentions, in the same order."""
    return tuple(int(line) for named in LINES.findall(words) for line in re.findall(r"\d+", named))


class AdvisedBarrier(Record):
    """A barrier that a finding advises for this line, or after it. `race` is the message of the finding without the
    barrier. `needs_braces` is true if the barrier is the end of a loop body that does not have braces yet.
    """

    line: int
    race: str
    needs_braces: bool = False


class Finding(Record):
    """An error that the simulator observed.

    `message` is a sentence that mentions the lines. `help` is the next step or the usual cause, and `barrier` is the
    barrier in it. `places` are the accesses of one instance, and `times` is the number of observed instances. `fault`
    is a fault of grader that prevented an explanation.
    """

    reason: Reason
    message: str
    help: str
    places: tuple[Place, ...]
    times: int
    barrier: AdvisedBarrier | None = Field(default=None, exclude_if=lambda value: value is None)
    fault: Fault | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines in the message, followed by the lines of the accesses in `places`."""
        return (*lines_named(self.message), *(place.line for place in self.places))


class ErrorMap(Record):
    """Wrong blocks of an array, as rows of cells. Each cell is a block of `block` (rows, columns) elements.

    A cell is "." if all of its elements are right, "+" if some are wrong, "#" if all are wrong, and "o" if none was
    ever written.
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
