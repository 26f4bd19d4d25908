"""interface.py: types and values of arguments that do not exist are refused."""

import re

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


@pytest.mark.parametrize(
    ("field", "name"), [("buffers", "in"), ("constants", "lambda"), ("scalars", "is"), ("values", "not")]
)
def test_a_keyword_of_python_is_no_name_of_an_argument_of_the_oracle(tmp_path, field, name):
    """oracle.py gets arrays, scalars, constants and values by name, and a keyword cannot be the name of a parameter.
    The message gives the line.
    """
    added = {"buffers": {"shape": ["n"], "data": "zeros"}, "scalars": {"type": "int", "value": 1}}.get(field, 1)
    said = refusal(tmp_path, {field: {**ADDITION.get(field, {}), name: added}})
    words = f"oracle.py gets {name} as an argument, but `{name}` is a Python keyword; rename it."
    assert re.search(rf"assignment\.yaml, line \d+: {re.escape(words)}$", said), said


def test_a_keyword_of_python_is_no_name_of_a_size(tmp_path):
    """A size is an argument of oracle.py, too."""
    assert "oracle.py gets from as an argument" in refusal(tmp_path, {"sizes": ["n", "from"]})
