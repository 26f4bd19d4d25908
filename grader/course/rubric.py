"""What an assignment asks for and what each part is worth: right results, a clean run in a simulator, memory behaviour
and speed.
"""

from typing import Literal

from pydantic import Field, model_validator

from grader.common.record import Record
from grader.course.expressions import Expression

Sizes = dict[str, int]
DataSet = Literal["random", "integers"]
DeviceClass = Literal["cpu", "gpu"]
Range = tuple[int, int]
Hints = Literal["none", "line", "part", "change"]
Slip = Literal["barrier", "guard"]


class Tolerance(Record):
    """How random results are compared.

    `exact`: the same bits. `rounding`: within `factor` units of u * magnitude, where u = 2^-24 and
    the oracle states the magnitude of every element (see truth/oracle.py).
    """

    rule: Literal["exact", "rounding"]
    """Which of the two."""

    factor: str | float = 1.0
    """For `rounding`: a number or an expression over sizes and constants."""


class Case(Record):
    """One set of sizes and the kind of data to fill the inputs with."""

    name: str
    """Unique, in a few words."""

    sizes: Sizes
    """A value for each size."""

    data: DataSet = "random"
    """`integers`: all `numbers` are small whole ones, and results are compared for equality."""

    practice: bool = False
    """It earns no points and decides about nothing."""

    hidden: bool = False
    """Students see that it is there, and nothing else until checks are released."""


class Correctness(Record):
    """The cases; each that is not for practice is worth the same share of `points`."""

    tolerance: Tolerance
    """How random results are compared."""

    points: float = Field(ge=0)
    """Of all cases together."""

    cases: tuple[Case, ...] = Field(min_length=1)
    """Each case is one check. At least one is shown and not for practice: it decides if memory and speed count."""

    @model_validator(mode="after")
    def _has_a_shown_case_that_counts(self) -> "Correctness":
        if all(case.practice for case in self.cases):
            raise ValueError("all cases are for practice; leave that out of one at least")
        if all(case.practice or case.hidden for case in self.cases):
            raise ValueError(
                "every case that counts is hidden; show at least one, since memory and speed depend on shown cases"
            )
        return self

    @property
    def shown(self) -> tuple[Case, ...]:
        """The cases whose outcome students always see."""
        return tuple(case for case in self.cases if not case.hidden)

    @property
    def hidden(self) -> tuple[Case, ...]:
        """The others, which are the last to run."""
        return tuple(case for case in self.cases if case.hidden)


class Sanitizer(Record):
    """A run in the simulator, in which nothing may go wrong: of ragged sizes, so that every edge is met, and small."""

    sizes: Sizes
    """A value for each size."""

    points: float = Field(ge=0)
    """For a run in which nothing goes wrong."""

    hidden: bool = False
    """As that of a case."""


Measure = Literal[
    "coalescing",
    "bank conflicts",
    "words read",
    "words written",
    "words moved",
    "divergence",
    "requests of mostly idle warps",
    "requests to local memory",
    "branches",
]


class MemoryCheck(Record):
    """A quantity that the simulator counts, and the most that it may be; grading/checks/memory.py says what each
    means.
    """

    name: str
    """Unique, in a few words."""

    measure: Measure
    """The quantity."""

    at_most: str | float
    """A number or an expression over sizes and constants, which are the assignment's own."""

    points: float = Field(ge=0)
    """For staying within it."""

    teaches: str = ""
    """Advice to students, in one short sentence."""

    requires: tuple[str, ...] = ()
    """Names of memory checks that are listed before; its points count only if all of these pass."""

    hidden: bool = False
    """As that of a case."""


class Memory(Record):
    """What is asked of memory behaviour, in a simulated run of these sizes."""

    sizes: Sizes
    """A value for each size; small, since simulating is slow."""

    checks: tuple[MemoryCheck, ...] = Field(min_length=1)
    """What must hold."""


class Band(Record):
    """A kernel that reaches `fraction` of the model solution's speed earns `points`."""

    fraction: float = Field(gt=0)
    """Of the model solution's speed."""

    points: float = Field(ge=0)
    """That it earns."""


class SpeedGoal(Record):
    """What is asked on one class of device."""

    sizes: Sizes
    """A value for each size, of launches that are worth timing."""

    bands: tuple[Band, ...] = Field(min_length=1)
    """From the highest fraction down."""

    baseline: Literal["fails", "passes"] = "fails"
    """Whether the naive kernel must miss full points here: on a CPU it can be as fast as the model solution."""

    minimum: dict[str, float] = Field(default={})
    """Absolute rates (GB/s, or GFLOPS where `flop` is given) for devices whose name contains the key."""

    yardstick: float | None = Field(default=None, gt=0)
    """How many times as fast as the naive kernel the model solution is, as `grader validate` measures it. By it, a
    student kit decides about speed without the model solution; else the course's machine does."""

    constants: dict[str, str | int] = Field(default={})
    """Constants that are others here, such as a larger TILE: what is timed is built with them."""

    @property
    def points(self) -> float:
        """Points of the highest band."""
        return self.bands[0].points


class SpeedGoals(Record):
    """The speed goals, and what rates are made from."""

    bytes: Expression
    """The least that a correct kernel can move."""

    flop: Expression | None = None
    """What it must compute; with it, rates are GFLOPS, else GB/s."""

    verifier: Literal["oracle"] | None = None
    """`oracle`: the judge makes the data of timed runs on GPUs, too. Else these are small integers made on the device,
    and results must equal the model solution's to the bit, which divisions and roots make impossible. Data that are
    `made` need it."""

    integers: tuple[dict[str, Range], ...] = Field(default=({},), min_length=1)
    """These whole numbers: for arrays, by name, the least and the largest; of several such lines, timed runs take one
    after the other. An array that a line leaves out holds whole numbers from -8 to 8 (uint: 0 to 16). Choose them so
    large that half floats round them, and so small that floats do not round what kernels make of them."""

    requires: tuple[str, ...] = ()
    """Names of memory checks; points for speed count only if all of these pass. On a CPU, a naive kernel is
    as fast as one that solves the exercise. On a GPU, caches make some naive kernels fast enough."""

    classes: dict[DeviceClass, SpeedGoal]
    """One goal each for `cpu` and `gpu`."""

    hidden: bool = False
    """As that of a case."""

    @property
    def unit(self) -> Literal["GB/s", "GFLOPS"]:
        """Unit in which this assignment reports rates."""
        return "GB/s" if self.flop is None else "GFLOPS"
