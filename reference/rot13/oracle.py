"""Each letter 13 places further in the alphabet; every other character unchanged."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, n, **_):
    """A text of printable ASCII characters and line ends."""
    return {"text": generator.integers(32, 127, n, dtype=np.uint8)}


def expected(text, **_):
    """Text is n uint8."""
    table = np.arange(256, dtype=np.uint8)
    for first in (ord("A"), ord("a")):
        letters = np.arange(26)
        table[first + letters] = first + (letters + 13) % 26
    return {"coded": Truth(value=table[text])}
