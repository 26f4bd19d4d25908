"""Prefix sums: the truth that results are compared with. It must not share code with a kernel."""

import numpy as np

from grader.oracle import Truth


def expected(x, TILE, **_):  # noqa: N803 - name of a constant
    """Return the truth: the sum up to each element. `totals` is only compared in cases with `alone`."""
    return {"sum": _truth(_sums(x)), "totals": _truth(_totals(x, TILE))}


def states(x, n, TILE, **_):  # noqa: N803
    """Yield the right arrays after each launch, for cases with `alone`: sums within the tiles, then all sums."""
    yield {"sum": _truth(_within(x, n, TILE)), "totals": _truth(_totals(x, TILE))}
    yield {"sum": _truth(_sums(x))}


def mistakes(x, n, TILE, **_):  # noqa: N803
    """Return the sums that common mistakes produce, likeliest first. If a result equals one of them, the student sees
    its key.
    """
    results = {
        "each element is the sum within its tile: no total is added": _within(x, n, TILE),
        "the totals that are added contain the total of the tile itself": _sums(x) + _totals(x, TILE)[np.arange(n) // TILE],
        "the sum leaves out the element itself": _sums(x) - x,
    }
    return {words: {"sum": _truth(value)} for words, value in results.items()}


def _sums(x):
    return np.cumsum(x, dtype=np.int64)


def _totals(x, size):
    return np.add.reduceat(x, np.arange(0, len(x), size), dtype=np.int64)


def _within(x, n, size):
    """Return the sum up to each element within its tile."""
    totals = _totals(x, size)
    return _sums(x) - (np.cumsum(totals) - totals)[np.arange(n) // size]


def _truth(sums):
    """Return the last 32 bits of each sum, like an addition of uint in OpenCL."""
    return Truth(value=sums & 0xFFFFFFFF)
