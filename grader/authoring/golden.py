"""The golden corpus of an assignment: right and wrong submissions, each with the verdicts that it must get.

    SUBMISSIONS/ASSIGNMENT/CASE/  kernels.cl   expected.yaml

In expected.yaml, `about` describes the submission. `fails` lists the checks that must fail, each with its reason; all
others must pass. A list of reasons means that any of them is accepted, as undefined behaviour requires. Memory checks
are listed by name under `memory`, or share one reason. `every case` means all cases. For speed, each class of device
may have its own reason, or `passed`. Checks that are NOT_RUN because the build or a case failed may be left out. These
are the sanitizer if it finds nothing, memory if its own run is wrong, and performance. A memory check that requires a
failed one may be left out too. `part` is the name of a kernel of a suite; the submission is then graded for that part
alone.

`cause` describes the first explanation of a mistake: its `reason`, the `line` that it names (if several are listed, at
least one of them, or two for a race), words that it `says`, and the `stride` in bytes between neighbouring work-items.
`finding: none` marks a right solution for which no finding may be reported. `open` is a reason, such as
COMPILER_FAILED, for which all points except those for memory stay open on some devices. `fails` then lists the failures
on other devices and the failures of memory checks. The results of a race, a missed barrier or an uninitialised value
depend on luck, so the corpus expects no particular result; `luck` lists the cases concerned, if not all of them are.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Tag

from grader.common.errors import InputError
from grader.common.phrases import listed
from grader.common.record import Record
from grader.course.assignment import Assignment
from grader.course.expressions import Expression
from grader.course.loading import checked, read_fields
from grader.course.submissions.submission import FILE_NAME
from grader.course.suite import Coursework
from grader.grading.rules import TimingRules
from grader.results.verdicts import Reason

EXPECTED_FILE = "expected.yaml"

PASSED = "passed"
"""Written in place of a reason if the check passes."""

ONE_PAIR = TimingRules(warm_up_seconds=0, min_pairs=1, max_pairs=1, noise_limit=1000)
"""Timing rules for submissions whose speed does not matter."""

LUCK = {Reason.DATA_RACE, Reason.BARRIER_DIVERGENCE, Reason.UNINITIALISED}
"""Causes after which a device may produce any result."""

OF_SPEED = {Reason.TOO_SLOW, Reason.IMPLAUSIBLE}
"""Causes that only timed rounds can find."""

BUILD, CASES, SANITIZER, MEMORY, PERFORMANCE = "build", "every case", "sanitizer", "memory", "performance"
"""Names in `fails` for checks other than cases."""


def _several(value: Any) -> Any:
    """Return a list; a single value becomes a list with one element."""
    return [] if value == PASSED else value if isinstance(value, list) else [value]


Several = BeforeValidator(_several)

Reasons = Annotated[tuple[Reason, ...], Several]
"""Accepted reasons for a failure. If the tuple is empty, the check must pass."""

Failure = Annotated[
    Annotated[Reasons, Tag("reasons")] | Annotated[dict[str, Reasons], Tag("by name")],
    Discriminator(lambda value: "by name" if isinstance(value, dict) else "reasons"),
]
"""Reasons why a check fails: for memory listed by check, for speed by class of device."""


class Cause(Record):
    """Content that the first explanation must have."""

    reason: Reason
    line: Annotated[tuple[int, ...], Several] = ()
    says: str = ""
    stride: Annotated[tuple[Expression, ...], Several] = ()


class Expectation(Record):
    """Contents of an expected.yaml."""

    about: str
    part: str = ""
    fails: dict[str, Failure]
    cause: Cause | None = None
    finding: Literal["none"] | None = None
    open: Reason | None = None
    luck: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """True if the submission fails no check on any device."""
        return not self.fails and self.open is None

    @property
    def is_timed(self) -> bool:
        """True if speed matters: for right submissions, and for those with an expected speed result."""
        return self.is_right or PERFORMANCE in self.fails

    @property
    def is_luck(self) -> bool:
        """True if only the simulator must find the mistake, since a device may still compute the right result."""
        if self.cause is None:
            return False
        unseen = self.cause.reason is Reason.OUT_OF_BOUNDS and set(self.fails) == {SANITIZER}
        return unseen or self.cause.reason in LUCK


@dataclass(frozen=True, kw_only=True)
class Golden:
    """A submission of the corpus, and its folder."""

    folder: Path
    expectation: Expectation

    @property
    def name(self) -> str:
        """Name of the submission's folder."""
        return self.folder.name

    def subject(self, coursework: Coursework) -> Assignment:
        """Return the assignment that the submission is graded for, or the part of a suite. Raises InputError if there
        is no such part.
        """
        parts = {part.part: part for part in coursework.parts}
        if self.expectation.part not in parts:
            remedy = f"must be {listed(parts, 'or')}" if "" not in parts else "is for suites: leave it out"
            raise InputError(f"{self.folder / EXPECTED_FILE}: part: {remedy}.")
        return parts[self.expectation.part]


def read_golden(folder: Path) -> Golden:
    """Read a submission and its expectation. Raises InputError with the file, the field and the remedy."""
    path = folder / EXPECTED_FILE
    return Golden(
        folder=folder, expectation=checked(str(path), Expectation, read_fields(path, "`about:` and `fails:`"))
    )


def corpus(folder: Path) -> tuple[Golden, ...]:
    """Read all submissions in a folder, sorted by name. Empty if the folder does not exist."""
    found = {path.parent for path in folder.glob("*/*") if path.name in {FILE_NAME, EXPECTED_FILE}}
    return tuple(map(read_golden, sorted(found)))
