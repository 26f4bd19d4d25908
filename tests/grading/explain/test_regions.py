"""regions.py: describes the place of elements in an array in words if it is regular."""

import numpy as np
import pytest

from grader.grading.explain.regions import place

BLOCKS = {"TILE": 16}


def mask(height=53, width=90, rows=slice(None), columns=slice(None)):
    """Return a mask that is true in these rows and columns."""
    found = np.zeros((height, width), dtype=bool)
    found[rows, columns] = True
    return found


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (mask(rows=slice(52, None)), "the last row"),
        (mask(rows=slice(7, 8)), "row 7"),
        (mask(rows=slice(3)), "the first 3 rows"),
        (mask(rows=slice(-2, None)), "the last 2 rows"),
        (mask(columns=slice(20, 31)), "columns 20 to 30"),
        (mask(columns=slice(45, None)), "columns from 45 on"),
        (mask(columns=slice(80, None)), "columns from 80 on, which do not fill a whole block (TILE = 16)"),
        (mask(columns=slice(16, None)), "columns from 16 on, beyond the first block (TILE = 16)"),
        (mask(height=29, rows=slice(16, None)), "rows from 16 on, beyond the only whole block (TILE = 16)"),
        (mask(rows=slice(15, None, 16)), "every 16th row (TILE = 16), from row 15 on"),
        (mask(rows=slice(0, None, 3)), "every 3rd row, from row 0 on"),
        (mask(columns=slice(1, None, 2)), "every other column, from column 1 on"),
        (mask(columns=np.arange(90) % 16 >= 8), "columns 8 to 15 of every 16 (TILE)"),
        (mask(rows=slice(16, 32), columns=slice(4)), "rows 16 to 31 within the first 4 columns"),
        (mask(width=1, rows=slice(52, None)), "the last row"),
        (mask(height=1, columns=slice(32, 48)), "columns 32 to 47"),
    ],
)
def test_rows_and_columns_have_words(where, words):
    """Rows and columns are described as a single one, a range, every n-th one, the ones at an edge or the ones outside
    whole blocks.
    """
    assert place(where, BLOCKS) == words


def test_vectors_have_elements():
    """The place in a vector is described in elements, without mention of the order of memory."""
    row = mask(height=1, columns=slice(32, 48))
    assert place(row, BLOCKS, is_vector=True) == "elements 32 to 47"
    assert place(mask(height=1, columns=slice(89, None)), {}, is_vector=True) == "the last element"
    every = mask(height=1, columns=np.arange(90) // 16 % 2 == 0)
    assert place(every, BLOCKS, is_vector=True) == "every other block of 16 elements (TILE), from element 0 on"


def test_two_of_them_are_no_rule():
    """Two elements are not described by their distance, because any two elements have one, unless the distance is the
    side of a block.
    """
    assert place(mask(height=1, columns=[14, 52]), BLOCKS, is_vector=True) == "elements 14 and 52"
    blocks = place(mask(height=1, columns=[30, 75]), {"TILE": 45}, is_vector=True)
    assert blocks == "every 45th element (TILE = 45), from element 30 on"


def test_a_border_is_rows_and_columns():
    """Elements along two edges are described as rows and columns."""
    where = mask(rows=slice(48, None)) | mask(columns=slice(80, None))
    assert place(where, {}) == "rows from 48 on and in columns from 80 on"


def test_blocks_off_the_diagonal_have_a_name():
    """The blocks off the diagonal have their own description. They are wrong if blocks are transposed inside but not
    moved.
    """
    i, j = np.indices((64, 64))
    assert place(i // 16 != j // 16, BLOCKS) == "the 16 x 16 blocks (TILE) off the diagonal"


def test_memory_order_is_the_last_resort():
    """Elements that begin or end in the middle of a row are described in the order of memory, if no other description
    fits.
    """
    flat = np.zeros(53 * 90, dtype=bool)
    flat[1000:] = True
    assert place(flat.reshape(53, 90), BLOCKS) == "elements from 1,000 on in the order of memory"


def test_a_few_exceptions_within_a_place_are_chance():
    """A few correct elements inside a region of wrong ones are ignored, because a wrong sum of small integers can be
    right by chance.
    """
    where = mask(columns=slice(16, None))
    where[3, 40] = where[30, 60] = False
    assert place(where, BLOCKS).startswith("columns from 16 on")


def test_an_exception_outside_a_place_makes_it_untrue():
    """A region is not described if a single wrong element lies outside it."""
    where = mask(rows=slice(52, None))
    where[10, 44] = True
    assert place(where, BLOCKS) is None


@pytest.mark.parametrize("where", [mask(), ~mask(), np.random.default_rng(1).random((53, 90)) < 0.3])
def test_everything_nothing_and_noise_are_no_place(where):
    """A full mask, an empty mask and noise are not described."""
    assert place(where, BLOCKS) is None
