"""Describes parts of a matrix in words, such as the last row, every 16th column, or the partial blocks."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Blocks = Mapping[str, int]
"""Side lengths of the blocks in which kernels work, by the names of the constants, such as {"TILE": 16}."""

FILLED = 0.95
"""Minimum share of a region that the mask must cover for the region to be reported. The rest may differ by chance, for
example if a wrong sum of small integers has the right value. Outside the region, the mask must be empty.
"""

FEW = 4
"""Maximum number of rows at the end that are described by their number. Longer ranges are described by
their first row.
"""


def place(mask: Mask, blocks: Blocks, *, is_vector: bool = False) -> str | None:
    """Describe the place of the true elements of a 2-D mask, in words that follow "in". Returns None if they do not
    form a simple shape, or if all or none of the elements are true. A vector is one row, whose columns are called
    elements.
    """
    if not mask.any():
        return None
    shapes = (_elements,) if is_vector else (_band, _border, _off_diagonal, _run)
    found = (shape(mask, blocks, filled) for filled in (1.0, FILLED) for shape in shapes)  # exact shapes first
    return next((words for words in found if words), None)


def _elements(mask: Mask, blocks: Blocks, filled: float) -> str | None:
    """Describe some elements of a vector."""
    which = mask[0]
    words = None if which.all() else _lines(which, "element", blocks)
    return words or _run(mask, blocks, filled)


def _band(mask: Mask, blocks: Blocks, filled: float) -> str | None:
    """Describe some rows, some columns, or the intersection of both."""
    rows, columns = np.any(mask, axis=1, keepdims=True)[:, 0], np.any(mask, axis=0, keepdims=True)[0]
    if not fills(mask, rows[:, None] & columns, filled) or (rows.all() and columns.all()):
        return None
    words = [
        None if which.all() else _lines(which, noun, blocks) or ""
        for which, noun in ((rows, "row"), (columns, "column"))
    ]
    if "" in words:
        return None
    return " within ".join(each for each in words if each)


def _border(mask: Mask, blocks: Blocks, filled: float) -> str | None:
    """Describe some rows together with some columns."""
    rows, columns = mask.mean(axis=1) >= filled, mask.mean(axis=0) >= filled
    if rows.all() or columns.all() or not rows.any() or not columns.any():
        return None
    if not fills(mask, rows[:, None] | columns, filled):
        return None
    down, across = _lines(rows, "row", blocks), _lines(columns, "column", blocks)
    if down is None or across is None:
        return None
    return f"{down} and in {across}"


def _off_diagonal(mask: Mask, blocks: Blocks, filled: float) -> str | None:
    """Describe all blocks except those on the diagonal."""
    rows, columns = np.arange(mask.shape[0])[:, None], np.arange(mask.shape[1])
    for name, side in blocks.items():
        region = rows // side != columns // side
        if region.any() and fills(mask, region, filled):
            return f"the {side} x {side} blocks ({name}) off the diagonal"
    return None


def _run(mask: Mask, _blocks: Blocks, filled: float) -> str | None:
    """Describe a range of elements in the order of memory."""
    flat = mask.reshape(-1)
    hull = _hull(flat)
    if hull.all() or not fills(flat, hull, filled):
        return None
    words = _lines(hull, "element", {})
    return words and (words if mask.shape[0] == 1 else f"{words} in the order of memory")


def _hull(flat: Mask) -> Mask:
    """Mask of all elements from the first true one to the last. If the true elements are equally spaced, the mask has
    the same spacing.
    """
    held = np.flatnonzero(flat)
    steps = np.diff(held)
    step = int(steps[0]) if steps.size and (steps == steps[0]).all() else 1
    hull = np.zeros_like(flat)
    hull[held[0] : held[-1] + 1 : step] = True
    return hull


def fills(mask: Mask, region: Mask, filled: float) -> bool:
    """True if the mask does not cover anything outside the region, and covers at least the share `filled` of the
    region.
    """
    return not (mask & ~region).any() and bool(np.count_nonzero(mask) >= filled * np.count_nonzero(region))


PAIR = 2
"""Number of elements in a pair. Two elements are always one period apart, so a pair does not establish a rule."""


def _lines(which: Mask, noun: str, blocks: Blocks) -> str | None:
    """Describe some of the rows or columns; None if they do not follow a simple rule."""
    held, extent = np.flatnonzero(which), which.size
    first, count = int(held[0]), held.size
    if count == 1:
        return f"the last {noun}" if extent > 1 and first == extent - 1 else f"{noun} {first:,}"
    if int(held[-1]) - first == count - 1:
        return _range(first, count, extent, noun, blocks)
    words = _periodic(which, noun, blocks)
    return f"{noun}s {first:,} and {int(held[-1]):,}" if words is None and count == PAIR else words


def _range(first: int, count: int, extent: int, noun: str, blocks: Blocks) -> str:
    if first + count < extent:
        return f"the first {count:,} {noun}s" if first == 0 else f"{noun}s {first:,} to {first + count - 1:,}"
    for name, side in blocks.items():
        if first and extent % side and first == extent // side * side:
            beyond = "beyond the only whole block" if first == side else "which do not fill a whole block"
            return f"{noun}s from {first:,} on, {beyond} ({name} = {side})"
        if first == side:
            return f"{noun}s from {first:,} on, beyond the first block ({name} = {side})"
    return f"the last {count:,} {noun}s" if count <= FEW else f"{noun}s from {first:,} on"


def _periodic(which: Mask, noun: str, blocks: Blocks) -> str | None:
    held = np.flatnonzero(which)
    steps = np.diff(held)
    period = int(steps[0])
    is_rule = held.size > PAIR or period in blocks.values()
    if is_rule and (steps == period).all() and held[0] < period and held[-1] + period >= which.size:
        named = next((f" ({name} = {side})" for name, side in blocks.items() if side == period), "")
        every = f"every other {noun}" if period == 2 else f"every {_ordinal(period)} {noun}"
        return f"{every}{named}, from {noun} {held[0]:,} on"
    for name, side in blocks.items():
        if _is_of_every_other_block(which, side):
            return f"every other block of {side} {noun}s ({name}), from {noun} {held[0]:,} on"
        places = np.unique(held % side)
        run = int(places[-1]) - int(places[0]) == places.size - 1
        if run and np.array_equal(which, np.isin(np.arange(which.size) % side, places)):
            return f"{noun}s {places[0]} to {places[-1]} of every {side} ({name})"
    return None


def _is_of_every_other_block(which: Mask, side: int) -> bool:
    """True if the mask consists of the first, third, fifth block and so on, or of all other blocks."""
    odd = np.arange(which.size) // side % 2
    return which.size > 3 * side and (np.array_equal(which, odd == 0) or np.array_equal(which, odd == 1))


def _ordinal(number: int) -> str:
    teen = number // 10 % 10 == 1
    return f"{number:,}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
