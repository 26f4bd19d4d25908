"""The types of array elements and of arguments passed by value. This module does not import NumPy, which is slow to
load.

All tables of types are derived from ELEMENTS.
"""

import struct
from math import prod
from typing import Annotated, Literal

from pydantic import WithJsonSchema

from grader.common.errors import InputError
from grader.common.record import Record, replace
from grader.course.poison import (
    DOUBLE_POISONS,
    HALF_POISONS,
    INPUT_POISON,
    POISON,
    WHOLE_INPUT_POISON,
    WHOLE_POISON,
)
from grader.protocol.steps import ScalarType

WORD_BYTES = 4
"""Number of bytes in a word, which is the unit of counted memory accesses and of the banks of local memory."""

INTEGER_BOUND = 8
"""Largest absolute value in the data set `integers`. These whole numbers are so small that fp32 sums of their products
are exact in any order while K * 64 < 2^24.
"""

EXACT = 2**24
"""Largest whole number in timed runs. Floats represent every whole number up to it exactly."""

Size = Literal[1, 2, 4, 8]
"""Bytes of a number."""

VECTORS = (2, 3, 4, 8, 16)
"""Numbers in a vector. A vector of three has the size of a vector of four (OpenCL C specification, 6.1.5)."""

WholeRange = tuple[int, int]
"""Smallest and largest number of a range of whole numbers."""


FORMATS: dict[ScalarType, str] = {
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float16": "e",
    "float32": "f",
    "float64": "d",
}
"""Formats of Python's module struct."""


def _whole_number(value: float) -> int:
    if value != int(value):
        raise InputError(f"{value} is not a whole number.")
    return int(value)


