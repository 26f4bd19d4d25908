"""C = A + B, bit for bit: a single addition has only one rounded result."""

from grader.oracle import Truth


def expected(A, B, **_):
    """A, B and C are n float32 each."""
    return {"C": Truth(value=A + B)}


def mistakes(A, B, **_):
    """Another operation, or one of the arrays left out."""
    made = {
        "C is A alone": A,
        "C is B alone": B,
        "A is added to itself": A + A,
        "B is added to itself": B + B,
        "B is subtracted from A": A - B,
        "A is subtracted from B": B - A,
        "A and B are multiplied": A * B,
    }
    return {words: {"C": Truth(value=value)} for words, value in made.items()}
