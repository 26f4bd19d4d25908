"""Whole numbers in ascending order, and what the steps of a bitonic sort make of them if they go wrong."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, n, **_):
    """Numbers of the whole range of an int, or from -8 to 8. They are never in ascending order already."""
    low, high = (-8, 8) if data == "integers" else (-(2**31), 2**31 - 1)
    numbers = generator.integers(low, high, n, endpoint=True)
    return {"data": numbers if np.any(np.diff(numbers) < 0) else numbers[::-1]}


def expected(data, **_):
    """Sort n int32 by NumPy's own method, which knows no steps."""
    return {"data": Truth(value=np.sort(data))}


def mistakes(data, n, BLOCK, **_):
    """Wrong directions, and steps that are left out."""

    def by_global_index(i, k, _):
        return (i & k) == 0

    def within_block(i, k, j):
        return ((i % BLOCK if j < BLOCK else i) & k) == 0

    made = {
        "the numbers are in descending order": np.sort(data)[::-1],
        "every pair is sorted upwards, whatever the bit k of its index": _sorted(
            data, _steps(n), lambda i, k, j: np.full(i.shape, True)
        ),
        "every pair is sorted in the opposite direction": _sorted(data, _steps(n), lambda i, k, j: (i & k) != 0),
        "bitonicNear sorts every pair upwards, whatever the bit k of its index": _sorted(
            data, _steps(n), lambda i, k, j: ((i & k) == 0) | (j < BLOCK)
        ),
        "within a block, the direction depends on the index in the block, not in the array": _sorted(
            data, _steps(n), within_block
        ),
        "the steps of distance 1 are left out": _sorted(data, [(k, j) for k, j in _steps(n) if j > 1], by_global_index),
        "the steps of distance BLOCK/2 are left out": _sorted(
            data, [(k, j) for k, j in _steps(n) if j != BLOCK // 2], by_global_index
        ),
        "the merge with k = last is left out in bitonicNear": _sorted(
            data, [(k, j) for k, j in _steps(n) if j >= BLOCK or k < min(n, BLOCK)], by_global_index
        ),
        "bitonicNear does the steps of its last k only": _sorted(
            data, [(k, j) for k, j in _steps(n) if k >= min(n, BLOCK)], by_global_index
        ),
        "bitonicNear changes nothing": _sorted(data, [(k, j) for k, j in _steps(n) if j >= BLOCK], by_global_index),
        "bitonicFar changes nothing": _sorted(data, [(k, j) for k, j in _steps(n) if j < BLOCK], by_global_index),
        "the distances of a merge rise from 1, and do not fall to 1": _sorted(data, sorted(_steps(n)), by_global_index),
    }
    return {words: {"data": Truth(value=value)} for words, value in made.items()}


def _steps(n):
    """Return all steps (k, j) in their order."""
    steps, k = [], 2
    while k <= n:
        j = k // 2
        while j:
            steps.append((k, j))
            j //= 2
        k *= 2
    return steps


def _sorted(data, steps, upwards):
    """Return the data after these steps. `upwards` tells from (i, k, j) if the smaller number goes to i."""
    result = data.copy()
    indices = np.arange(data.size)
    for k, j in steps:
        low = indices[(indices & j) == 0]
        a, b = result[low], result[low + j]
        up = upwards(low, k, j)
        result[low] = np.where(up, np.minimum(a, b), np.maximum(a, b))
        result[low + j] = np.where(up, np.maximum(a, b), np.minimum(a, b))
    return result