class Element(Record):
    """A type: its names, its bits, its values in inputs, and its form in messages."""

    spelling: str
    """Name in the course's files."""

    names: frozenset[str]
    """Names in OpenCL C. Drivers report one of them for a parameter that is passed by value."""

    dtype: ScalarType
    """Name in NumPy and in the protocol."""

    unit: Size
    """Size of a number in bytes."""

    lanes: int = 1
    """Number of numbers in an element, which is more than one for a vector."""

    unit_roundoff: float | None
    """Half the distance from 1 to the next number (u). None for whole numbers."""

    numbers: WholeRange | None
    """Range of whole numbers for data of the kind `numbers`. None means numbers in [-1, 1)."""

    integers: WholeRange
    """Range of whole numbers for data of the kind `integers`."""

    exact: WholeRange
    """Range of whole numbers that timed runs may use (performance.integers)."""

    poison: int
    """Bits of an element that has not been written by any kernel."""

    input_poison: int
    """Bits of an element in the bands around inputs."""

    extension: str | None = None
    """Extension of OpenCL that a device needs to compute with the type. None if every device can."""

    @property
    def bytes(self) -> int:
        """Size of an element."""
        return self.unit * prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Last dimension of an array of vectors in NumPy. Vectors of three have a fourth number there."""
        if self.lanes == 1:
            return ()
        return (4,) if self.lanes == 3 else (self.lanes,)

    @property
    def is_floating(self) -> bool:
        """True for real numbers, false for whole numbers."""
        return self.unit_roundoff is not None

    def pattern(self, value: float) -> int:
        """Bits of an element with this value. Raises InputError if the type cannot hold it."""
        try:
            held = struct.pack(f"<{FORMATS[self.dtype]}", value if self.is_floating else _whole_number(value))
        except (struct.error, OverflowError) as error:
            raise InputError(f"{value:.15g} does not fit the type {self.spelling}.") from error
        return int.from_bytes(held, "little")

    def can_have(self, low: int, high: int) -> bool:
        """True if `low` to `high` is a range of numbers for timed runs."""
        least, largest = self.exact
        return least <= low <= high <= largest


def _whole(spelling: str, names: str, dtype: ScalarType, size: Size, numbers: WholeRange) -> Element:
    """Return a type of whole numbers. Its kind of data `numbers` has values in this range."""
    bits = 8 * size
    signed = numbers[0] < 0
    limit = min(2 ** (bits - 1) - 1 if signed else 2**bits - 1, EXACT)
    return Element(
        spelling=spelling,
        names=frozenset(names.split(", ")),
        dtype=dtype,
        unit=size,
        unit_roundoff=None,
        numbers=numbers,
        integers=(-INTEGER_BOUND, INTEGER_BOUND) if signed else (0, 2 * INTEGER_BOUND),
        exact=(-limit if signed else 0, limit),
        poison=WHOLE_POISON % 2**bits,
        input_poison=WHOLE_INPUT_POISON % 2**bits,
    )


def _real(spelling: str, dtype: ScalarType, *, size: Size, precision: int, poisons: tuple[int, int]) -> Element:
    """Return a floating type whose numbers have `precision` significant bits (IEEE 754)."""
    poison, input_poison = poisons
    limit = min(2**precision, 2**31 - 1)  # kernels of grader make whole numbers of 32 bits
    return Element(
        spelling=spelling,
        names=frozenset({"float" if spelling == "real" else spelling}),
        dtype=dtype,
        unit=size,
        unit_roundoff=2.0**-precision,
        numbers=None,
        integers=(-INTEGER_BOUND, INTEGER_BOUND),
        exact=(-limit, limit),
        poison=poison,
        input_poison=input_poison,
    )


SCALARS: dict[str, Element] = {
    "float": _real("real", "float32", size=4, precision=24, poisons=(POISON, INPUT_POISON)),
    "int": _whole("int", "int", "int32", 4, (-(2**15), 2**15 - 1)),
    "uint": _whole("uint32_t", "uint, unsigned, unsigned int", "uint32", 4, (0, 2**16 - 1)),
    "char": _whole("char", "char", "int8", 1, (-(2**7), 2**7 - 1)),
    "uchar": _whole("uchar", "uchar, unsigned char", "uint8", 1, (0, 2**8 - 1)),
    "short": _whole("short", "short", "int16", 2, (-(2**15), 2**15 - 1)),
    "ushort": _whole("ushort", "ushort, unsigned short", "uint16", 2, (0, 2**16 - 1)),
    "long": _whole("long", "long", "int64", 8, (-(2**31), 2**31 - 1)),
    "ulong": _whole("ulong", "ulong, unsigned long, size_t", "uint64", 8, (0, 2**32 - 1)),
    "half": replace(
        _real("half", "float16", size=2, precision=11, poisons=HALF_POISONS),
        extension="cl_khr_fp16",
    ),
    "double": replace(
        _real("double", "float64", size=8, precision=53, poisons=DOUBLE_POISONS),
        extension="cl_khr_fp64",
    ),
}
"""Types of one number. Sums and products of two `numbers` fit in 32 bits, or in 64 bits for types of eight bytes."""


def _vector(name: str, scalar: Element, lanes: int) -> Element:
    """Return the type of vectors of this many numbers."""
    names = frozenset(f"{each}{lanes}" for each in scalar.names if " " not in each)
    return replace(scalar, spelling=f"{name}{lanes}", names=names, lanes=lanes)


ELEMENTS: dict[str, Element] = {
    **SCALARS,
    **{f"{name}{lanes}": _vector(name, each, lanes) for name, each in SCALARS.items() for lanes in VECTORS},
}
"""Types by name: numbers, and vectors of them."""


REAL = "real"
"""Name of the type that the floating type in the constant `real` replaces (interface.py)."""

STATED = [*ELEMENTS, REAL, *(f"{REAL}{lanes}" for lanes in VECTORS)]
"""Names of types that assignment.yaml may state, besides structs."""

ElementType = Annotated[str, WithJsonSchema({"anyOf": [{"enum": STATED}, {"type": "string"}]})]
"""Name of a type of numbers or vectors, or of a struct. The assignment, which defines the structs, checks it."""


BY_NAME = {name: each for each in ELEMENTS.values() for name in each.names}
"""Types by their names in OpenCL C."""


def element_of(dtype: str) -> Element:
    """Return the first type with this name in NumPy. Types that share the name have the same bits and differ only in
    their data.
    """
    return next(each for each in ELEMENTS.values() if each.dtype == dtype)
