"""The outcome of a grading, as records: what reports are made from and what the JSON file holds."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from grader.protocol import DeviceFacts


class Record(BaseModel):
    """Base of the records of a result: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Kind(StrEnum):
    """What a check is about; the second half of a JUnit classname."""

    BUILD = "build"
    CORRECTNESS = "correctness"
    SANITIZER = "sanitizer"
    MEMORY = "memory"
    PERFORMANCE = "performance"


class Verdict(StrEnum):
    """A check passed, earned a part of its points, or failed."""

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"


class Reason(StrEnum):
    """Why a check did not pass: always something about the student's code."""

    FORBIDDEN = "FORBIDDEN"
    BUILD_ERROR = "BUILD_ERROR"
    KERNEL_MISSING = "KERNEL_MISSING"
    WRONG_ARGUMENTS = "WRONG_ARGUMENTS"
    LAUNCH_ERROR = "LAUNCH_ERROR"
    WRONG_OUTPUT = "WRONG_OUTPUT"
    NOT_WRITTEN = "NOT_WRITTEN"
    OUT_OF_BOUNDS = "OUT_OF_BOUNDS"
    INPUT_CHANGED = "INPUT_CHANGED"
    CRASH = "CRASH"
    TIME_LIMIT = "TIME_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    TOO_SLOW = "TOO_SLOW"
    IMPLAUSIBLE = "IMPLAUSIBLE"
    NOT_RUN = "NOT_RUN"


class Interval(Record):
    """A median with its confidence interval (see timing.py)."""

    median: float
    low: float
    high: float


class Samples(Record):
    """Seconds of every timed launch that counts, in the order they were made."""

    submission: tuple[float, ...]
    reference: tuple[float, ...]
    control: tuple[float, ...]
    baseline: tuple[float, ...]
    device_copy: tuple[float, ...]


class Program(Record):
    """The whole program around the student's kernel: its time, its speed-up over the naive program, and the bytes that
    must move over that time as a fraction of the copy bandwidth.
    """

    seconds: float
    speed_up: float
    fraction_of_copy: float


class Performance(Record):
    """What the timed session measured.

    `fraction_of_reference` is the verdict's measure: reference time over submission time, pair by
    pair. `noise` is the same for the reference against itself in another worker; it should be 1.
    Rates are in `unit`, bandwidths in GB/s, times in seconds.
    """

    device_class: Literal["cpu", "gpu"]
    sizes: dict[str, int]
    pairs: int
    seconds: Interval
    unit: Literal["GB/s", "GFLOPS"]
    rate: Interval
    fraction_of_reference: Interval
    speed_up_over_baseline: Interval
    noise: Interval
    copy_bandwidth: float
    fraction_of_copy: float
    program: Program | None = None
    samples: Samples


class Check(Record):
    """One gradable statement. `name` is unique in a result; `message` is one sentence, `detail` what backs it."""

    name: str
    kind: Kind
    verdict: Verdict
    points: float
    max_points: float
    seconds: float
    reason: Reason | None = None
    message: str = ""
    detail: str = ""
    performance: Performance | None = None


class Provenance(Record):
    """What a result rests on: enough to repeat the grading and to see that two are comparable."""

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


class Result(Record):
    """The grading of one submission for one assignment."""

    schema_version: Literal["grader-result/1"] = "grader-result/1"
    status: Literal["graded"] = "graded"
    assignment: str
    title: str
    submission: str
    checks: tuple[Check, ...]
    points: float
    max_points: float
    seconds: float
    provenance: Provenance

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.verdict is Verdict.PASSED for check in self.checks)


class Ungraded(Record):
    """Why there is no grade: a fault of ours, never the student's."""

    schema_version: Literal["grader-result/1"] = "grader-result/1"
    status: Literal["ungraded"] = "ungraded"
    assignment: str
    submission: str
    fault: str
