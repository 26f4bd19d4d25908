"""Sorted keys, and the counts and the order of the first pass."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, n, **_):
    """Keys of all bits, or small ones, that are not sorted already."""
    keys = generator.integers(0, 16 if data == "integers" else 2**32, n)
    return {"keys": keys if np.any(keys[1:] < keys[:-1]) else keys[::-1]}


def expected(keys, **_):
    """The method of NumPy knows no digits."""
    return {"keys": Truth(value=np.sort(keys))}


def states(keys, tiles, TILE, DIGITS, **_):
    """The arrays after each launch of the first pass."""
    digits = keys % DIGITS
    rows = np.arange(keys.size) // TILE
    counts = np.zeros((DIGITS, tiles), dtype=np.int64)
    np.add.at(counts, (digits, rows), 1)
    flat = counts.reshape(-1)
    yield {"counts": Truth(value=flat)}
    yield {"counts": Truth(value=np.cumsum(flat) - flat)}
    yield {"other": Truth(value=keys[np.argsort(digits, kind="stable")])}


def mistakes(keys, **_):
    """Passes that are missing, and other orders."""
    made = {
        "the keys are in descending order": np.sort(keys)[::-1],
        "the highest four bits are left out": keys[np.argsort(keys % 2**28, kind="stable")],
        "the keys are sorted as numbers with a sign": np.sort(keys.view(np.int32)).view(np.uint32),
    }
    return {words: {"keys": Truth(value=value)} for words, value in made.items()}
