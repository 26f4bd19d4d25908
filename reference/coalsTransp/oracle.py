"""B = A^T, bit for bit."""

from grader.oracle import Truth


def expected(A, height, width):
    """A is height x width float32; B is width x height."""
    return {"B": Truth(value=A.T)}
