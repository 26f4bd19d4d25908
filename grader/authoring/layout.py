"""Drawings of arrays in memory for `grader show`: the offset of each element, and the index that is contiguous."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from grader.course.expressions import Expression

AXES = {
    1: ("element",),
    2: ("row", "column"),
    3: ("layer", "row", "column"),
}
"""Names of the dimensions, from the slowest to the contiguous one."""

INDEXES = {1: ("i",), 2: ("i", "j"), 3: ("k", "i", "j")}

COLUMNS, LINES = 3, 2
"""Elements that are drawn of a row; rows of a matrix, and layers and rows of a stack, that are drawn."""


def in_words(shape: Sequence[Expression]) -> str:
    """Return a shape in words, such as "height rows, width columns"."""
    axes = AXES.get(len(shape))
    if axes is None:
        return " x ".join(map(str, shape))
    return ", ".join(f"{extent} {axis}{'' if extent == 1 else 's'}" for extent, axis in zip(shape, axes, strict=True))


def drawing(shape: Sequence[Expression]) -> Iterator[str]:
    """Yield the lines of a drawing. An array of one element, or of more than three dimensions, has none."""
    axes, indexes = AXES.get(len(shape)), INDEXES.get(len(shape))
    if axes is None or indexes is None or set(shape) == {1}:
        return
    *outer, last = shape
    drawn = [range(min(LINES, extent) if isinstance(extent, int) else LINES) for extent in outer]
    rows = [(_heading(axes, place), _row(shape, place, last)) for place in product(*drawn)]
    heading = max(len(words) for words, _ in rows)
    columns = [max(len(cells[i]) for _, cells in rows) for i in range(len(rows[0][1]))]
    for words, cells in rows:
        offsets = "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, columns, strict=True))
        yield f"{words:<{heading}}   {offsets}".strip()
    if outer:
        place = ", ".join(f"{axis} {index}" for axis, index in zip(axes, indexes, strict=True))
        yield f"element {_offset(shape, indexes)} is {place}; {indexes[-1]} is contiguous"


def _heading(axes: Sequence[str], place: Sequence[int]) -> str:
    return ", ".join(f"{axis} {index}" for axis, index in zip(axes, place, strict=False))


def _row(shape: Sequence[Expression], place: Sequence[int], last: Expression) -> tuple[str, ...]:
    """Return the offsets of the first elements of a row; dots stand for the others."""
    steps = [_product(index, shape[axis + 1 :]) for axis, index in enumerate(place)]
    names = [words for words, _ in steps if words]
    start = sum(number for _, number in steps)
    shown = range(min(COLUMNS, last) if isinstance(last, int) else COLUMNS)
    cells = tuple(_sum(names, start + column) for column in shown)
    return (*cells, "...") if not isinstance(last, int) or last > COLUMNS else cells


def _product(index: int, extents: Sequence[Expression]) -> tuple[str, int]:
    """Return an index times the extents of the faster dimensions: as a product with names, or as a number."""
    number = index * prod(extent for extent in extents if isinstance(extent, int))
    names = [_factor(extent) for extent in extents if not isinstance(extent, int)]
    if number == 0 or not names:
        return "", number
    return "*".join([*([str(number)] if number > 1 else []), *names]), 0


def _sum(names: Sequence[str], number: int) -> str:
    return " + ".join([*names, *([str(number)] if number or not names else [])])


def _offset(shape: Sequence[Expression], indexes: Sequence[str]) -> str:
    """Return the offset of an element: "(k*height + i)*width + j"."""
    offset, *others = indexes
    for extent, index in zip(shape[1:], others, strict=True):
        offset = f"{f'({offset})' if ' ' in offset else offset}*{_factor(extent)} + {index}"
    return offset


def _factor(extent: Expression) -> str:
    """Return an extent as a factor. An expression with an operator needs brackets, unlike a name or a call."""
    words = str(extent)
    return words if words.replace("_", "").isalnum() else f"({words})"
