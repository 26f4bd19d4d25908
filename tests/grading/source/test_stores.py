"""stores.py: the lines that store to an array, even if no work-item reaches them."""

import pytest

from grader.grading.source.stores import store_lines

TEXT = """__kernel void first(__global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n) return;    // x[i] = 3;
    if (x[i] == 1) i = 2;
    else
        x[i] += x[i] = 2;
    __global float *const mine = x + n;
    mine[i] -= 1;
    vstore4((float4)(1, 2, 3, 4), i, x + 4 * i);
    vstore2(vload2(0, x), 0, mine);
    uint few[2] = {1, 2};
    few[i] = x[0];
    __global float *second = &x[1];
    second[0] = 1;
    float square[2][2], *row = square[i];
    row[1] = 3;
}
__kernel void second(__global float *x, __global float3 *v, __global uint *starts, __write_only image2d_t picture)
{
    x[0] = 1;
    __global float3 *part = v + starts[1];
    part[x[0] > 1].x = 2;
    write_imagef(picture, (int2)(0, 0), (float4)(v[0], 1));
}
"""


@pytest.mark.parametrize(
    ("function", "array", "lines"),
    [
        ("first", "x", (7, 9, 10, 11, 15)),
        ("first", "few", (13,)),
        ("first", "square", (17,)),
        ("second", "x", (21,)),
        ("second", "v", (23,)),
        ("second", "starts", ()),
        ("second", "picture", (24,)),
        ("third", "x", ()),
    ],
)
def test_where_a_function_stores_to_an_array(function, array, lines):
    """Stores are assignments, vstore and writes of pixels, also through a pointer into the array. Comments,
    comparisons, initial values and other functions are ignored. An array whose element is added to a pointer is not the
    array of this pointer.
    """
    assert store_lines(TEXT, function, array) == lines


def test_a_text_that_cannot_be_parsed_has_no_known_stores():
    """For a text that is not valid C, no lines are found."""
    assert store_lines("__kernel void first(__global float *x) { x[0] = 1;", "first", "x") == ()
