"""A stable partition of n whole numbers, and what becomes of it if places or elements go wrong."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, n, percent, pivot, **_):
    """Whole numbers around the pivot, of which `percent` of 100 are below it. Some are equal to the pivot.

    Random numbers are up to 2^30 away from the pivot, small ones up to 8.
    """
    away = generator.integers(1, 8 if data == "integers" else 2**30, n, endpoint=True)
    is_low = generator.random(n) < percent / 100
    return {"x": np.where(is_low, pivot - away, pivot + (away - 1) * (generator.random(n) < 0.9))}


def expected(x, n, pivot, TILE, **_):
    """Return the elements below the pivot and the others. For tiles, return the numbers of elements below the pivot, and
    the numbers of such elements before each tile and in all.
    """
    return _arrays(x, x < pivot, TILE)


def states(x, pivot, TILE, **_):
    """Yield the counts of the tiles, then their starts, then the result."""
    right = _arrays(x, x < pivot, TILE)
    yield from ({name: right[name]} for name in ("counts", "starts", "result"))


def mistakes(x, n, pivot, WG, TILE, **_):
    """Other predicates and orders, and elements that go to wrong places."""
    is_low = x < pivot
    i = np.arange(n)
    tile = i // TILE
    counts = _counts(is_low, TILE)
    starts = np.cumsum(counts) - counts
    before = np.cumsum(is_low) - is_low  # elements below the pivot before each
    places = np.where(is_low, before, is_low.sum() + i - before)

    def moved(to):
        """Return the result if elements go to these places; NaN where none goes, and where several go."""
        made, arrived = np.full(n, np.nan), np.zeros(n, int)
        inside = (to >= 0) & (to < n)
        made[to[inside]] = x[inside]
        np.add.at(arrived, to[inside], 1)
        return np.where(arrived == 1, made, np.nan)

    by_tiles = np.concatenate([_partitioned(x[a : a + TILE], is_low[a : a + TILE]) for a in range(0, n, TILE)])
    made = {
        "the elements that are not below the pivot are in reverse order": np.concatenate([x[is_low], x[~is_low][::-1]]),
        "the elements are sorted": np.sort(x),
        "each tile is partitioned by itself": by_tiles,
        "nothing moves": x,
        "each place is one too large, as from an inclusive scan": moved(places + 1),
        "the number of elements below the pivot before the tile is left out": moved(
            np.where(is_low, before - starts[tile], places)
        ),
        "the others begin behind the elements below the pivot of the tiles before, not of all tiles": moved(
            np.where(is_low, before, starts[tile] + i - before)
        ),
    }
    predicates = {
        "elements that are equal to the pivot come first, too": x <= pivot,
        "the elements that are not below the pivot come first": ~is_low,
    }
    short = np.append(starts, counts[:-1].sum())
    return {
        **{words: {"result": Truth(value=value)} for words, value in made.items()},
        **{words: _arrays(x, is_first, TILE) for words, is_first in predicates.items()},
        "the number of all elements below the pivot lacks the last tile": {
            "result": Truth(value=moved(np.where(is_low, before, places - counts[-1]))),
            "starts": Truth(value=short),
        },
    }


def _arrays(x, is_first, size):
    """Return the result if these elements come first, and the counts and starts of the tiles."""
    counts = _counts(is_first, size)
    return {
        "result": Truth(value=_partitioned(x, is_first)),
        "counts": Truth(value=counts),
        "starts": Truth(value=np.append([0], np.cumsum(counts))),
    }


def _partitioned(x, is_first):
    return np.concatenate([x[is_first], x[~is_first]])


def _counts(is_low, size):
    return np.add.reduceat(is_low, np.arange(0, len(is_low), size), dtype=np.int64)
