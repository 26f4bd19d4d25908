"""The checks of an assignment and their points: right results, a clean simulated run, memory behaviour and speed."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, model_validator

from grader.common.record import Record
from grader.course.expressions import Expression


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

Sizes = dict[str, int]
DataSet = Literal["random", "integers"]
DeviceClass = Literal["cpu", "gpu"]
Range = tuple[int, int]
Hints = Literal["none", "line", "part", "change"]
Slip = Literal["barrier", "guard"]


class Tolerance(Record):
    """Rule for the comparison of results on random inputs.

    `exact`: the same bits. `rounding`: within `factor` units of u * magnitude, where u = 2^-24 and
    the oracle states the magnitude of every element (see truth/oracle.py).
    """

    rule: Literal["exact", "rounding"]
    """Name of the rule."""

    factor: str | float = 1.0
    """Factor of the rule `rounding`: a number or an expression over sizes and constants."""


class Case(Record):
    """One set of sizes and the kind of data to fill the inputs with."""

    name: str
    """Unique name, in a few words."""

    sizes: Sizes
    """A value for each size."""

    data: DataSet = "random"
    """Kind of inputs. `integers`: all `numbers` are small whole numbers, and results are compared for equality."""

    practice: bool = False
    """True if the case earns no points and decides about no other check."""

    hidden: bool = False
    """True if students see only that the case exists, until checks are released."""


class Correctness(Record):
    """The cases. Each case that is not for practice is worth an equal share of `points`."""

    tolerance: Tolerance
    """Rule for the comparison of results on random inputs."""

    points: float = Field(ge=0)
    """Points of all cases together."""

    cases: tuple[Case, ...] = Field(min_length=1)
    """Cases; each is one check. At least one is shown and not for practice: it decides if memory and speed count."""

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
        """Cases with outcomes that students always see."""
        return tuple(case for case in self.cases if not case.hidden)

    @property
    def hidden(self) -> tuple[Case, ...]:
        """Hidden cases, which run last."""
        return tuple(case for case in self.cases if case.hidden)


class Sanitizer(Record):
    """A run in the simulator that must show no error. Its sizes are small, and ragged so that it meets every edge."""

    sizes: Sizes
    """A value for each size."""

    points: float = Field(ge=0)
    """Points for a run without an error."""

    hidden: bool = False
    """True if students see only that the check exists, until checks are released."""


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
    """A quantity that the simulator counts, and its limit. grading/checks/memory.py describes each quantity."""

    name: str
    """Unique name, in a few words."""

    measure: Measure
    """The counted quantity."""

    at_most: str | float
    """Limit: a number, or an expression over the sizes and the assignment's own constants."""

    points: float = Field(ge=0)
    """Points for a quantity within the limit."""

    teaches: str = ""
    """Advice to students, in one short sentence."""

    requires: tuple[str, ...] = ()
    """Names of memory checks that are listed before. This check's points count only if all of these pass."""

    hidden: bool = False
    """True if students see only that the check exists, until checks are released."""


class Memory(Record):
    """The checks of memory behaviour, in a simulated run of these sizes."""

    sizes: Sizes
    """A value for each size; small, since simulation is slow."""

    checks: tuple[MemoryCheck, ...] = Field(min_length=1)
    """Checks of this run."""


class Band(Record):
    """A kernel that reaches `fraction` of the model solution's speed earns `points`."""

    fraction: float = Field(gt=0)
    """Fraction of the model solution's speed."""

    points: float = Field(ge=0)
    """Points for this speed."""


class SpeedGoal(Record):
    """The speed goal on one class of device."""

    sizes: Sizes
    """A value for each size, large enough that timing makes sense."""

    bands: tuple[Band, ...] = Field(min_length=1)
    """Bands, from the highest fraction down."""

    baseline: Literal["fails", "passes"] = "fails"
    """`fails`: the naive kernel must miss full points. `passes`: it may reach them, since on a CPU it can be as fast as
    the model solution."""

    minimum: dict[str, float] = Field(default={})
    """Absolute rates (GB/s, or GFLOPS if `flop` is given) for devices whose name contains the key."""

    yardstick: float | None = Field(default=None, gt=0)
    """Speed of the model solution as a multiple of the naive kernel's speed, as `grader validate` measures it. A
    student kit decides about speed with it, since the model solution is missing there. Otherwise the course's machine
    decides."""

    constants: dict[str, str | int] = Field(default={})
    """Constants with other values here, such as a larger TILE. Timed kernels are built with them."""

    @property
    def points(self) -> float:
        """Points of the highest band."""
        return self.bands[0].points


class SpeedGoals(Record):
    """The speed goals, and the quantities that rates are computed from."""

    bytes: Expression
    """Fewest bytes that a correct kernel can move."""

    flop: Expression | None = None
    """Operations that a kernel must compute. With it, rates are in GFLOPS, otherwise in GB/s."""

    verifier: Literal["oracle"] | None = None
    """`oracle`: the judge also makes the data of timed runs on GPUs. Without it, these data are small integers made on
    the device, and results must equal the model solution's to the bit. Divisions and roots make that impossible. Data
    of the kind `made` need `oracle`."""

    integers: tuple[dict[str, Range], ...] = Field(default=({},), min_length=1)
    """Whole numbers for timed runs. A line gives, by name of the array, the least and the largest number. Timed runs
    take several lines in turn. An array that a line leaves out holds whole numbers from -8 to 8 (uint: 0 to 16). Choose
    numbers so large that half floats round them, and so small that floats do not round a kernel's results."""

    requires: tuple[str, ...] = ()
    """Names of memory checks. Points for speed count only if all of these pass. On a CPU, a naive kernel is as fast as
    one that solves the exercise. On a GPU, caches make some naive kernels fast enough."""

    classes: dict[DeviceClass, SpeedGoal]
    """One goal each for `cpu` and `gpu`."""

    hidden: bool = False
    """True if students see only that the check exists, until checks are released."""

    @property
    def unit(self) -> Literal["GB/s", "GFLOPS"]:
        """Unit of the rates that this assignment reports."""
        return "GB/s" if self.flop is None else "GFLOPS"
