"""The types of array elements and of arguments passed by value. This module does not import NumPy, which is slow to
load.

All tables of types are derived from ELEMENTS. Code with WORD_BYTES assumes that an element has four bytes.
"""

from typing import Literal

from grader.common.record import Record
from grader.course.poison import INPUT_POISON, POISON
from grader.protocol.steps import ScalarType

WORD_BYTES = 4
"""Number of bytes in a word, which is the unit of guard bands, of a worker's payloads and of counted memory
accesses.
"""

INTEGER_BOUND = 8
"""Largest absolute value in the data set `integers`. These whole numbers are so small that fp32 sums of their products
are exact in any order while K * 64 < 2^24.
"""

EXACT = 2**24
"""Largest number up to which floats represent every whole number exactly."""

ElementType = Literal["float", "int", "uint"]

WholeRange = tuple[int, int]
"""Smallest and largest number of a range of whole numbers."""


class Element(Record):
    """A type: its names, its bits, its values in inputs, and its form in messages."""

    spelling: str
    """Name in the course's files."""

    names: frozenset[str]
    """Names in OpenCL C. Drivers report one of them for a parameter that is passed by value."""

    dtype: ScalarType
    """Name in NumPy and in the protocol."""

    bytes: int
    """Size of an element in bytes."""

    unit_roundoff: float | None
    """Half the distance from 1 to the next number (u). None for whole numbers."""

    numbers: WholeRange | None
    """Range of whole numbers for data of the kind `numbers`. None means numbers in [-1, 1)."""

    integers: WholeRange
    """Range of whole numbers for data of the kind `integers`."""

    exact: WholeRange
    """Range of whole numbers that timed runs may use (performance.integers)."""

    format: str
    """Format of a value in messages."""

    poison: int = POISON
    """Bits of an element that has not been written by any kernel."""

    input_poison: int = INPUT_POISON
    """Bits of an element in the bands around inputs."""

    @property
    def is_floating(self) -> bool:
        """True for real numbers, false for whole numbers."""
        return self.unit_roundoff is not None

    def can_have(self, low: int, high: int) -> bool:
        """True if `low` to `high` is a range of numbers for timed runs."""
        least, largest = self.exact
        return least <= low <= high <= largest


ELEMENTS: dict[ElementType, Element] = {
    "float": Element(
        spelling="real",
        names=frozenset({"float"}),
        dtype="float32",
        bytes=4,
        unit_roundoff=2.0**-24,
        numbers=None,
        integers=(-INTEGER_BOUND, INTEGER_BOUND),
        exact=(-EXACT, EXACT),
        format=".6g",
    ),
    "int": Element(
        spelling="int",
        names=frozenset({"int"}),
        dtype="int32",
        bytes=4,
        unit_roundoff=None,
        numbers=(-(2**15), 2**15 - 1),
        integers=(-INTEGER_BOUND, INTEGER_BOUND),
        exact=(-EXACT, EXACT),
        format=".0f",
    ),
    "uint": Element(
        spelling="uint32_t",
        names=frozenset({"uint", "unsigned", "unsigned int"}),
        dtype="uint32",
        bytes=4,
        unit_roundoff=None,
        numbers=(0, 2**16 - 1),
        integers=(0, 2 * INTEGER_BOUND),
        exact=(0, EXACT),
        format=".0f",
    ),
}
"""Types by name. `numbers` have at most 16 bits, so that the sum or product of two of them fits in 32 bits."""


FLOATING_NAMES = frozenset(name for each in ELEMENTS.values() if each.is_floating for name in each.names)
WHOLE_NAMES = frozenset(name for each in ELEMENTS.values() if not each.is_floating for name in each.names)
"""Names in OpenCL C of the types for real numbers, and of those for whole numbers."""


def element_of(dtype: str) -> Element:
    """Return the first type with this name in NumPy. Types that share the name have the same bits and differ only in
    their data.
    """
    return next(each for each in ELEMENTS.values() if each.dtype == dtype)
