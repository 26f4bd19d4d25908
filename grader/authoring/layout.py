"""Drawings for `grader show` of how an array is laid out in memory: the offsets of the first elements, and the
formula.
"""

from collections.abc import Iterator, Sequence

from grader.course.expressions import Expression

AXES = {
    1: ("element",),
    2: ("row", "column"),
    3: ("layer", "row", "column"),
}
"""Names of the dimensions, from the slowest-varying to the contiguous one."""

NAMED_LIKE_AXES = frozenset({"layers", "rows", "columns", "cols"})
"""Names of sizes that already name the dimension."""

INDEXES = {"layer": "k", "row": "i", "column": "j"}
"""Index variable of each dimension in the formula."""

COLUMNS = 3
"""Number of elements drawn in each row."""


def in_words(shape: Sequence[Expression]) -> str:
    """Return a shape in words, such as "height rows, width columns". If a size already has the name of a
    dimension, the result is as in "rows x cols".
    """
    axes = AXES.get(len(shape))
    if axes is None or (len(shape) > 1 and NAMED_LIKE_AXES & set(map(str, shape))):
        return " x ".join(map(str, shape))
    return ", ".join(f"{extent} {axis}{'' if extent == 1 else 's'}" for extent, axis in zip(shape, axes, strict=True))


def drawing(shape: Sequence[Expression]) -> Iterator[str]:
    """Yield the lines of a drawing: two rows of a matrix and the formula. A vector needs no drawing."""
    if len(shape) == 2:
        yield from _two_rows(shape[1])
    if len(shape) in {2, 3}:
        axes = AXES[len(shape)]
        place = ", ".join(f"{axis} {INDEXES[axis]}" for axis in axes)
        yield f"{place} is at offset {_offset(shape, [INDEXES[axis] for axis in axes])}; a row is contiguous"


def _two_rows(columns: Expression) -> Iterator[str]:
    """Yield two lines, one below the other, with the offsets of the first elements of two rows."""
    shown = range(min(COLUMNS, columns) if isinstance(columns, int) else COLUMNS)
    first, second = [str(j) for j in shown], [_sum(columns, j) for j in shown]
    more = [] if columns == len(shown) else ["..."]
    widths = [max(map(len, pair)) for pair in zip(first, second, strict=True)]
    for row, offsets in enumerate((first, second)):
        cells = [f"{offset:<{width}}" for offset, width in zip(offsets, widths, strict=True)]
        yield "  ".join([f"row {row} ", *cells, *more]).rstrip()


def _sum(columns: Expression, j: int) -> str:
    if isinstance(columns, int):
        return str(columns + j)
    return f"{_factor(columns)} + {j}" if j else str(columns)


def _offset(shape: Sequence[Expression], indexes: Sequence[str]) -> str:
    """Return the offset of an element as a formula, such as "(k*height + i)*width + j"."""
    offset, *others = indexes
    for extent, index in zip(shape[1:], others, strict=True):
        offset = f"{f'({offset})' if ' ' in offset else offset}*{_factor(extent)} + {index}"
    return offset


def _factor(extent: Expression) -> str:
    """Return an extent as a factor. An expression with an operator needs brackets."""
    words = str(extent)
    return words if words.replace("_", "").isalnum() else f"({words})"
