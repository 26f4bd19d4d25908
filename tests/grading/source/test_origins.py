"""origins.py: the arrays that an index is computed from."""

import pytest

from grader.grading.source.origins import arrays_behind

TEXT = """\
__kernel void k(__global const uint *starts, __global const int *x, __global int *y, uint n)
{
    const uint before = starts[get_group_id(0)], own = get_local_id(0);
    uint to = own;
    if (x[own] < 3)
        to = before + own;
    y[to] = x[own];
    y[own] = x[before];
    y[x[own]] = 1;
    __global int *rest = y + starts[0];
    rest[own] = x[0];
}
"""


@pytest.mark.parametrize(
    ("line", "array", "behind"),
    [
        (7, "y", {"starts"}),
        (7, "x", set()),
        (8, "y", set()),
        (8, "x", {"starts"}),
        (9, "y", {"x"}),
        (11, "y", {"starts"}),
        (11, "x", set()),
        (1, "y", set()),
    ],
)
def test_an_index_comes_from_the_elements_that_its_variables_hold(line, array, behind):
    """Arrays are found through all values that are assigned to a variable or to a pointer into the array. The indexed
    array itself and conditions do not count.
    """
    assert arrays_behind(TEXT, "k", line, array) == behind


def test_nothing_is_behind_an_index_of_a_text_that_cannot_be_parsed():
    """For a text that is not valid C, no arrays are found."""
    assert arrays_behind("__kernel void k( {", "k", 1, "y") == frozenset()
