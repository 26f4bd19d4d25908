"""What an assignment may ask: bands of speed and limits of memory checks, proposed from what was measured.

A speed is a fraction of the model solution's. Full points stand at the geometric mean of the baseline's speed and the
model solution's: as many times faster than the one as slower than the other. A limit leaves a tenth above what the
model solution is counted, and every right submission.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from grader.course.rubric import Band, MemoryCheck, SpeedGoal

MARGIN = 1.25
"""The model solution must be faster than full points ask for by this factor."""

CLEARLY = 0.95
"""The baseline must stay below this part of what full points ask for; intervals are within 2 % on a quiet machine."""

OF_SLOWEST = 0.9
"""The share of the slowest right submission's speed that may be asked for: machines differ."""

ABOVE_COUNT = 1.1
"""Counts are the same on every machine, but right kernels may handle guards and edges in different ways."""

YARDSTICK_OFF = 1.25
"""The factor by which a yardstick may differ from what is measured: processors of one kind differ as much."""

TOLERANCE = 1e-9
"""Of a limit: the rounding errors of expressions."""


@dataclass(frozen=True, kw_only=True)
class Speeds:
    """Speeds as fractions of the model solution's: its own in another worker, the baseline's, and those of right
    submissions by their names.
    """

    model: float
    baseline: float
    right: Mapping[str, float]

    @property
    def yardstick(self) -> float:
        """How many times as fast as the baseline the model solution is, to two digits."""
        return float(f"{1 / self.baseline:.2g}")


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A speed goal, as far as it can be measured, and what there is to say of it."""

    bands: tuple[Band, ...]
    baseline: Literal["fails", "passes"]
    remarks: tuple[str, ...]

    def exceeded(self, goal: SpeedGoal) -> Iterator[str]:
        """A line for everything that a goal asks beyond the proposal."""
        if goal.bands[0].fraction > self.bands[0].fraction:
            yield f"full points ask for {goal.bands[0].fraction:g}, proposed are {self.bands[0].fraction:g}"
        if goal.baseline == "fails" and self.baseline == "passes":
            yield "the baseline must miss full points, but is too near to the model solution"


def misjudged(goal: SpeedGoal, speeds: Speeds) -> str | None:
    """What a yardstick does to students if it is far from what is measured; None if it is not."""
    stated = goal.yardstick
    if stated is None or 1 / YARDSTICK_OFF <= stated / speeds.yardstick <= YARDSTICK_OFF:
        return None
    effect = "strict" if stated > speeds.yardstick else "generous"
    return f"the yardstick is {stated:g}, measured are {speeds.yardstick:g}: student kits are too {effect} about speed"


def propose_goal(points: float, speeds: Speeds) -> Proposal:
    """Bands for a goal that is worth so many points."""
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
            f"The baseline reaches {speeds.baseline:.2f}: speed does not tell it from a right kernel here. Let memory "
            "checks do that, or time larger sizes."
        )
    if slowest is None:
        yield "No right submission was measured beside the model solution: add some that are written otherwise."
    elif full < _rounded_down(min(math.sqrt(speeds.baseline), 1 / MARGIN)):
        yield f"{slowest} is right, and reaches {speeds.right[slowest]:.2g}: more than {full:g} would be hard on it."


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A memory check at the sizes at which it is made: what it allows, and what our kernels are counted, and right
    submissions by their names.

    `baseline` is None where that was not counted.
    """

    check: MemoryCheck
    asked: float
    model: float
    baseline: float | None
    right: Mapping[str, float]

    @property
    def most(self) -> float:
        """The largest count of what must pass."""
        return max(self.model, *self.right.values(), 0.0)

    @property
    def beyond(self) -> str | None:
        """The right submission with the largest count, if the model solution's count leaves no room for it."""
        name = max(self.right, key=self.right.__getitem__, default=None)
        return name if name is not None and self.right[name] > self.model * ABOVE_COUNT else None

    @property
    def proposed(self) -> float:
        """The largest count of what must pass, and a tenth."""
        scale = 1.0 if self.most >= 1000 else 100.0
        return math.ceil(round(self.most * ABOVE_COUNT * scale, 6)) / scale

    @property
    def is_strict(self) -> bool:
        """Whether it allows less than is proposed, before that is rounded."""
        return self.asked < self.most * ABOVE_COUNT * (1 - TOLERANCE)

    @property
    def tells_apart(self) -> bool:
        """Whether the baseline fails it, as asked and as proposed."""
        return self.baseline is None or self.baseline > max(self.asked, self.proposed)


def _rounded_down(value: float) -> float:
    """Rounded down to two digits, so that a threshold never exceeds what it was made from."""
    scale = 10.0 ** (1 - math.floor(math.log10(value)))
    return math.floor(round(value * scale, 6)) / scale
