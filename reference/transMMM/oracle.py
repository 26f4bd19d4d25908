"""C = A * B^T."""

import numpy as np

from grader.mistakes import (
    by_columns,
    cut_to_half,
    rounded_to_half,
    stored_with_row_length,
    with_row_length,
    with_stale_words,
    with_tiles_turned,
)
from grader.oracle import Truth


def expected(A, B, **_):
    """A is heightA x widthA, B heightB x widthA, C heightA x heightB.

    An fp32 sum of K products errs by some u*sqrt(K)*(|A||B|^T), in every order of summation.
    """
    A, B = A.astype(np.float64), B.astype(np.float64)
    return {"C": Truth(value=A @ B.T, magnitude=np.abs(A) @ np.abs(B.T))}


def mistakes(A, B, heightA, heightB, widthA, TILE, **_):
    """B used as if it were transposed already, wrong rows while staging, missing steps along k."""
    whole = widthA // TILE * TILE  # first word of the last, partial step
    last = (widthA - 1) // TILE * TILE  # first word of the last step
    made = {
        "B is not transposed: it is read at [k * heightB + col]": (A, by_columns(B)),
        "the tile of B is used with its rows and columns swapped": (A, with_tiles_turned(B, TILE)),
        "the tile of A is used with its rows and columns swapped": (with_tiles_turned(A, TILE), B),
        "the last, ragged step along k is left out": (A[:, :whole], B[:, :whole]),
        "only the last step along k counts, as if the sum restarted in every step": (A[:, last:], B[:, last:]),
        "only the first step along k counts": (A[:, :TILE], B[:, :TILE]),
        "the first product of every sum (k = 0) is left out": (A[:, 1:], B[:, 1:]),
        "the last product of every sum (k = widthA - 1) is left out": (A[:, :-1], B[:, :-1]),
        "the first of the TILE products of every step along k is left out": _without(A, B, 0, TILE),
        "the last of the TILE products of every step along k is left out": _without(A, B, TILE - 1, TILE),
        "past the end of k the tiles still hold the step before": (
            with_stale_words(A, TILE, axis=1),
            with_stale_words(B, TILE, axis=1),
        ),
        "rows of B are taken to be heightB long, not widthA": (A, with_row_length(B, heightB)),
        "rows of B are taken to be heightA long, not widthA": (A, with_row_length(B, heightA)),
        "rows of A are taken to be heightB long, not widthA": (with_row_length(A, heightB), B),
        "rows of A are taken to be heightA long, not widthA": (with_row_length(A, heightA), B),
        "A is read by columns, at [k * heightA + row]": (by_columns(A), B),
        "A and B are rounded to half floats": (rounded_to_half(A), rounded_to_half(B)),
        "A and B are cut to the ten bits of mantissa of a half float": (cut_to_half(A), cut_to_half(B)),
    }
    results = {words: a.astype(np.float64) @ b.astype(np.float64).T for words, (a, b) in made.items()}
    results["the guard of the load from B tests the row that is multiplied, not the one that is loaded from"] = (
        _staged_inside(A, B, TILE)
    )
    truth = expected(A, B)["C"]
    for name, length in {"widthA": widthA, "heightA": heightA}.items():
        words = f"rows of C are taken to be {name} long, not heightB"
        results[words] = stored_with_row_length(truth.value, length)
    return {words: {"C": Truth(value=value, magnitude=truth.magnitude)} for words, value in results.items()}


def _without(A, B, place, tile):
    """Return the operands without the products at this position of every step."""
    kept = np.arange(A.shape[1]) % tile != place
    return A[:, kept], B[:, kept]


def _staged_inside(A, B, tile):
    """The product if a word of B counts as zero unless the work-item that stages it has a column of C to compute.

    In the last block of columns, that leaves the first products of each step alone.
    """
    place = np.arange(A.shape[1]) % tile  # position of a product in its step
    A, B = A.astype(np.float64), B.astype(np.float64)
    result = A @ B.T
    last = (B.shape[0] - 1) // tile * tile  # the first column of the last block
    staged = place < B.shape[0] - last
    result[:, last:] = A[:, staged] @ B[last:, staged].T
    return result
