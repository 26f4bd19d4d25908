"""Structured inputs that an assignment's oracle.py can return: sparse matrices, graphs, texts, images, and sorted or
permuted numbers. Each function takes the generator of `inputs` first.
"""

import numpy as np
from numpy.typing import NDArray

from grader.common.errors import InputError

EMPTY_ROWS = 0.15
"""Share of the rows of a sparse matrix without entries, unless the other rows do not have enough room."""

EDGES, NOISE = 8, 8
"""Number of rectangles in an image, and the largest noise in one of its numbers."""


def csr(
    generator: np.random.Generator, rows: int, columns: int, entries: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return `starts` (rows + 1) and `places` (entries) of a sparse matrix in compressed rows, or of a graph.

    Row r has the entries starts[r] to starts[r + 1] - 1. Its places are columns in ascending order without duplicates,
    and they are spread over the row. Rows differ: some are empty, and the longest are many times as long as the
    average.
    """
    if entries > rows * columns:
        raise InputError(f"{entries} entries do not fit in {rows} rows of {columns} columns.")
    lengths = _lengths(generator, rows, columns, entries)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    length = np.repeat(lengths, lengths)
    place = np.arange(entries) - np.repeat(starts[:-1], lengths)
    first, end = -(-place * columns // length), -(-(place + 1) * columns // length)  # each entry has some columns
    return starts.astype(np.uint32), generator.integers(first, end).astype(np.uint32)


def _lengths(generator: np.random.Generator, rows: int, columns: int, entries: int) -> NDArray[np.int64]:
    """Return the numbers of entries of the rows."""
    weights = generator.exponential(size=rows) ** 2
    weights[generator.random(rows) < EMPTY_ROWS] = 0
    if not weights.any():
        weights[:] = 1
    lengths = np.minimum(generator.multinomial(entries, weights / weights.sum()), columns)
    while missing := entries - lengths.sum():
        room = columns - lengths
        lengths += np.minimum(generator.multinomial(missing, room / room.sum()), room)
    return lengths


def text(generator: np.random.Generator, length: int, characters: bytes) -> NDArray[np.uint8]:
    """Return a text. Each character is drawn from `characters`, where a frequent one occurs several times."""
    return generator.choice(np.frombuffer(characters, dtype=np.uint8), length)


def image(generator: np.random.Generator, height: int, width: int, channels: int) -> NDArray[np.uint8]:
    """Return an image [height, width, channels] with a gradient, sharp edges and noise, so that a filter changes it."""
    rows, columns = np.mgrid[:height, :width]
    slopes = generator.uniform(-2, 2, (2, channels))
    values = 128 + rows[..., None] * slopes[0] + columns[..., None] * slopes[1]
    for _ in range(EDGES):
        top, left = generator.integers(0, height), generator.integers(0, width)
        bottom, right = generator.integers(top, height) + 1, generator.integers(left, width) + 1
        values[top:bottom, left:right] += generator.uniform(-128, 128, channels)
    values += generator.integers(-NOISE, NOISE, values.shape, endpoint=True)
    pixels: NDArray[np.uint8] = (np.rint(values) % 256).astype(np.uint8)
    return pixels


def ascending(generator: np.random.Generator, length: int, low: int, high: int) -> NDArray[np.int64]:
    """Return whole numbers from `low` to `high` in ascending order, with duplicates where the range is small."""
    return np.sort(generator.integers(low, high, length, endpoint=True))


def permutation(generator: np.random.Generator, length: int) -> NDArray[np.int64]:
    """Return the numbers from 0 to length - 1 in random order."""
    return generator.permutation(length)
