"""Tests of structured inputs for oracle.py."""

import numpy as np
import pytest

from grader.common.errors import InputError
from grader.oracle import ascending, csr, image, permutation, text


@pytest.fixture
def generator():
    """A generator that draws the same numbers in each run."""
    return np.random.default_rng(5)


@pytest.mark.parametrize(("rows", "columns", "entries"), [(1, 1, 1), (1, 9, 9), (40, 30, 0), (40, 30, 400), (7, 5, 35)])
def test_a_sparse_matrix_has_all_entries_once_in_ascending_columns(generator, rows, columns, entries):
    """Starts and places describe as many different entries as asked for, in order, within the matrix."""
    starts, places = csr(generator, rows, columns, entries)
    assert (starts[0], starts[-1], len(starts), len(places)) == (0, entries, rows + 1, entries)
    row = np.repeat(np.arange(rows), np.diff(starts.astype(np.int64)))
    keys = row * columns + places
    assert (np.diff(keys) > 0).all()
    assert (places < columns).all()


def test_the_rows_of_a_sparse_matrix_differ(generator):
    """Some rows are empty and one is several times as long as the average, as in real matrices."""
    lengths = np.diff(csr(generator, 200, 300, 2000)[0].astype(np.int64))
    assert (lengths == 0).sum() > 10
    assert lengths.max() > 3 * lengths.mean()


def test_more_entries_than_places_are_refused(generator):
    """A matrix that cannot exist is refused in a sentence, not in an endless loop."""
    with pytest.raises(InputError, match="7 entries do not fit in 2 rows of 3 columns"):
        csr(generator, 2, 3, 7)


def test_a_text_consists_of_its_characters(generator):
    """Characters are drawn from the given ones only, and a character that is given twice is drawn more often."""
    made = text(generator, 3000, b"aab")
    assert set(made.tobytes()) == set(b"ab")
    assert (made == ord("a")).sum() > 1800


@pytest.mark.parametrize("channels", [1, 4])
def test_an_image_has_edges_in_all_channels(generator, channels):
    """Neighbours differ strongly at some places in each channel, so that a filter changes the image."""
    made = image(generator, 37, 50, channels)
    assert (made.shape, made.dtype) == ((37, 50, channels), np.uint8)
    assert (np.abs(np.diff(made.astype(int), axis=0)).max(axis=(0, 1)) > 30).all()


def test_an_image_may_have_one_pixel(generator):
    """The smallest image is made, too."""
    assert image(generator, 1, 1, 3).shape == (1, 1, 3)


def test_sorted_numbers_and_permutations(generator):
    """Sorted numbers ascend within their range. A permutation has each number once."""
    made = ascending(generator, 100, 3, 9)
    assert (np.diff(made) >= 0).all()
    assert set(made) == set(range(3, 10))
    assert sorted(permutation(generator, 50)) == list(range(50))
