"""What an assignment asks for and what each part is worth: right results, a clean run in a simulator, memory behaviour
and speed.
"""

from typing import Literal

from pydantic import Field

from grader.expressions import Expression
from grader.record import Record

Sizes = dict[str, int]
DataSet = Literal["random", "integers"]
DeviceClass = Literal["cpu", "gpu"]


class Tolerance(Record):
    """How random results are compared.

    `exact`: the same bits. `rounding`: within `factor` units of u * magnitude, where u = 2^-24 and
    the oracle states the magnitude of every element (timing.md of the course's notes; see oracle.py).
    """

    rule: Literal["exact", "rounding"]
    factor: str | float = 1.0


class Case(Record):
    """One set of sizes and the kind of data to fill the inputs with."""

    name: str
    sizes: Sizes
    data: DataSet = "random"


class Correctness(Record):
    """The cases; each is worth the same share of `points`."""

    tolerance: Tolerance
    points: float = Field(ge=0)
    cases: tuple[Case, ...] = Field(min_length=1)


class Sanitizer(Record):
    """A run in the simulator, in which nothing may go wrong: of ragged sizes, so that every edge is met, and small."""

    sizes: Sizes
    points: float = Field(ge=0)


Measure = Literal["coalescing", "bank conflicts", "words read", "words written", "divergence"]


class MemoryCheck(Record):
    """A quantity that the simulator counts, and the most that it may be (memory.py says what each means)."""

    name: str
    measure: Measure
    at_most: str | float
    points: float = Field(ge=0)


class Memory(Record):
    """What is asked of memory behaviour, in a simulated run of these sizes."""

    sizes: Sizes
    checks: tuple[MemoryCheck, ...] = Field(min_length=1)


class Band(Record):
    """A kernel that reaches `fraction` of the model solution's speed earns `points`."""

    fraction: float = Field(gt=0)
    points: float = Field(ge=0)


class SpeedGoal(Record):
    """What is asked on one class of device. Bands are listed from the highest fraction down.

    `minimum` adds an absolute rate (GB/s or GFLOPS, as the metric says) for devices whose name
    contains the key. `constants` are those of the assignment that are others here, such as a larger TILE: what is timed
    is built with them. `baseline` says whether the naive kernel must miss full points here: on a CPU it
    can be as fast as the model solution.
    """

    sizes: Sizes
    bands: tuple[Band, ...] = Field(min_length=1)
    baseline: Literal["fails", "passes"] = "fails"
    minimum: dict[str, float] = Field(default={})
    constants: dict[str, str | int] = Field(default={})

    @property
    def points(self) -> float:
        """Points of the highest band."""
        return self.bands[0].points


class Performance(Record):
    """`bytes` is the least a correct kernel can move, `flop` what it must compute; with `flop`, rates are GFLOPS."""

    bytes: Expression
    flop: Expression | None = None
    classes: dict[DeviceClass, SpeedGoal]

    @property
    def unit(self) -> str:
        """Unit in which this assignment reports rates."""
        return "GB/s" if self.flop is None else "GFLOPS"
