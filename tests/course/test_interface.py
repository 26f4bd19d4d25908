"""interface.py: types and values of arguments that do not exist are refused."""

import pytest
from courses import ADDITION, refusal

BUFFERS = ADDITION["buffers"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"buffers": {**BUFFERS, "x": {"shape": ["n"], "type": "flaot", "data": "zeros"}}},
            "buffers.x.type: there is no type flaot; write one of float, int,",
        ),
        (
            {"scalars": {"a": {"type": "float4", "value": [1, 2]}}},
            "the scalar a must be a list of 4 numbers for the type float4",
        ),
    ],
)
def test_an_argument_that_fits_no_type_is_refused(tmp_path, changes, words):
    """A type that does not exist and a value of another form are refused with their names."""
    assert words in refusal(tmp_path, changes)
