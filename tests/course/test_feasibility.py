"""feasibility.py: expressions without a usable value at some sizes are refused."""

import pytest
from courses import ADDITION, refusal

BUFFERS, CASES = ADDITION["buffers"], ADDITION["correctness"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"buffers": {**BUFFERS, "x": {**BUFFERS["x"], "space": "constant"}}},
            "the buffer x has 400,000 bytes at n 100000, but constant memory has 65,536; make it smaller, or leave out",
        ),
        ({"repeat": {"times": "n - 1"}}, '"n - 1" is less than 1'),
        ({"repeat": {"times": 20000}}, "a repetition has 20,000 iterations at n 1; state from 1 to 10,000"),
        (
            {"scalars": {"a": {"type": "uchar", "value": "n"}}},
            "the scalar a at n 1000: 1000 does not fit the type uchar; choose other sizes, or change the expression",
        ),
        ({"values": {"last": "n - 2"}}, "last at n 1: -1 does not fit the type uint32_t; choose other sizes"),
        (
            {"correctness": {**CASES, "cases": [{"name": "huge", "sizes": {"n": 2**32}}]}},
            "n at n 4294967296: 4294967296 does not fit the type uint32_t",
        ),
    ],
)
def test_an_expression_that_cannot_be_used_is_refused(tmp_path, changes, words):
    """The message has the expression, its value and the sizes."""
    assert words in refusal(tmp_path, changes)
