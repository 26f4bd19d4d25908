"""An implicit step of heat conduction by Jacobi's method, in as many iterations as the test for convergence needs."""

from dataclasses import dataclass, replace

import numpy as np

from grader.oracle import Truth

CONVERGED = 1e-18
"""An iteration in which the mean square of the residuals is below this is the last (`repeat` in assignment.yaml)."""

MOST = 60
"""Maximum number of iterations that any system needs."""

SHIFT = 4
"""The last iteration is up to this many iterations earlier or later than for a heat of about 1, so that kernels cannot
predict it."""

ROUNDED = 1e-26
"""Mean squares below this consist of rounding errors."""

UNIT_ROUNDOFF = 2.0**-53
"""u of double."""

ROUNDINGS = 64
"""Rounding errors of a residual, in units of u times its terms. Right kernels have fewer than 5, also if they compute
the residual from the change of a cell."""


def inputs(generator, data, height, width, flow, **_):
    """Return heat for which no mean square is close to CONVERGED.

    All numbers are positive, so no result is close to 0. An iteration at least halves the residuals. The heat is scaled
    so that CONVERGED is half-way, on a logarithmic scale, between the mean squares of the last two iterations. Large
    systems need more than 20 iterations, as many as timed runs have.
    """
    heat = generator.uniform(0.5, 1, (height, width))
    squares = list(_squares(heat, flow))
    last = next(iteration for iteration, square in enumerate(squares) if square < CONVERGED)
    last = max(1, last + generator.integers(-SHIFT, SHIFT, endpoint=True))
    while last > 1 and squares[last - 1] < ROUNDED:
        last -= 1
    between = np.sqrt(squares[last - 1] * max(squares[last], ROUNDED))
    return {"heat": heat * np.sqrt(CONVERGED / between)}


def _squares(heat, flow):
    """Yield the mean squares of the residuals, up to SHIFT iterations after the first that is small enough."""
    left = SHIFT
    for each in _iterations(heat, flow, MOST):
        square = np.mean(each.residual**2)
        yield square
        if square < CONVERGED:
            left -= 1
        if left < 0:
            return


def expected(heat, flow, iterations, ROWS, COLUMNS, **_):
    """Return the cells after the last iteration, in double precision as in the kernel, and the sums of squares."""
    last = _last(_iterations(heat, flow, iterations), CONVERGED)
    return {"new": Truth(value=last.cells), "squares": _sums(last, (ROWS, COLUMNS))}


def mistakes(heat, flow, iterations, ROWS, COLUMNS, **_):
    """Neighbours that are left out or taken from elsewhere, a wrong divisor, and too few or too many iterations."""
    y, x = np.indices(heat.shape)
    around = {
        "the neighbour above is left out": lambda u: _around(u, leave_out=0),
        "the neighbour below is left out": lambda u: _around(u, leave_out=1),
        "the left neighbour is left out": lambda u: _around(u, leave_out=2),
        "the right neighbour is left out": lambda u: _around(u, leave_out=3),
        "cells outside of the plate are as warm as the cells at its edge, not 0": lambda u: _sides(
            np.pad(u, 1, mode="edge")
        ),
        "cells outside of the plate are those at the opposite edge, not 0": lambda u: _sides(np.pad(u, 1, mode="wrap")),
        "neighbours in other tiles are 0: the rim of the tile is never loaded": lambda u: _within_tiles(
            u, y % ROWS, x % COLUMNS, (ROWS, COLUMNS)
        ),
    }
    results = {
        words: _last(_iterations(heat, flow, iterations, around=each), CONVERGED) for words, each in around.items()
    } | {
        "the sum is not divided by 1 + 4*flow": _last(_iterations(heat, flow, iterations, divisor=1), CONVERGED),
        "the sum is divided by 4, the number of neighbours": _last(
            _iterations(heat, flow, iterations, divisor=4), CONVERGED
        ),
        "the neighbours are subtracted, not added": _last(_iterations(heat, flow, iterations, sign=-1), CONVERGED),
        "the first iteration is the last, as if `squares` were 0": _last(_iterations(heat, flow, 1), CONVERGED),
        "iterations continue after convergence": _last(_iterations(heat, flow, iterations), 0),
        "the last iteration is one too early, as if squares of changes were added, not of residuals": _last(
            _iterations(heat, flow, iterations), CONVERGED * (1 + 4 * flow) ** 2
        ),
        "the values are rounded to float": _last(_iterations(heat, flow, iterations, rounded=np.float32), CONVERGED),
    }
    changes = _last(_iterations(heat, flow, iterations), CONVERGED)
    changes = replace(changes, residual=changes.residual / (1 + 4 * flow))
    return {words: {"new": Truth(value=last.cells)} for words, last in results.items()} | {
        "the squares of the changes are added, not of the residuals": {"squares": _sums(changes, (ROWS, COLUMNS))}
    }


@dataclass(frozen=True)
class Iteration:
    """The cells after an iteration, and the residuals before it. A residual is the difference of two terms, and `terms`
    is the sum of their absolute values.
    """

    cells: np.ndarray
    residual: np.ndarray
    terms: np.ndarray


def _iterations(heat, flow, most, around=None, divisor=None, sign=1, rounded=np.float64):
    """Yield each iteration. The first begins with 0."""
    old = np.zeros_like(heat)
    divisor = divisor or 1 + 4 * flow
    for _ in range(most):
        right, left = heat + sign * flow * (around or _around)(old), (1 + 4 * flow) * old
        old = (right / divisor).astype(rounded).astype(np.float64)
        yield Iteration(cells=old, residual=right - left, terms=np.abs(right) + np.abs(left))


def _last(iterations, converged):
    """Return the last iteration."""
    for each in iterations:
        if np.mean(each.residual**2) < converged:
            break
    return each


def _sums(last, tile):
    """Return the sum of the squared residuals of each group.

    An error e in a residual r changes its square by 2*r*e + e*e. A group adds its squares in any order.
    """
    error = ROUNDINGS * last.terms
    magnitude = 2 * np.abs(last.residual) * error + UNIT_ROUNDOFF * error**2 + np.prod(tile) * last.residual**2
    return Truth(value=_of_tiles(last.residual**2, tile), magnitude=_of_tiles(magnitude, tile))


def _of_tiles(numbers, tile):
    """Return the sum of the numbers in each tile, row by row."""
    (height, width), (rows, columns) = numbers.shape, tile
    padded = np.pad(numbers, ((0, -height % rows), (0, -width % columns)))
    return padded.reshape(padded.shape[0] // rows, rows, -1, columns).sum(axis=(1, 3)).ravel()


def _around(u, leave_out=None):
    """Return the sum of the four neighbours of each cell. Cells outside are 0."""
    return _sides(np.pad(u, 1), leave_out)


def _sides(padded, leave_out=None):
    sides = padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    return sum(side for number, side in enumerate(sides) if number != leave_out)


def _within_tiles(u, row, column, tile):
    """Return the sum of the neighbours that are in the same tile."""
    rows, columns = tile
    padded = np.pad(u, 1)
    above, below, left, right = padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    return above * (row > 0) + below * (row < rows - 1) + left * (column > 0) + right * (column < columns - 1)
