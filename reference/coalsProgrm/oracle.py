"""The recurrence accum = a*a - accum along every row, and the transposed arrays around it."""

import numpy as np

from grader.oracle import Truth


def expected(A, height, width):
    """A is height x width float32; B has its shape, Atr and Btr are transposed.

    The error of an element grows by at most u*(a^2 + |accum|) a step, with or without fma,
    so its magnitude is the sum of those terms so far.
    """
    Atr = np.ascontiguousarray(A.T)
    squares = np.square(Atr, dtype=np.float64)
    value = np.empty_like(squares)
    magnitude = np.empty_like(squares)
    accum = total = np.zeros(height)
    for col in range(width):
        accum = squares[col] - accum
        total = total + squares[col] + np.abs(accum)
        value[col], magnitude[col] = accum, total
    return {
        "Atr": Truth(value=Atr),
        "Btr": Truth(value=value, magnitude=magnitude),
        "B": Truth(value=value.T, magnitude=magnitude.T),
    }
