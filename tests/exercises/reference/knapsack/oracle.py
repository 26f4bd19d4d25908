"""The largest profit for each load, computed item by item from the heaviest load down."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, items, capacity, **_):
    """Return weights of at most a third of the capacity, and profits whose sum needs 64 bits unless the data are
    integers.
    """
    most = 8 if data == "integers" else 2**60 // items
    return {
        "weights": generator.integers(1, max(capacity // 3, 1), items, endpoint=True),
        "profits": generator.integers(1, most, items, endpoint=True),
    }


def expected(weights, profits, capacity, **_):
    """Return the largest profits, computed in one array of 64-bit integers that is updated in place."""
    return {"best": Truth(value=_best(weights, profits, capacity))}


def mistakes(weights, profits, capacity, **_):
    """Return the profits if items may be taken several times, may never fill the load exactly, or if the last item is
    missing.
    """
    often = [0] * (capacity + 1)
    for weight, profit in zip(weights.tolist(), profits.tolist(), strict=True):
        for load in range(weight, capacity + 1):
            often[load] = max(often[load], (often[load - weight] + profit) % 2**64)
    return {
        "an item may be taken several times": {"best": Truth(value=np.array(often, np.uint64))},
        "an item that fills the load exactly is left out": {"best": Truth(value=_best(weights, profits, capacity, 1))},
        "the last item is left out": {"best": Truth(value=_best(weights[:-1], profits[:-1], capacity))},
    }


def _best(weights, profits, capacity, spare=0):
    best = np.zeros(capacity + 1, np.uint64)
    for weight, profit in zip(weights, profits, strict=True):
        taken = best[: max(best.size - weight, 0)] + profit
        taken[:spare] = 0
        best[weight:] = np.maximum(best[weight:], taken)
    return best
