"""deciding.py: finds the lines that decide which elements an access reaches."""

import pytest
from cost_growth import assert_linear

from grader.grading.source.deciding import deciding_lines

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
