"""Secret inputs. Every array for a worker is made here, from a seed that the worker never learns.

All of them come from Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
2011) in NumPy's implementation, which is a keyed function of the index. No method is known that finds the key or
further words from some of the words. The data of timed runs on a GPU come from the same function
(grading/timing/device_data.py).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.assignment import Assignment
from grader.course.criteria import DataSet, Sizes
from grader.course.elements import ELEMENTS, Element, ElementType, WholeRange
from grader.course.launches import DataKind
from grader.course.structs import Struct
from grader.course.truth.fields import dtype_of
from grader.course.truth.oracle import Oracle, make

DRAWN = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32)
"""Types in which whole numbers are drawn. The first one that fits is used, since smaller types are faster to draw."""


def make_inputs(
    assignment: Assignment, oracle: Oracle, sizes: Sizes, data: DataSet, key: tuple[int, ...]
) -> dict[str, NDArray[Any]]:
    """Make all arrays with data for one case or one timed round. `key` consists of the seed and of numbers that
    distinguish this use.
    """
    inputs = make(oracle, assignment, _generator(*key, len(assignment.buffers)), data, sizes)
    for position, (name, buffer) in enumerate(assignment.buffers.items()):
        if buffer.data is None or buffer.data == "made":
            continue
        kind = "integers" if data == "integers" and buffer.data == "numbers" else buffer.data
        generator, shape = _generator(*key, position), assignment.array_shape(name, sizes)
        inputs[name] = _made(kind, buffer.type, assignment.element(buffer.type), generator, shape)
    return inputs


def _made(
    kind: DataKind, name: ElementType, element: Element | Struct, generator: np.random.Generator, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Make an array of this kind of data. The fields of a struct are made one after another."""
    if isinstance(element, Element):
        return MAKERS[kind, name](generator, shape).astype(dtype_of(element), copy=False)
    made = np.zeros(shape, dtype_of(element))
    for member in element.members:
        made[member.name] = _made(kind, member.type, member.element, generator, (*shape, *member.element.shape))
    return made


def _generator(*key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))


def _uniform(dtype: type[np.float32 | np.float64]) -> "Maker":
    """Return a maker of uniform numbers in [-1, 1) with the precision of this type."""

    def numbers(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
        values = generator.random(shape, dtype=dtype)
        values *= 2
        values -= 1
        return values

    return numbers


def _whole(numbers: WholeRange) -> "Maker":
    """Return a maker of whole numbers in this range."""
    low, high = numbers
    dtype = next(each for each in DRAWN if np.iinfo(each).min <= low and high <= np.iinfo(each).max)
    return lambda generator, shape: generator.integers(low, high, shape, endpoint=True, dtype=dtype)


def _zeros(_: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
    return np.zeros(shape, dtype=np.float32)


def _bits(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return bit patterns of normal numbers from 2^-63 to 2^65, of both signs: no NaN, infinity or subnormal.

    The sign, seven bits of the exponent and the mantissa are random. If a kernel moves a word to a wrong place, that
    word equals the right one by chance only once in 2^31.
    """
    count = int(np.prod(shape))
    words: NDArray[np.uint32] = generator.bit_generator.random_raw((count + 1) // 2).view(np.uint32)[:count]
    sign = words & np.uint32(1 << 31)
    words &= np.uint32((1 << 30) - 1)
    words += np.uint32(64 << 23)
    words |= sign
    return words.view(np.float32).reshape(shape)


Maker = Callable[[np.random.Generator, tuple[int, ...]], NDArray[Any]]


def _makers(element: Element) -> dict[DataKind, Maker]:
    """Return the makers for all kinds of data that arrays of a type may have."""
    # doubles with only the precision of floats would also have right sums in single precision
    uniform = _uniform(np.float64 if element.dtype == "float64" else np.float32)
    makers: dict[DataKind, Maker] = {
        "numbers": uniform if element.numbers is None else _whole(element.numbers),
        "integers": _whole(element.integers),
        "zeros": _zeros,
    }
    return {**makers, "bits": _bits} if element.is_floating else makers


MAKERS: dict[tuple[DataKind, ElementType], Maker] = {
    (kind, name): maker for name, element in ELEMENTS.items() for kind, maker in _makers(element).items()
}
"""Makers by kind of data and type."""
