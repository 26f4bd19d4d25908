"""C = A * B."""

import numpy as np

from grader.mistakes import (
    by_columns,
    cut_to_half,
    rounded_to_half,
    stored_with_row_length,
    with_row_length,
    with_tiles_turned,
)
from grader.oracle import Truth


def expected(A, B, heightA, widthB, widthA, **_):
    """A is heightA x widthA, B widthA x widthB, C heightA x widthB.

    An fp32 sum of K products errs by some u*sqrt(K)*(|A||B|), in every order of summation.
    """
    A, B = A.astype(np.float64), B.astype(np.float64)
    return {"C": Truth(value=A @ B, magnitude=np.abs(A) @ np.abs(B))}


def mistakes(A, B, heightA, widthB, widthA, RT, **_):
    """Missing steps along k, row lengths of another array, transposed tiles, operands with fewer bits."""
    whole = widthA // RT * RT  # first word of the last, partial step
    last = (widthA - 1) // RT * RT  # first word of the last step
    magnitude = np.abs(A.astype(np.float64)) @ np.abs(B.astype(np.float64))
    made = {
        "the last, ragged step along k is left out": (A[:, :whole], B[:whole]),
        "only the last step along k counts, as if the sum restarted in every step": (A[:, last:], B[last:]),
        "only the first step along k counts": (A[:, :RT], B[:RT]),
        "the first product of every sum (k = 0) is left out": (A[:, 1:], B[1:]),
        "the last product of every sum (k = widthA - 1) is left out": (A[:, :-1], B[:-1]),
        "the first of the RT products of every step along k is left out": _without(A, B, 0, RT),
        "the last of the RT products of every step along k is left out": _without(A, B, RT - 1, RT),
        "rows of B are taken to be widthA long, not widthB": (A, with_row_length(B, widthA)),
        "rows of B are taken to be heightA long, not widthB": (A, with_row_length(B, heightA)),
        "rows of A are taken to be widthB long, not widthA": (with_row_length(A, widthB), B),
        "rows of A are taken to be heightA long, not widthA": (with_row_length(A, heightA), B),
        "B is read by columns, at [col * widthA + k]": (A, by_columns(B)),
        "A is read by columns, at [k * heightA + row]": (by_columns(A), B),
        "the tile of B is used with its rows and columns swapped": (A, with_tiles_turned(B, RT)),
        "the tile of A is used with its rows and columns swapped": (with_tiles_turned(A, RT), B),
        "A and B are rounded to half floats": (rounded_to_half(A), rounded_to_half(B)),
        "A and B are cut to the ten bits of mantissa of a half float": (cut_to_half(A), cut_to_half(B)),
    }
    results = {words: a.astype(np.float64) @ b.astype(np.float64) for words, (a, b) in made.items()}
    right = A.astype(np.float64) @ B.astype(np.float64)
    for name, length in {"widthA": widthA, "heightA": heightA}.items():
        words = f"rows of C are taken to be {name} long, not widthB"
        results[words] = stored_with_row_length(right, length)
    return {words: {"C": Truth(value=value, magnitude=magnitude)} for words, value in results.items()}


def _without(A, B, place, tile):
    """Return the operands without the products at this position of every step."""
    kept = np.arange(B.shape[0]) % tile != place
    return A[:, kept], B[kept]
