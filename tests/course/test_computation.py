"""computation.py: names, repetitions and choices that contradict each other are refused."""

import pytest
from courses import ADDITION, refusal

BUFFERS = ADDITION["buffers"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"buffers": {**BUFFERS, "n": {"shape": ["n"], "data": "zeros"}}}, "n is the name of two things"),
        ({"repeat": {"times": 2, "swap": [["x", "w"]]}}, "repeat has w, which is not a buffer"),
        (
            {"repeat": {"times": 2, "swap": [["x", "z"]]}},
            "x must be scratch with data, and z an output of the same shape",
        ),
        (
            {"repeat": {"times": 2, "until": {"sum": "x", "below": 1}}},
            "`until` sums x, which no kernel of the repetition writes; pass it to one",
        ),
        ({"choices": {"constants": {"TILE": [8]}}}, "`choices` has the constant TILE, which is not in `constants`"),
        ({"choices": {"constants": {"GROUP": [8]}}}, "must offer the value of GROUP in `constants`"),
        ({"choices": {"launches": ["sub"]}}, "`choices` has the launch of sub, which is not one of"),
        (
            {"choices": {"constants": {"GROUP": [64]}}, "buffers": {**BUFFERS, "z": {"shape": ["ceil_to(n, GROUP)"]}}},
            "the shape of a buffer depends on GROUP",
        ),
    ],
)
def test_launches_that_contradict_each_other_are_refused(tmp_path, changes, words):
    """Names that refer to nothing or to two things, swaps and choices are refused with their names."""
    assert words in refusal(tmp_path, changes)
