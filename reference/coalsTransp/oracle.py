"""B = A^T, bit for bit."""

from grader.mistakes import with_row_length
from grader.oracle import Truth


def expected(A, height, width):
    """A is height x width float32; B is width x height."""
    return {"B": Truth(value=A.T)}


def mistakes(A, height, width, **_):
    """height and width swapped, in all indices or only where A is read."""
    swapped = A.reshape(width, height).T.reshape(width, height)
    read = with_row_length(A, height).T
    return {
        "height and width are swapped": {"B": Truth(value=swapped)},
        "rows of A are taken to be height long; they are width long": {"B": Truth(value=read)},
    }
