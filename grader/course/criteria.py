"""Criteria of an assignment: cases, limits on memory behaviour, speed goals, and the work from which rates are
computed.
"""

from typing import Literal

from pydantic import Field

from grader.common.record import Record, replace
from grader.course.expressions import Expression

Sizes = dict[str, int]
DataSet = Literal["random", "integers"]
DeviceClass = Literal["cpu", "gpu"]
Range = tuple[int, int]
Hints = Literal["none", "line", "part", "change"]
Slip = Literal["barrier", "guard"]


class Case(Record):
    """One set of sizes, and the kind of data with which the inputs are filled."""

    name: str
    """Unique name, in a few words."""

    sizes: Sizes
    """A value for each size."""

    data: DataSet = "random"
    """Kind of inputs. With `integers`, all `numbers` are small whole numbers, and results are compared for equality."""

    alone: str = Field(default="", exclude_if=lambda name: not name)
    """Name of a kernel. Only its first launch then runs, on right arrays, and the arrays that it changes are compared.
    The function `states` of oracle.py returns these arrays.
    """

    points: float | None = Field(default=None, ge=0, exclude_if=lambda points: points is None)
    """Points of this case. The other cases share the rest of the points for correctness."""

    practice: bool = False
    """True if the case earns no points and does not affect any other check."""

    hidden: bool = False
    """True if students see only that the case exists until checks are released."""


Measure = Literal[
    "coalescing",
    "bank conflicts",
    "words read",
    "words written",
    "words moved",
    "image reads",
    "image writes",
    "divergence",
    "requests of mostly idle warps",
    "words of the busiest work-item",
    "words of private memory",
    "requests to local memory",
    "branches",
    "floating-point operations",
]


class MemoryCheck(Record):
    """A quantity that the simulator counts, and its limit.

    grading/checks/memory_behaviour/measures.py describes each quantity.
    """

    name: str
    """Unique name, in a few words."""

    measure: Measure
    """The counted quantity."""

    at_most: str | float
    """Limit: a number, or an expression over the sizes and the assignment's own constants."""

    points: float = Field(ge=0)
    """Points if the quantity is within the limit."""

    teaches: str = ""
    """Advice to students, in one short sentence."""

    requires: tuple[str, ...] = ()
    """Names of memory checks that are listed earlier. This check's points count only if all of them pass."""

    hidden: bool = False
    """True if students see only that the check exists until checks are released."""


class Band(Record):
    """A kernel that reaches `fraction` of the model solution's speed earns `points`."""

    fraction: float = Field(gt=0)
    """Fraction of the model solution's speed."""

    points: float = Field(ge=0)
    """Points for this speed."""


class SpeedGoal(Record):
    """The speed goal on one class of device."""

    sizes: Sizes
    """A value for each size, large enough for meaningful timing."""

    bands: tuple[Band, ...] = Field(min_length=1)
    """Bands, from the highest fraction down."""

    baseline: Literal["fails", "passes"] = "fails"
    """`fails` if the naive kernel must miss full points. `passes` if it may reach them, since on a CPU it can be as
    fast as the model solution.
    """

    minimum: dict[str, float] = Field(default={})
    """Absolute rates for devices whose name contains the key, in GB/s, in GFLOPS if `flop` is given, or in the unit of
    `count`."""

    yardstick: float | None = Field(default=None, gt=0)
    """Speed of the model solution as a multiple of the naive kernel's speed, as measured by `grader validate`. A
    student kit has no model solution and uses this number to decide about speed. Without it, the course's machine
    decides.
    """

    constants: dict[str, str | int] = Field(default={})
    """Constants that have other values in timed runs, such as a larger TILE. Timed kernels are built with these."""

    @property
    def points(self) -> float:
        """Points of the highest band."""
        return self.bands[0].points

    def undecided(self, sizes: Sizes) -> "SpeedGoal":
        """Return a goal at these sizes with the same points, but without the numbers that decide them."""
        bands = (Band(fraction=1, points=self.points),)
        return replace(self, sizes=sizes, bands=bands, minimum={}, yardstick=None)


class WorkCount(Record):
    """Quantity for a rate of the assignment, such as the pixels of an image."""

    of: Expression
    """Number of them: a number or an expression over sizes and constants."""

    unit: str = Field(pattern=r"^[^\s/]+$")
    """Name of one, such as `pixel`: rates are in Gpixel/s, 10^9 in a second."""


class Quantities(Record):
    """Work of a program or a kernel, from which its rate is computed."""

    bytes: Expression
    """Smallest number of bytes that a correct kernel can move."""

    flop: Expression | None = None
    """Number of operations that a kernel must compute. If it is given, rates are in GFLOPS, otherwise in GB/s."""

    count: WorkCount | None = None
    """Quantity for rates in a unit of the assignment's own, such as Gpixel/s, instead of GFLOPS and GB/s."""

    @property
    def work(self) -> Expression:
        """Work of a kernel: the counted quantity. Without one, the operations and, without these, the bytes."""
        if self.count is not None:
            return self.count.of
        return self.bytes if self.flop is None else self.flop

    @property
    def unit(self) -> str:
        """Unit of the rates that this assignment reports."""
        if self.count is not None:
            return f"G{self.count.unit}/s"
        return "GB/s" if self.flop is None else "GFLOPS"
