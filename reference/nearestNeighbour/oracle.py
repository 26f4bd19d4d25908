"""The nearest of all points for every query, and the squared distance to it."""

import numpy as np

from grader.mistakes import by_columns
from grader.oracle import Truth


def expected(queries, points, **_):
    """Queries and points have four whole numbers from -8 to 8 each, so that all distances are exact in fp32.

    nearest has one number per query, the first of several nearest points. distance has the squared distance to it.
    """
    return _truths(*_least(_squares(queries, points)))


def mistakes(queries, points, pointCount, CHUNK, **_):
    """Ties, numbers, chunks that are left out or count too much, and other distances than the squared one."""
    squares = _squares(queries, points)
    nearest, distance = _least(squares)
    whole = pointCount // CHUNK * CHUNK  # first point of the last, partial chunk
    last = (pointCount - 1) // CHUNK * CHUNK  # first point of the last chunk
    nought = np.zeros_like(distance)
    padded = np.concatenate([points, np.zeros((-pointCount % CHUNK, 4), np.float32)])
    made = {
        "of several nearest points the last is taken, not the first": (
            pointCount - 1 - np.argmin(squares[:, ::-1], axis=1),
            None,
        ),
        "the number of a point is counted from the start of its chunk": (nearest % CHUNK, None),
        "the last, ragged chunk of points is left out": _least(squares[:, :whole]),
        "only the last chunk of points counts, as if the search restarted in every chunk": _least(
            squares[:, last:], first=last
        ),
        "only the first chunk of points is searched": _least(squares[:, :CHUNK]),
        "past the last point a chunk holds points at (0, 0, 0, 0), and they count": _least(_squares(queries, padded)),
        "the first point is left out": _least(squares[:, 1:], first=1),
        "the last point is left out": _least(squares[:, :-1]),
        "the smallest distance starts at 0, so no point is nearer": (nought, nought),
        "the farthest point is found": (np.argmax(squares, axis=1), squares.max(axis=1)),
        "the distance is stored, not its square": (None, np.sqrt(distance)),
        "the last of the four coordinates is left out": _least(_squares(queries[:, :3], points[:, :3])),
        "absolute differences are added up, not their squares": _least(_absolutes(queries, points)),
        "points are read by columns, at [coordinate * pointCount + p]": _least(_squares(queries, by_columns(points))),
        "queries are read by columns, at [coordinate * queryCount + q]": _least(_squares(by_columns(queries), points)),
    }
    return {words: _truths(*found) for words, found in made.items()}


def _truths(nearest, distance):
    """Return the arrays by name. None leaves out an array that is right."""
    arrays = {"nearest": nearest, "distance": distance}
    return {name: Truth(value=array) for name, array in arrays.items() if array is not None}


def _least(distances, first=0):
    """Return the number of the nearest point, counted from `first`, and its distance; NaN without points."""
    if not distances.shape[1]:
        return np.full(len(distances), np.nan), np.full(len(distances), np.nan)
    nearest = np.argmin(distances, axis=1)
    return first + nearest, np.take_along_axis(distances, nearest[:, None], axis=1)[:, 0]


def _squares(queries, points):
    """Squared distances, queries x points: q*q - 2*q*p + p*p as one product of matrices, which is the fastest.

    Whole numbers as small as these are exact with every formula.
    """
    ones_of_queries, ones_of_points = (np.ones(len(array), np.float32) for array in (queries, points))
    left = np.column_stack([np.square(queries).sum(axis=1), -2 * queries, ones_of_queries])
    right = np.column_stack([ones_of_points, points, np.square(points).sum(axis=1)])
    return left @ right.T


def _absolutes(queries, points):
    return sum(np.abs(queries[:, d, None] - points[:, d]) for d in range(4))
