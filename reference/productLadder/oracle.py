"""C = A * B, all n x n."""

import numpy as np

from grader.mistakes import cut_to_half, rounded_to_half, with_stale_words, with_tiles_turned
from grader.oracle import Truth


def expected(A, B, **_):
    """A, B and C are n x n.

    An fp32 sum of n products errs by some u*sqrt(n)*(|A||B|), in every order of summation.
    """
    A, B = A.astype(np.float64), B.astype(np.float64)
    return {"C": Truth(value=A @ B, magnitude=np.abs(A) @ np.abs(B))}


def mistakes(A, B, n, TILE, **_):
    """Sums not cleared or without some products, wrong operands or operands with fewer bits, wrong use of tiles."""
    whole = n // TILE * TILE  # first word of the last, partial step of mmBlock
    last = (n - 1) // TILE * TILE  # first word of its last step
    made = {
        "the last product of every sum (k = n - 1) is left out": (A[:, :-1], B[:-1]),
        "the first product of every sum (k = 0) is left out": (A[:, 1:], B[1:]),
        "only the last product of every sum (k = n - 1) counts": (A[:, -1:], B[-1:]),
        "B is read by columns, at [j * n + k]": (A, B.T),
        "A is read by columns, at [k * n + i]": (A.T, B),
        "A and B are swapped": (B, A),
        "the last, ragged tile along k is left out": (A[:, :whole], B[:whole]),
        "only the last tile along k counts, as if the sum restarted in every step": (A[:, last:], B[last:]),
        "past the end of k the tiles still hold the step before": (
            with_stale_words(A, TILE, axis=1),
            with_stale_words(B, TILE, axis=0),
        ),
        "the tile of B is used with its rows and columns swapped": (A, with_tiles_turned(B, TILE)),
        "the tile of A is used with its rows and columns swapped": (with_tiles_turned(A, TILE), B),
        "A and B are rounded to half floats": (rounded_to_half(A), rounded_to_half(B)),
        "A and B are cut to the ten bits of mantissa of a half float": (cut_to_half(A), cut_to_half(B)),
    }
    results = {words: a.astype(np.float64) @ b.astype(np.float64) for words, (a, b) in made.items()}
    right = expected(A, B)["C"]
    made = {words: {"C": Truth(value=value, magnitude=right.magnitude)} for words, value in results.items()}
    running = Truth(value=right.value.cumsum(axis=1), magnitude=right.magnitude.cumsum(axis=1))
    return {**made, "the sum is not cleared for a new column, so it also holds the columns before": {"C": running}}
