"""Exclusive prefix sums of n whole numbers, modulo 2^32, and what becomes of them if sums or tiles go wrong."""

import numpy as np

from grader.oracle import Truth


def expected(x, TILE, **_):
    """Return the sum before each element, and for each tile the sum of its elements and of all elements before it."""
    totals = _totals(x, TILE)
    return {
        "before": _truth(_before(x)),
        "totals": _truth(totals),
        "offsets": _truth(_before(totals)),
    }


def states(x, n, TILE, **_):
    """Yield the sums within the tiles and the sum of each tile, then the offsets of the tiles, then all sums."""
    totals = _totals(x, TILE)
    offsets = _before(totals)
    before = _before(x)
    yield {"before": _truth(before - offsets[np.arange(n) // TILE]), "totals": _truth(totals)}
    yield {"offsets": _truth(offsets)}
    yield {"before": _truth(before)}


def mistakes(x, n, WG, TILE, **_):
    """Inclusive sums, elements and steps that are left out, and offsets that are wrong."""
    i = np.arange(n)
    tile = i // TILE
    totals, before = _totals(x, TILE), _before(x)
    offsets = _before(totals)
    within = before - offsets[tile]
    lasts = x[np.minimum(np.arange(len(totals)) * TILE + TILE - 1, n - 1)]  # of the tiles

    def in_parts(size):
        """Return the offsets if totals are scanned in parts of a size, each of which begins with 0."""
        return offsets - offsets[np.arange(len(totals)) // size * size]

    elements = {
        "the sum contains the element itself, as in an inclusive scan": before + x,
        "each element is the sum within its tile: no offset is added": within,
        "a work-item scans its own four elements only": before - before[i // 4 * 4],
        "within a tile, the sums of the work-items before are left out": before - before[i // 4 * 4] + offsets[tile],
        "nothing is added up: each element is copied": x,
        "each element is only the element before it": np.append([0], x[:-1]),
    }
    tiles = {
        "the offset of a tile contains the sum of the tile itself": np.cumsum(totals),
        "the offset is only the sum of the tile before, not of all tiles before": np.append([0], totals[:-1]),
        "totals are scanned in parts of WG, and nothing is carried from one part to the next": in_parts(WG),
        "totals are scanned in parts of TILE, and nothing is carried from one part to the next": in_parts(TILE),
    }
    lacking = totals - lasts
    return {
        **{words: {"before": _truth(each)} for words, each in elements.items()},
        **{words: {"before": _truth(within + each[tile]), "offsets": _truth(each)} for words, each in tiles.items()},
        "the total of a tile lacks its last element": {
            "before": _truth(within + _before(lacking)[tile]),
            "totals": _truth(lacking),
        },
    }


def _before(x):
    """Return the sum of all elements before each element."""
    return np.cumsum(x, dtype=np.int64) - x


def _totals(x, size):
    return np.add.reduceat(x, np.arange(0, len(x), size), dtype=np.int64)


def _truth(sums):
    """Return the last 32 bits of each sum, as additions of uint in OpenCL make them."""
    return Truth(value=np.asarray(sums, np.int64) & 0xFFFFFFFF)
