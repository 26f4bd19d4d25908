"""B = A^T, bit for bit."""

from grader.mistakes import stored_with_row_length, with_row_length
from grader.oracle import Truth


def expected(A, height, width, **_):
    """A is height x width float32; B is width x height."""
    return {"B": Truth(value=A.T)}


def mistakes(A, height, width, **_):
    """height and width swapped: in all indices, only in the reads of A, or only in the writes of B."""
    made = {
        "height and width are swapped": A.reshape(width, height).T.reshape(width, height),
        "rows of A are taken to be height long, not width": with_row_length(A, height).T,
        "rows of B are taken to be width long, not height": stored_with_row_length(A.T, width),
    }
    return {words: {"B": Truth(value=value)} for words, value in made.items()}
