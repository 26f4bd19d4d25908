"""C = A * B."""

import numpy as np

from grader.mistakes import by_columns, stored_with_row_length, with_row_length, with_stale_words, with_tiles_turned
from grader.oracle import Truth


def expected(A, B, **_):
    """A is heightA x widthA, B widthA x widthB, C heightA x widthB.

    An fp32 sum of K products errs by some u*sqrt(K)*(|A||B|), in every order of summation.
    """
    A, B = A.astype(np.float64), B.astype(np.float64)
    return {"C": Truth(value=A @ B, magnitude=np.abs(A) @ np.abs(B))}


def mistakes(A, B, heightA, widthB, widthA, TILE, **_):
    """Guards with a wrong test, missing steps along k, row lengths of another size."""
    truth = expected(A, B)["C"]
    whole = widthA // TILE * TILE  # first word of the last, partial step
    last = (widthA - 1) // TILE * TILE  # first word of the last step
    made = {
        "past the end of k the tiles still hold the step before": (
            with_stale_words(A, TILE, axis=1),
            with_stale_words(B, TILE, axis=0),
        ),
        "the last, ragged step along k is left out": (A[:, :whole], B[:whole]),
        "only the last step along k counts, as if the sum restarted in every step": (A[:, last:], B[last:]),
        "only the first step along k counts": (A[:, :TILE], B[:TILE]),
        "the first product of every sum (k = 0) is left out": (A[:, 1:], B[1:]),
        "the last product of every sum (k = widthA - 1) is left out": (A[:, :-1], B[:-1]),
        "rows of B are taken to be widthA long, not widthB": (A, with_row_length(B, widthA)),
        "rows of B are taken to be heightA long, not widthB": (A, with_row_length(B, heightA)),
        "rows of A are taken to be widthB long, not widthA": (with_row_length(A, widthB), B),
        "rows of A are taken to be heightA long, not widthA": (with_row_length(A, heightA), B),
        "B is read by columns, at [col * widthA + k]": (A, by_columns(B)),
        "A is read by columns, at [k * heightA + row]": (by_columns(A), B),
        "the tile of B is used with its rows and columns swapped": (A, with_tiles_turned(B, TILE)),
        "the tile of A is used with its rows and columns swapped": (with_tiles_turned(A, TILE), B),
    }
    results = {
        "work-items outside C stage nothing, so the others miss words of both tiles": _staged_inside(A, B, TILE),
        **{words: a.astype(np.float64) @ b.astype(np.float64) for words, (a, b) in made.items()},
    }
    for name, length in {"widthA": widthA, "heightA": heightA}.items():
        words = f"rows of C are taken to be {name} long, not widthB"
        results[words] = stored_with_row_length(truth.value, length)
    return {words: {"C": Truth(value=value, magnitude=truth.magnitude)} for words, value in results.items()}


def _staged_inside(A, B, tile):
    """The product if a word counts as zero unless the work-item that stages it computes an element of C.

    In the last blocks of C, that leaves the first products of each step alone.
    """
    place = np.arange(A.shape[1]) % tile  # position of a product in its step
    A, B = A.astype(np.float64), B.astype(np.float64)
    result = np.zeros((A.shape[0], B.shape[1]))
    for row in range(0, A.shape[0], tile):
        for col in range(0, B.shape[1], tile):
            staged = (place < A.shape[0] - row) & (place < B.shape[1] - col)
            block = slice(row, row + tile), slice(col, col + tile)
            result[block] = A[block[0]][:, staged] @ B[staged][:, block[1]]
    return result
