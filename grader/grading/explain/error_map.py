"""Draws a map of the wrong blocks of an array that is small enough for a report, and its lines of text."""

import numpy as np

from grader.grading.explain.regions import Blocks, Mask
from grader.results.findings import ErrorMap

ROWS, COLUMNS = 20, 40
"""Maximum number of rows and columns of a map. A character is about twice as high as wide, so a map of this size looks
square.
"""

RIGHT, PARTLY, WRONG, UNWRITTEN = ".", "+", "#", "o"


def error_map(buffer: str, wrong: Mask, unwritten: Mask, blocks: Blocks) -> ErrorMap:
    """The map of a 2-D array. A cell is a part of a kernel's block or consists of whole blocks, so it never crosses the
    edge of a block.
    """
    side = min(blocks.values(), default=1)
    block = (_cell(wrong.shape[0], ROWS, side), _cell(wrong.shape[1], COLUMNS, side))
    some, every, never = _any(wrong, block), ~_any(~wrong, block), ~_any(~unwritten, block)
    cells = np.select([never, every, some], [UNWRITTEN, WRONG, PARTLY], RIGHT)
    return ErrorMap(
        buffer=buffer, shape=(wrong.shape[0], wrong.shape[1]), block=block, cells=tuple("".join(row) for row in cells)
    )


def _cell(extent: int, most: int, side: int) -> int:
    """The smallest cell size that gives at most `most` cells. It is a divisor of the block's side, or the side times
    2^n.
    """
    divisors = [size for size in range(1, side + 1) if side % size == 0]
    size = next((size for size in divisors if extent <= size * most), side)
    while extent > size * most:
        size *= 2
    return size


def _any(mask: Mask, block: tuple[int, int]) -> Mask:
    """Mask of the blocks in which at least one element of a mask is true."""
    by_row = np.logical_or.reduceat(mask, range(0, mask.shape[0], block[0]), axis=0)
    found: Mask = np.logical_or.reduceat(by_row, range(0, mask.shape[1], block[1]), axis=1)
    return found


MEANINGS = {RIGHT: "right", PARTLY: "some wrong", WRONG: "wrong", UNWRITTEN: "not written"}


def informative(error_map: ErrorMap | None) -> ErrorMap | None:
    """Return the map if some of its cells differ. If all are alike, the message already states that."""
    return error_map if error_map is not None and len(set("".join(error_map.cells))) > 1 else None


def legend(error_map: ErrorMap) -> str:
    """Describe the array, the size of a cell, and the meanings of the signs that occur."""
    rows, columns = error_map.block
    cells = "element by element" if rows == columns == 1 else f"in cells of {rows:,} x {columns:,}"
    used = set("".join(error_map.cells))
    signs = "  ".join(f"{sign} {meaning}" for sign, meaning in MEANINGS.items() if sign in used)
    return f"{error_map.buffer} {cells}:  {signs}"


def as_text(error_map: ErrorMap | None) -> str:
    """Return the legend with the map below it, or "" if there is no informative map."""
    shown = informative(error_map)
    return "\n".join((legend(shown), *shown.cells)) if shown is not None else ""
