"""The sorted keys, and the counts and the order of keys after the first pass."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, n, **_):
    """Return keys that are not sorted already. They use all 32 bits, or only the lowest digit with `integers`."""
    keys = generator.integers(0, 16 if data == "integers" else 2**32, n)
    return {"keys": keys if np.any(keys[1:] < keys[:-1]) else keys[::-1]}


def expected(keys, **_):
    """Return the keys, sorted by NumPy, which does not work digit by digit as the kernels do."""
    return {"keys": Truth(value=np.sort(keys))}


def states(keys, tiles, TILE, DIGITS, **_):
    """Yield the arrays after each launch of the first pass."""
    digits = keys % DIGITS
    rows = np.arange(keys.size) // TILE
    counts = np.zeros((DIGITS, tiles), dtype=np.int64)
    np.add.at(counts, (digits, rows), 1)
    flat = counts.reshape(-1)
    yield {"counts": Truth(value=flat)}
    yield {"counts": Truth(value=np.cumsum(flat) - flat)}
    yield {"other": Truth(value=keys[np.argsort(digits, kind="stable")])}


def mistakes(keys, **_):
    """Return keys in descending order, without the last pass, or sorted as signed numbers."""
    made = {
        "the keys are in descending order": np.sort(keys)[::-1],
        "the highest four bits are left out": keys[np.argsort(keys % 2**28, kind="stable")],
        "the keys are sorted as numbers with a sign": np.sort(keys.view(np.int32)).view(np.uint32),
    }
    return {words: {"keys": Truth(value=value)} for words, value in made.items()}
