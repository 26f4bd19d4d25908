"""The recurrence accum = a*a - accum along every row, and the transposed arrays around it."""

import numpy as np

from grader.mistakes import stored_with_row_length, with_row_length
from grader.oracle import Truth


def expected(A, height, width, **_):
    """A is height x width float32; B has its shape, Atr and Btr are transposed.

    The error of an element grows by at most u*(a^2 + |accum|) a step, with or without fma,
    so its magnitude is the sum of those terms so far.
    """
    Atr = np.ascontiguousarray(A.T)
    value, magnitude = _recurrence(np.square(Atr, dtype=np.float64))
    return {
        "Atr": Truth(value=Atr),
        "Btr": Truth(value=value, magnitude=magnitude),
        "B": Truth(value=value.T, magnitude=magnitude.T),
    }


def mistakes(A, height, width, **_):
    """Indices of arrays that are not transposed; a wrong start or a wrong update of accum."""
    Atr = np.ascontiguousarray(A.T)
    squares = np.square(Atr, dtype=np.float64)
    made = {
        "Atr and Btr are indexed as if they were A and B, at [row * width + col]": _untransposed(squares),
        "rows of Atr and Btr are taken to be width long, not height": _misindexed(squares, width),
        "accum starts at 1, not at 0": _recurrence(squares, start=1.0),
        "accum is added to a*a, not subtracted from it": _recurrence(squares, carry=1.0),
        "a*a is subtracted from accum, not accum from a*a": _recurrence(-squares, carry=1.0),
        "accum is not carried from column to column, so that each result is a*a alone": _recurrence(squares, carry=0.0),
        "a itself is used, not its square": _recurrence(Atr.astype(np.float64)),
        "accum is stored before it is updated": _late(squares),
    }
    return {words: {"Btr": Truth(value=v, magnitude=m)} for words, (v, m) in made.items()}


def _untransposed(squares):
    """Return the recurrence along the rows of a height x width matrix in the memory of Atr."""
    width, height = squares.shape
    rows = np.ascontiguousarray(squares.reshape(height, width).T)
    return [array.T.reshape(width, height) for array in _recurrence(rows)]


def _misindexed(squares, length):
    """Return the recurrence on rows of another length, for reads and for stores."""
    read = with_row_length(squares, length)
    return [stored_with_row_length(array, length) for array in _recurrence(read)]


def _recurrence(squares, start=0.0, carry=-1.0):
    """Return accum = squares[col] + carry * accum and its magnitude, one step per row."""
    value, magnitude = np.empty_like(squares), np.empty_like(squares)
    accum = total = np.full(squares.shape[1], start)
    for col, square in enumerate(squares):
        accum = square + carry * accum
        total = total + np.abs(square) + np.abs(accum)
        value[col], magnitude[col] = accum, total
    return value, magnitude


def _late(squares):
    """Return the results if accum is stored before its update: each is the result of the column before."""
    value, magnitude = _recurrence(squares)
    value[1:] = value[:-1].copy()
    value[0] = 0
    return value, magnitude
