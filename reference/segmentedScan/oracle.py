"""Inclusive prefix sums of the segments of an array, and what becomes of them if flags or tiles are left out."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, n, length, **_):
    """Whole numbers from -100 to 100, of which no sums overflow, and flags with the probability 1/length."""
    return {"x": generator.integers(-100, 100, n, endpoint=True), "flags": generator.random(n) < 1 / length}


def expected(x, flags, n, TILE, **_):
    """Return the sum of each element's segment up to it. For each tile, the truth also has the sum of its last element,
    the place of its first flag, and the sum of its first segment before the tile.
    """
    begins = np.append(True, flags[1:] != 0)
    starts = np.arange(0, n, TILE)
    within = _segmented(x, begins | (np.arange(n) % TILE == 0))
    sums = _segmented(x, begins)
    totals = within[np.append(starts[1:], n) - 1]
    return {
        "sums": Truth(value=sums),
        "totals": Truth(value=totals),
        "firsts": Truth(value=_firsts(flags, TILE)),
        "carries": Truth(value=np.append([0], sums[starts[1:] - 1])),
    }


def states(**arguments):
    """Yield the sums within the tiles with the values that each tile passes on, then the carries, then all sums."""
    x, flags, size = (arguments[name] for name in ("x", "flags", "TILE"))
    right = expected(**arguments)
    begins = np.append(True, flags[1:] != 0) | (np.arange(len(x)) % size == 0)
    yield {"sums": Truth(value=_segmented(x, begins)), "totals": right["totals"], "firsts": right["firsts"]}
    yield {"carries": right["carries"]}
    yield {"sums": right["sums"]}


def mistakes(x, flags, n, WG, TILE, **_):
    """Flags that are ignored, carries that are lost or go too far, and elements on the wrong side of a flag."""
    begins = np.append(True, flags[1:] != 0)
    i = np.arange(n)
    tile, at_tile = i // TILE, i % TILE == 0
    sums, within = _segmented(x, begins), _segmented(x, begins | at_tile)
    totals, firsts = within[np.append(np.arange(TILE, n, TILE), n) - 1], _firsts(flags, TILE)
    carries = np.append([0], sums[np.arange(TILE, n, TILE) - 1])
    is_open = i % TILE < firsts[tile]
    own = x.astype(np.int64)

    elements = {
        "no segment ends: the sums go on over all flags": np.cumsum(own),
        "every tile begins a segment: no carry is added": within,
        "the carry is added to all elements of a tile, not only to those before its first flag": within + carries[tile],
        "the carry is also added to the element with the first flag": within
        + np.where(i % TILE <= firsts[tile], carries[tile], 0),
        "a sum lacks the element itself, as in an exclusive scan": sums - own,
        "a segment begins after the element with the flag, not with it": _segmented(
            x, np.append(True, begins[:-1] & (i[1:] > 1))
        ),
        "the sums of a segment lack the element with the flag": sums - own[_begins(begins)],
        "nothing is added up: each element is copied": own,
    }
    tiles = {
        "the carry is only the total of the tile before, also if the segment began earlier": np.append(
            [0], totals[:-1]
        ),
        "flags end no segment in the scan of the totals: the carry is the sum of all totals": np.cumsum(totals)
        - totals,
        "the carry of a tile contains the total of the tile itself": totals + np.where(firsts < TILE, 0, carries),
        "the totals are scanned in parts of WG, and nothing is carried from one part to the next": carries
        - np.where(_same_part(firsts, TILE, WG), carries[np.arange(len(totals)) // WG * WG], 0),
    }
    return {words: {"sums": Truth(value=value)} for words, value in elements.items()} | {
        words: {"sums": Truth(value=within + np.where(is_open, value[tile], 0)), "carries": Truth(value=value)}
        for words, value in tiles.items()
    }


def _segmented(x, begins):
    """Return the sums of the segments up to each element. Element 0 begins one."""
    all_before = np.cumsum(x, dtype=np.int64)
    first = _begins(begins)
    return all_before - all_before[first] + x[first]


def _begins(begins):
    """Return the place of the last beginning up to each element."""
    return np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))


def _firsts(flags, size):
    """Return the place of the first flag in each tile; the size of a tile if there is none."""
    padded = np.zeros(-(-len(flags) // size) * size, bool)
    padded[: len(flags)] = flags
    tiles = padded.reshape(-1, size)
    return np.where(tiles.any(axis=1), tiles.argmax(axis=1), size)


def _same_part(firsts, size, part):
    """Return for each tile if no tile of its part before it has a flag."""
    has_flag = firsts < size
    before = np.cumsum(has_flag) - has_flag
    return before == before[np.arange(len(firsts)) // part * part]
