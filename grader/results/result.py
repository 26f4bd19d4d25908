"""The outcome of a grading as records, from which reports and the JSON file are made.

The records of the measurements are in metrics.py.
"""

from typing import Any, Literal

from pydantic import Field, computed_field, model_validator

from grader.common.optional import Fault
from grader.common.record import Record
from grader.course.rubric import Kind
from grader.protocol.messages import DeviceFacts
from grader.results.check import Check, CheckSummary, Unchecked, faults_of
from grader.results.metrics import Profile


class Provenance(Record):
    """Origin of a result, with enough data to repeat the grading and to check if two results are comparable."""

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
    points, so that hidden checks do not change them.
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
        """Points that remain before any correction."""
        return self.before + self.points


class Result(Record, CheckSummary[Check]):
    """The grading of one submission for one assignment. `profiles` contains a profile for each part whose memory
    accesses were counted, under the name of the part. `points` is the sum of the points of all checks, minus the
    deduction for lateness and plus the correction, if there are any.
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
        """Drop derived fields of the JSON, such as unchecked and hidden points, because they are computed from the
        checks.
        """
        if not isinstance(fields, dict):
            return fields
        return {name: value for name, value in fields.items() if name not in {"unchecked", "hidden_points"}}

    @property
    def performance_check(self) -> Check | None:
        """The speed check, of the first part if there are several. None if speed is not checked."""
        return next((check for check in self.checks if check.kind is Kind.PERFORMANCE), None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Parts that are missing because grader failed, without duplicates. They do not affect the grade."""
        return faults_of(self.checks)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """Checks that were not made here, by reason. Their points are part of `max_points`."""
        return super().unchecked

    @computed_field  # type: ignore[prop-decorator]
    @property
    def hidden_points(self) -> float:
        """Points that are decided after release. They are included in `max_points`."""
        return 0.0 if self.correction is not None and self.correction.final else super().hidden_points


class Ungraded(Record):
    """The reason why there is no grade. It is a fault of grader, never the student's."""

    schema_version: Literal["grader-result/3"] = "grader-result/3"
    status: Literal["ungraded"] = "ungraded"
    assignment: str
    submission: str
    fault: str
