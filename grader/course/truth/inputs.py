"""Secret inputs: every array a worker is given is made here, from a seed that it never learns.

All come from Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011), in
NumPy's implementation: a keyed function of the index. No way is known to tell the key, or other words, from some words.
The data of timed runs on a GPU come from the same function (grading/timing/device_data.py).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.assignment import Assignment
from grader.course.launches import DataKind, ElementType
from grader.course.rubric import DataSet, Sizes
from grader.course.truth.oracle import DTYPES, Oracle, make

INTEGER_BOUND = 8
"""Inputs of the set `integers` are whole numbers up to this size, so that fp32 sums of their products
are exact in any order while K * 64 < 2^24."""


def make_inputs(
    assignment: Assignment, oracle: Oracle, sizes: Sizes, data: DataSet, key: tuple[int, ...]
) -> dict[str, NDArray[Any]]:
    """All arrays with data, for one case or one timed round; `key` is the seed and what tells this use from others."""
    inputs = make(oracle, assignment, _generator(*key, len(assignment.buffers)), data, sizes)
    for position, (name, buffer) in enumerate(assignment.buffers.items()):
        if buffer.data is None or buffer.data == "made":
            continue
        kind = "integers" if data == "integers" and buffer.data == "numbers" else buffer.data
        values = MAKERS[kind, buffer.type](_generator(*key, position), assignment.shape(buffer, sizes))
        inputs[name] = values.astype(DTYPES[buffer.type], copy=False)
    return inputs


def _generator(*key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))


def _numbers(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
    """Uniform in [-1, 1)."""
    values = generator.random(shape, dtype=np.float32)
    values *= 2
    values -= 1
    return values


def _whole(low: int, high: int, dtype: type[np.integer[Any]]) -> "Maker":
    """Makes whole numbers from the least to the largest, which this type can hold."""
    return lambda generator, shape: generator.integers(low, high, shape, endpoint=True, dtype=dtype)


def _zeros(_: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
    return np.zeros(shape, dtype=np.float32)


def _bits(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Bit patterns of normal numbers from 2^-63 to 2^65, of both signs: no NaN, infinity or subnormal.

    A sign, seven bits of the exponent and the mantissa are random; a kernel that moves words elsewhere than they belong
    finds an equal one there with a chance of one in 2^31.
    """
    count = int(np.prod(shape))
    words: NDArray[np.uint32] = generator.bit_generator.random_raw((count + 1) // 2).view(np.uint32)[:count]
    sign = words & np.uint32(1 << 31)
    words &= np.uint32((1 << 30) - 1)
    words += np.uint32(64 << 23)
    words |= sign
    return words.view(np.float32).reshape(shape)


Maker = Callable[[np.random.Generator, tuple[int, ...]], NDArray[Any]]

MAKERS: dict[tuple[DataKind, ElementType], Maker] = {
    ("numbers", "float"): _numbers,
    ("numbers", "int"): _whole(-(2**15), 2**15 - 1, np.int16),
    ("numbers", "uint"): _whole(0, 2**16 - 1, np.uint16),
    ("integers", "float"): _whole(-INTEGER_BOUND, INTEGER_BOUND, np.int8),
    ("integers", "int"): _whole(-INTEGER_BOUND, INTEGER_BOUND, np.int8),
    ("integers", "uint"): _whole(0, 2 * INTEGER_BOUND, np.uint8),
    ("bits", "float"): _bits,
    ("zeros", "float"): _zeros,
    ("zeros", "int"): _zeros,
    ("zeros", "uint"): _zeros,
}
"""Of the 16 bits of `numbers`, sums and products of two have room in 32."""
