"""How often each value occurs among n bytes."""

import numpy as np

from grader.oracle import Truth


def expected(data, BINS, **_):
    """Count n uint8; the counts are BINS uint32."""
    return {"counts": Truth(value=np.bincount(data, minlength=BINS))}


def mistakes(data, n, WG, GROUPS, BINS, **_):
    """Bytes that are left out or counted twice, and counts that go wrong."""
    grid = GROUPS * WG
    bins = np.arange(BINS)
    counts = np.bincount(data, minlength=BINS)

    def of(words):
        return np.bincount(words, minlength=BINS)

    made = {
        "each work-item counts one byte only": of(data[:grid]),
        "each work-item counts one group of four bytes only": of(data[: 4 * grid]),
        "the bytes beyond the last whole grid are left out": of(data[: n // grid * grid]),
        "the last one to three bytes are left out": of(data[: n // 4 * 4]),
        "the first byte is left out": of(data[1:]),
        "the last byte is left out": of(data[:-1]),
        "work-items advance by WG bytes, not by a whole grid": sum(of(data[g * WG :]) for g in range(GROUPS)),
        "only the first WG counts are added to the result": np.where(bins < WG, counts, 0),
        "a group stores 1 for each value that occurs, not how often it occurs": np.minimum(counts, 1),
        "each value is counted as the next smaller one": np.append(counts[1:], 0),
        "count b is the number of bytes up to b": np.cumsum(counts),
        "nothing is counted": np.zeros_like(counts),
    }
    return {words: {"counts": Truth(value=value)} for words, value in made.items()}
