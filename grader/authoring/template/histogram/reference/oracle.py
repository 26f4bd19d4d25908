"""Counts of bytes: the truth that results are compared with. It must not share code with a kernel."""

import numpy as np

from grader.oracle import Truth


def expected(data, **_):
    """Return the truth: how often each value is in `data`, an array of n numbers from 0 to 255 (uint8).

    Whole numbers need no magnitude, because they must be equal.
    """
    return {"counts": Truth(value=np.bincount(data, minlength=256))}


def mistakes(data, n, GROUP, CHUNK, **_):  # noqa: N803 - names of constants
    """Return the counts as common mistakes make them, likeliest first. The words explain a result that equals one."""
    place = np.arange(n)
    results = {
        "each work-item counts only one byte of its chunk": data[place % CHUNK < GROUP],
        "the last, incomplete chunk is left out": data[: n // CHUNK * CHUNK],
        "the last byte is left out": data[:-1],
    }
    return {words: {"counts": Truth(value=np.bincount(seen, minlength=256))} for words, seen in results.items()}
