"""C = A * B."""

import numpy as np

from grader.oracle import Truth


def expected(A, B, heightA, widthB, widthA):
    """A is heightA x widthA, B widthA x widthB, C heightA x widthB.

    An fp32 sum of K products errs by some u*sqrt(K)*(|A||B|), whatever the order of summation.
    """
    A, B = A.astype(np.float64), B.astype(np.float64)
    return {"C": Truth(value=A @ B, magnitude=np.abs(A) @ np.abs(B))}
