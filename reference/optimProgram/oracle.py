"""The recurrence accum = a*a - accum along every row."""

import numpy as np

from grader.mistakes import stored_with_row_length, with_row_length
from grader.oracle import Truth


def expected(A, height, width, **_):
    """A and B are height x width.

    The error of an element grows by at most u*(a^2 + |accum|) a step, with or without fma,
    so its magnitude is the sum of those terms so far.
    """
    value, magnitude = _recurrence(np.square(_by_step(A), dtype=np.float64))
    return {"B": Truth(value=value.T, magnitude=magnitude.T)}


def mistakes(A, height, width, CHUNK, **_):
    """accum lost between chunks; a wrong start or a wrong update of accum."""
    squares = np.square(_by_step(A), dtype=np.float64)
    made = {
        "accum is lost between chunks, as if each were the first": _by_chunk(squares, CHUNK),
        "rows of A and B are taken to be height long, not width": _misindexed(A, height),
        "accum starts at 1, not at 0": _recurrence(squares, start=1.0),
        "accum is added to a*a, not subtracted from it": _recurrence(squares, carry=1.0),
        "a*a is subtracted from accum, not accum from a*a": _recurrence(-squares, carry=1.0),
        "accum is not carried from column to column, so that each result is a*a alone": _recurrence(squares, carry=0.0),
        "a itself is used, not its square": _recurrence(_by_step(A).astype(np.float64)),
        "accum is stored before it is updated": _late(squares),
    }
    return {words: {"B": Truth(value=v.T, magnitude=m.T)} for words, (v, m) in made.items()}


def _by_step(A):
    """A with a step of the recurrence in one row."""
    return np.ascontiguousarray(A.T)


def _misindexed(A, length):
    """Return the recurrence on rows of another length, for reads and for stores."""
    read = np.square(with_row_length(A, length).T, dtype=np.float64)
    return [stored_with_row_length(array.T, length).T for array in _recurrence(read)]


def _recurrence(squares, start=0.0, carry=-1.0):
    """Return accum = squares[col] + carry * accum and its magnitude, one step per row."""
    value, magnitude = np.empty_like(squares), np.empty_like(squares)
    accum = total = np.full(squares.shape[1], start)
    for col, square in enumerate(squares):
        accum = square + carry * accum
        total = total + np.abs(square) + np.abs(accum)
        value[col], magnitude[col] = accum, total
    return value, magnitude


def _by_chunk(squares, chunk):
    """Return the results if accum restarts in every chunk."""
    chunks = [_recurrence(squares[first : first + chunk]) for first in range(0, len(squares), chunk)]
    return [np.concatenate(parts) for parts in zip(*chunks, strict=True)]


def _late(squares):
    """Return the results if accum is stored before its update: each is the result of the column before."""
    value, magnitude = _recurrence(squares)
    value[1:] = value[:-1].copy()
    value[0] = 0
    return value, magnitude
