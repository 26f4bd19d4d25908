"""Secret inputs: every array a worker is given is made here, from a seed that it never learns."""

import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.assignment import Assignment
from grader.errors import InputError
from grader.rubric import DataSet, Sizes

SEED_BITS = 63

INTEGER_BOUND = 8
"""Inputs of the set `integers` are whole numbers up to this size, so that fp32 sums of their products
are exact in any order while K * 64 < 2^24."""


def fresh_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbits(SEED_BITS)


def check_seed(seed: int) -> int:
    """The seed itself if it can be one."""
    if not 0 <= seed < 2**SEED_BITS:
        raise InputError(f"the seed {seed} is out of range; it must be from 0 to {2**SEED_BITS - 1}.")
    return seed


def make_inputs(assignment: Assignment, sizes: Sizes, data: DataSet, key: tuple[int, ...]) -> dict[str, NDArray[Any]]:
    """The input arrays of one case or one timed round; `key` is the seed and what tells this use from the others."""
    inputs = {}
    for position, (name, buffer) in enumerate(assignment.buffers.items()):
        if buffer.data is None:
            continue
        generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence((*key, position))))
        shape = assignment.shape(buffer, sizes)
        kind = "integers" if data == "integers" else buffer.data
        inputs[name] = MAKERS[kind](generator, shape)
    return inputs


def _numbers(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Uniform in [-1, 1)."""
    values = generator.random(shape, dtype=np.float32)
    values *= 2
    values -= 1
    return values


def _integers(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Whole numbers of at most INTEGER_BOUND, as floats."""
    return generator.integers(-INTEGER_BOUND, INTEGER_BOUND, shape, endpoint=True, dtype=np.int8).astype(np.float32)


def _bits(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Distinct bit patterns of normal numbers from 2^-63 to 2^65, of both signs.

    Multiplying by an odd number permutes the numbers below 2^31; they are spread over a sign bit, seven
    bits of the exponent and the mantissa, so that no NaN, infinity or subnormal can occur.
    """
    count = int(np.prod(shape))
    odd, offset = (int(word) for word in generator.integers(0, 2**31, 2))
    k = np.arange(count, dtype=np.uint32)
    k *= np.uint32(odd | 1)
    k += np.uint32(offset)
    sign = k & np.uint32(1 << 30)
    sign <<= np.uint32(1)
    k &= np.uint32((1 << 30) - 1)
    k += np.uint32(64 << 23)
    k |= sign
    return k.view(np.float32).reshape(shape)


MAKERS = {"numbers": _numbers, "integers": _integers, "bits": _bits}
