"""layout.py: drawings of arrays for `grader show`."""

import re
from math import prod

import pytest

from grader.authoring.layout import drawing, in_words


def test_a_vector_is_a_row_of_elements():
    """An array of one dimension is drawn as one row. An array of one element needs no drawing."""
    assert in_words(("n",)) == "n elements"
    assert list(drawing(("n",))) == ["0  1  2  ..."]
    assert list(drawing((2,))) == ["0  1"]
    assert (in_words((1,)), list(drawing((1,)))) == ("1 element", [])


def test_a_matrix_shows_where_its_second_row_begins():
    """Two rows of a matrix have their offsets below each other, and the formula names the contiguous index."""
    assert in_words(("height", "width")) == "height rows, width columns"
    assert list(drawing(("height", "width"))) == [
        "row 0   0      1          2          ...",
        "row 1   width  width + 1  width + 2  ...",
        "element i*width + j is row i, column j; j is contiguous",
    ]


def test_a_stack_shows_rows_of_two_layers():
    """An array of three dimensions shows two rows of each of two layers."""
    assert in_words(("d", "h", 2)) == "d layers, h rows, 2 columns"
    assert list(drawing(("d", "h", 2))) == [
        "layer 0, row 0   0        1",
        "layer 0, row 1   2        3",
        "layer 1, row 0   2*h      2*h + 1",
        "layer 1, row 1   2*h + 2  2*h + 3",
        "element (k*h + i)*2 + j is layer k, row i, column j; j is contiguous",
    ]


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (1, 7), (7, 1), (2, 1, 2)])
def test_offsets_are_those_of_row_major_order(shape):
    """With numbers as extents, each drawn offset is the element's place in row-major order."""
    rows = [line for line in drawing(shape) if not line.startswith("element")]
    drawn = [int(word) for line in rows for word in re.sub(r"(row|layer) \d+", "", line).split() if word.isdecimal()]
    last = min(3, shape[-1])
    starts = {"1": [0], "2": [0, shape[-1]], "3": [0, shape[-1], prod(shape[1:]), prod(shape[1:]) + shape[-1]]}
    assert set(drawn) <= {start + column for start in starts[str(len(shape))] for column in range(last)}
    assert len(drawn) == last * prod(min(2, extent) for extent in shape[:-1])


def test_an_expression_is_bracketed_and_a_fourth_dimension_is_not_drawn():
    """An extent with an operator stands in brackets. Four dimensions are only named."""
    assert list(drawing(("h", "w + 2")))[1].startswith("row 1   (w + 2)  (w + 2) + 1")
    assert (in_words(("a", "b", "c", "d")), list(drawing(("a", "b", "c", "d")))) == ("a x b x c x d", [])
