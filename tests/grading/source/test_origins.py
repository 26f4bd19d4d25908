"""origins.py: the arrays that an index is computed from, and the lines that decide which elements an access reaches."""

import pytest
from cost_growth import assert_linear

from grader.grading.source.origins import arrays_behind, deciding_lines

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


KERNEL = """\
__kernel void k(__global const float *A, __global float *B, uint n, uint width)
{
    const uint i = get_global_id(0), whole = n / 16;
    const bool inside = i < width;
    if (whole > 100)
        B[0] = 1.0f;
    for (uint j = 0; j < whole; j++)
        if (inside) {
            const uint at = j * width + i;
            B[at] = A[at];
        }
    if (i >= n)
        return;
    B[i] = A[n - 1];
    while (n < 3)
        B[0] = 2.0f;
}
"""


@pytest.mark.parametrize(
    ("line", "deciding"),
    [
        pytest.param(10, (3, 4, 7), id="a loop, what bounds it, and a guard that has a name"),
        pytest.param(14, (12,), id="a guard that leaves"),
        pytest.param(6, (), id="an element that no variable chooses"),
        pytest.param(1, (), id="a line outside of functions' bodies"),
        pytest.param(99, (), id="no line of the text"),
    ],
)
def test_lines_that_decide(line, deciding):
    """The deciding lines are the conditions around an access that test variables of its index, and the lines that
    compute the bounds in these conditions.
    """
    assert deciding_lines(KERNEL, "k", line) == deciding


def test_a_text_that_cannot_be_read():
    """A text that cannot be parsed has no deciding lines."""
    assert deciding_lines("__kernel void k(__global float *B) { B[0] = (1; }", "k", 1) == ()


@pytest.mark.whole
def test_long_texts():
    """The time for a long text is proportional to its length."""
    head = "__kernel void k(__global float *A, __global float *B, uint n)\n{\n    uint i = get_global_id(0);\n"
    guard = "    if (i < n)\n        B[i] = A[i];\n"
    assert_linear(lambda text: deciding_lines(text, "k", 5), lambda size: f"{head}{guard * (size // len(guard))}}}\n")
