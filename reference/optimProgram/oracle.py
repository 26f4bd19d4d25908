"""The recurrence accum = a*a - accum along every row."""

import numpy as np

from grader.oracle import Truth


def expected(A, height, width):
    """A and B are height x width.

    The error of an element grows by at most u*(a^2 + |accum|) a step, with or without fma,
    so its magnitude is the sum of those terms so far.
    """
    squares = np.square(np.ascontiguousarray(A.T), dtype=np.float64)  # a step of the recurrence is then one row
    value = np.empty_like(squares)
    magnitude = np.empty_like(squares)
    accum = total = np.zeros(height)
    for col in range(width):
        accum = squares[col] - accum
        total = total + squares[col] + np.abs(accum)
        value[col], magnitude[col] = accum, total
    return {"B": Truth(value=value.T, magnitude=magnitude.T)}
