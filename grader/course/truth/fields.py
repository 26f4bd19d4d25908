"""Arrays of structs: their NumPy types, and the arrays of numbers that they consist of."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.elements import Element
from grader.course.structs import Struct, StructField

Array = NDArray[Any]


@dataclass(frozen=True)
class FieldPart:
    """A number of a struct: a field, or one number of a vector in a field. `words` follow the name of an element in
    messages, as in OpenCL C.
    """

    member: StructField
    lane: int | None
    words: str

    def of(self, array: Array) -> Array:
        """The numbers of all elements of an array of structs."""
        column = array[self.member.name]
        return np.ascontiguousarray(column if self.lane is None else column[..., self.lane])


def parts_of(struct: Struct) -> tuple[FieldPart, ...]:
    """Return the numbers of a struct in order, without the padding of vectors of three."""
    return tuple(part for member in struct.members for part in _parts(member))


def _parts(member: StructField) -> Iterator[FieldPart]:
    lanes = member.element.lanes
    if lanes == 1:
        yield FieldPart(member, None, f".{member.name}")
    else:
        yield from (FieldPart(member, lane, f".{member.name}.{component(lane, lanes)}") for lane in range(lanes))


def component(number: int, lanes: int) -> str:
    """Return the name of a number of a vector in OpenCL C."""
    return "xyzw"[number] if lanes <= 4 else f"s{number:x}"


def dtype_of(element: Element | Struct) -> np.dtype[Any]:
    """Return the NumPy type of an element; of a vector, the type of its numbers."""
    if isinstance(element, Element):
        return np.dtype(element.dtype)
    return np.dtype(
        {
            "names": [member.name for member in element.members],
            "formats": [(member.element.dtype, member.element.shape) for member in element.members],
            "offsets": [member.offset for member in element.members],
            "itemsize": element.bytes,
        }
    )


def cast(array: Array, element: Element | Struct) -> Array:
    """Return the array with the type of these elements. Padding is zero."""
    dtype = dtype_of(element)
    if isinstance(element, Element):
        return np.ascontiguousarray(array, dtype=dtype)
    made = np.zeros(array.shape, dtype)
    for member in element.members:
        made[member.name] = array[member.name]
    return made


def is_uniform(struct: Struct) -> bool:
    """True if all numbers of a struct have one type."""
    return len({member.element.dtype for member in struct.members}) == 1


def as_numbers(array: Array, struct: Struct) -> Array:
    """Return structs whose numbers have one type as an array of these numbers, with one more dimension. A field that
    the array lacks is 0.
    """
    present = array.dtype.names or ()
    parts = (part.of(array) if part.member.name in present else np.zeros(array.shape) for part in parts_of(struct))
    return np.stack([*parts], axis=-1)
