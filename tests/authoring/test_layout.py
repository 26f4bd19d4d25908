"""layout.py: drawings of arrays for `grader show`."""

import numpy as np
import pytest

from grader.authoring.layout import drawing, in_words


def test_a_vector_is_named_and_not_drawn():
    """A vector is described by its number of elements and has no drawing."""
    assert (in_words(("n",)), list(drawing(("n",)))) == ("n elements", [])
    assert (in_words((1,)), list(drawing((1,)))) == ("1 element", [])


def test_a_matrix_shows_where_its_second_row_begins():
    """The drawing of a matrix shows the offsets of its first two rows and a formula for all rows."""
    assert in_words(("height", "width")) == "height rows, width columns"
    assert in_words(("rows", "cols")) == "rows x cols", "not rows rows"
    assert list(drawing(("height", "width"))) == [
        "row 0   0      1          2          ...",
        "row 1   width  width + 1  width + 2  ...",
        "row i, column j is at offset i*width + j; a row is contiguous",
    ]


def test_a_stack_has_a_formula():
    """An array of three dimensions has a formula but no drawing. An array of four dimensions has neither."""
    assert in_words(("d", "h", 2)) == "d layers, h rows, 2 columns"
    assert list(drawing(("d", "h", 2))) == [
        "layer k, row i, column j is at offset (k*h + i)*2 + j; a row is contiguous"
    ]
    assert (in_words(("a", "b", "c", "d")), list(drawing(("a", "b", "c", "d")))) == ("a x b x c x d", [])


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_drawn_offsets_are_those_of_numpy(columns):
    """If the number of columns is known, the drawn offsets are the ones that NumPy computes. Dots replace columns after
    the third.
    """
    *rows, formula = drawing((2, columns))
    for row, expected in zip(rows, np.arange(2 * columns).reshape(2, columns), strict=True):
        words = row.split()[2:]
        assert words == [*map(str, expected[:3]), *(["..."] if columns == 4 else [])]
    assert f"offset i*{columns} + j" in formula


def test_an_expression_is_bracketed():
    """An extent that contains an operator is put in brackets if it is a factor or a summand."""
    _, second, formula = drawing(("h", "w + 2"))
    assert second == "row 1   w + 2  (w + 2) + 1  (w + 2) + 2  ..."
    assert "offset i*(w + 2) + j" in formula
