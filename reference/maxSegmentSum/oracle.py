"""result = the sum of x and its largest sums of segments, by an operator that does not commute."""

import numpy as np

from grader.oracle import Truth

FIELDS = [("sum", "i8"), ("prefix", "i8"), ("suffix", "i8"), ("best", "i8")]


def expected(x, WG, ITEMS, **_):
    """Sums of 16-bit numbers stay far from the limits of int: of 2^24 random ones, they are about 10^8."""
    return _truth(of_rows(_rows(x, WG * ITEMS)), x)


def states(x, WG, ITEMS, **_):
    """Yield the intervals of the blocks, then the interval of all words."""
    right = _truth(of_rows(_rows(x, WG * ITEMS)), x)
    yield from ({name: right[name]} for name in ("blocks", "result"))


def mistakes(x, WG, ITEMS, **_):
    """Intervals that are combined in another order than their words have, and parts of the operator that are missing."""

    def by_items(order, tree):
        """Reduce ITEMS words in each work-item, then WG intervals by a tree."""
        items = order(_rows(x, WG * ITEMS).reshape(-1, WG, ITEMS))
        return tree(of_rows(items.reshape(-1, ITEMS)).reshape(-1, WG))

    def in_place(items):
        return items

    def a_group_apart(items):
        return items.reshape(-1, ITEMS, WG).swapaxes(1, 2)

    made = {
        "a step of the tree combines halves, so the intervals are not neighbours": by_items(in_place, _by_halves),
        "the two intervals of each step are exchanged": by_items(in_place, lambda each: _by_neighbours(each[:, ::-1])),
        "a work-item reduces words that are WG apart, not neighbours": by_items(a_group_apart, _by_neighbours),
        "the tree lacks its last step, so the right half of a block is left out": by_items(
            in_place, lambda each: _by_neighbours(each[:, : WG // 2])
        ),
        "the largest sum lacks the segments that cross from one interval to the next": by_items(
            in_place, lambda each: _by_neighbours(each, crossing=False)
        ),
    }
    return {words: {"blocks": Truth(value=blocks)} for words, blocks in made.items()}


def _truth(blocks, x):
    return {"blocks": Truth(value=blocks), "result": Truth(value=of_rows(x.astype(np.int64)[None, :]))}


def _rows(x, length):
    """Return the words as rows of this length, with zeros at the end."""
    rows = np.zeros(-(-x.size // length) * length, np.int64)
    rows[: x.size] = x
    return rows.reshape(-1, length)


def of_rows(rows):
    """Return the interval of each row, from its sums up to each word."""
    sums = np.concatenate([np.zeros((rows.shape[0], 1), np.int64), rows.cumsum(axis=1)], axis=1)
    made = np.zeros(rows.shape[0], FIELDS)
    made["sum"], made["prefix"] = sums[:, -1], sums.max(axis=1)
    made["suffix"] = sums[:, -1] - sums.min(axis=1)
    made["best"] = (sums - np.minimum.accumulate(sums, axis=1)).max(axis=1)
    return made


def _combined(a, b, crossing):
    both = np.zeros(a.shape, FIELDS)
    both["sum"] = a["sum"] + b["sum"]
    both["prefix"] = np.maximum(a["prefix"], a["sum"] + b["prefix"])
    both["suffix"] = np.maximum(b["suffix"], b["sum"] + a["suffix"])
    both["best"] = np.maximum(np.maximum(a["best"], b["best"]), (a["suffix"] + b["prefix"]) * crossing)
    return both


def _by_neighbours(intervals, *, crossing=True):
    while intervals.shape[1] > 1:
        intervals = _combined(intervals[:, ::2], intervals[:, 1::2], crossing)
    return intervals[:, 0]


def _by_halves(intervals):
    while intervals.shape[1] > 1:
        half = intervals.shape[1] // 2
        intervals = _combined(intervals[:, :half], intervals[:, half:], crossing=True)
    return intervals[:, 0]
