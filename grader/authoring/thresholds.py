"""Proposals for speed bands and for the limits of memory checks, derived from measurements.

A speed is a fraction of the model solution's speed. Full points start at the geometric mean of the baseline's speed and
the model solution's, so that it is the same factor away from both. A limit is a tenth above the highest count of the
model solution and of all right submissions.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from grader.course.criteria import Band, MemoryCheck, SpeedGoal

MARGIN = 1.25
"""Factor by which the model solution must exceed the speed for full points."""

CLEARLY = 0.95
"""Fraction of the speed for full points that the baseline must stay below. Intervals are within 2 % on a quiet
machine.
"""

OF_SLOWEST = 0.9
"""Share of the slowest right submission's speed that may be required, because machines differ."""

ABOVE_COUNT = 1.1
"""Factor between the limit and the largest count. Counts are equal on every machine, but right kernels may treat guards
and edges in different ways.
"""

YARDSTICK_OFF = 1.25
"""Factor by which a yardstick may differ from the measured one. Processors of one kind differ by as much."""

TOLERANCE = 1e-9
"""Relative tolerance for comparisons with a limit, because expressions have rounding errors."""


@dataclass(frozen=True, kw_only=True)
class Speeds:
    """Speeds as fractions of the model solution's speed: `model` is the model solution itself in another worker, and
    `right` has the right submissions by name.
    """

    model: float
    baseline: float
    right: Mapping[str, float]

    @property
    def yardstick(self) -> float:
        """Speed of the model solution as a multiple of the baseline's speed, to two digits."""
        return float(f"{1 / self.baseline:.2g}")


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A speed goal derived from the measurements, with remarks about it."""

    bands: tuple[Band, ...]
    baseline: Literal["fails", "passes"]
    remarks: tuple[str, ...]

    def exceeded(self, goal: SpeedGoal) -> Iterator[str]:
        """Yield a line for each requirement of a goal that exceeds the proposal."""
        if goal.bands[0].fraction > self.bands[0].fraction:
            asked, proposed = goal.bands[0].fraction, self.bands[0].fraction
            yield f"full points require a fraction of {asked:g}, but {proposed:g} is proposed"
        if goal.baseline == "fails" and self.baseline == "passes":
            yield "the baseline must miss full points, but it is too close to the model solution"


def misjudged(goal: SpeedGoal, speeds: Speeds) -> str | None:
    """Describe the effect on students if the yardstick is far from the measured one. Returns None if it is not."""
    stated = goal.yardstick
    if stated is None or 1 / YARDSTICK_OFF <= stated / speeds.yardstick <= YARDSTICK_OFF:
        return None
    effect = "strict" if stated > speeds.yardstick else "generous"
    return (
        f"the yardstick is {stated:g}, but {speeds.yardstick:g} was measured: student kits are too {effect} about speed"
    )


def propose_goal(points: float, speeds: Speeds) -> Proposal:
    """Propose bands for a goal that is worth this many points."""
    wanted = min(math.sqrt(speeds.baseline), 1 / MARGIN)
    slowest = min(speeds.right, key=speeds.right.__getitem__, default=None)
    if slowest is not None:
        wanted = min(wanted, OF_SLOWEST * speeds.right[slowest])
    full = _rounded_down(wanted)
    passes = speeds.baseline > CLEARLY * full
    half = _rounded_down((full + speeds.baseline) / 2)
    bands = [Band(fraction=full, points=points)]
    if not passes and half < full:
        bands.append(Band(fraction=half, points=points / 2))
    return Proposal(
        bands=tuple(bands),
        baseline="passes" if passes else "fails",
        remarks=tuple(_remarks(speeds, slowest, full, passes=passes)),
    )


def _remarks(speeds: Speeds, slowest: str | None, full: float, *, passes: bool) -> Iterator[str]:
    if passes:
        yield (
            f"The baseline reaches {speeds.baseline:.2f}: speed does not distinguish it from a right kernel here. "
            "Use memory checks instead, or time larger sizes."
        )
    if slowest is None:
        yield "Only the model solution was measured: add right submissions that are written differently."
    elif full < _rounded_down(min(math.sqrt(speeds.baseline), 1 / MARGIN)):
        reached = f"{slowest} is right and reaches {speeds.right[slowest]:.2g}"
        yield f"{reached}: a goal above {full:g} would be too strict for it."


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A memory check at its sizes: the allowed count, and the counts of the model solution, the baseline and the right
    submissions.

    `baseline` is None if its accesses were not counted.
    """

    check: MemoryCheck
    asked: float
    model: float
    baseline: float | None
    right: Mapping[str, float]

    @property
    def most(self) -> float:
        """Largest count of a kernel that must pass."""
        return max(self.model, *self.right.values(), 0.0)

    @property
    def beyond(self) -> str | None:
        """Name of the right submission with the largest count, if that count exceeds the model solution's by more than
        a tenth.
        """
        name = max(self.right, key=self.right.__getitem__, default=None)
        return name if name is not None and self.right[name] > self.model * ABOVE_COUNT else None

    @property
    def proposed(self) -> float:
        """Largest count of a kernel that must pass, plus a tenth."""
        scale = 1.0 if self.most >= 1000 else 100.0
        return math.ceil(round(self.most * ABOVE_COUNT * scale, 6)) / scale

    @property
    def is_strict(self) -> bool:
        """True if the limit is lower than the proposal before rounding."""
        return self.asked < self.most * ABOVE_COUNT * (1 - TOLERANCE)

    @property
    def tells_apart(self) -> bool:
        """True if the baseline fails the check, both at the stated limit and at the proposed one."""
        return self.baseline is None or self.baseline > max(self.asked, self.proposed)


def _rounded_down(value: float) -> float:
    """Round down to two digits, so that a threshold never exceeds the value from which it was derived."""
    scale = 10.0 ** (1 - math.floor(math.log10(value)))
    return math.floor(round(value * scale, 6)) / scale
