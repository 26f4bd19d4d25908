"""mistakes.py: the results of typical wrong indices in a matrix, checked element by element."""

import numpy as np
import pytest

from grader.course.truth.mistakes import (
    by_columns,
    cut_to_half,
    rounded_to_half,
    stored_with_row_length,
    with_row_length,
    with_stale_words,
    with_tiles_turned,
)

MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("length", [3, 4, 5])
def test_reading_with_another_row_length(length):
    """Element (i, j) is read from index i * length + j, and is unknown past the end."""
    read = with_row_length(MATRIX, length)
    for i in range(3):
        for j in range(4):
            place = i * length + j
            assert np.isnan(read[i, j]) if place >= 12 else read[i, j] == place


def test_storing_with_another_row_length():
    """A place to which two elements are stored is unknown, and so is a place to which none is stored."""
    stored = stored_with_row_length(MATRIX, 3).reshape(-1)
    assert np.array_equal(stored, [0, 1, 2, np.nan, 5, 6, np.nan, 9, 10, 11, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(stored_with_row_length(MATRIX, 4), MATRIX)


def test_reading_by_columns():
    """Element (i, j) is read from index j * rows + i."""
    read = by_columns(MATRIX)
    assert all(read[i, j] == j * 3 + i for i in range(3) for j in range(4))


def test_turned_tiles_stay_in_their_place():
    """Each tile is transposed within its place, and partial tiles get zeros from beyond the edge."""
    turned = with_tiles_turned(MATRIX, 2)
    assert turned.tolist() == [[0, 4, 2, 6], [1, 5, 3, 7], [8, 0, 10, 0]]


def test_past_the_end_tiles_hold_the_step_before():
    """Words past the end have the values of the previous step, or unknown values if there was none.

    A matrix that consists of whole tiles has no such words.
    """
    assert with_stale_words(MATRIX, 2, axis=0).tolist() == [*MATRIX.tolist(), MATRIX[1].tolist()]
    assert with_stale_words(MATRIX, 3, axis=1)[:, 4:].tolist() == MATRIX[:, 1:3].tolist()
    assert np.isnan(with_stale_words(MATRIX, 5, axis=1)[:, 4:]).all()
    assert with_stale_words(MATRIX, 2, axis=1).tolist() == MATRIX.tolist()


def test_half_floats_keep_ten_bits():
    """Half floats have ten bits: cutting goes towards zero, rounding to the nearest value. Exact values stay."""
    numbers = np.array([1 + 2**-10, 1 + 2**-11 + 2**-13, -1 - 2**-11 - 2**-13, 0.5], dtype=np.float32)
    assert cut_to_half(numbers).tolist() == [1 + 2**-10, 1, -1, 0.5]
    assert rounded_to_half(numbers).tolist() == [1 + 2**-10, 1 + 2**-10, -1 - 2**-10, 0.5]
