"""reading.py and statements.py: finds the expressions of a source that can be edited, and ignores all other code."""

import pytest
from kernels import PRODUCT

from grader.grading.source.reading import TEXT_CHARACTERS, outline

HELPED = """\
typedef uint index_t;
__constant float weights[3] = {1.0f, 2.0f, 1.0f};
float at(__global const float *A, index_t i) { return A[i] * weights[i % 3]; }
void fence(void) { barrier(CLK_LOCAL_MEM_FENCE); }
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void used(__global const float *A, __global float *B, uint n)
{
    __local float row[16], other[4][4];
    const index_t i = get_global_id(0), j = i + 1;
    #pragma unroll
    for (int k = 0; k < 3; k++)
        row[k] = at(A, i);
    fence();
    if (i < n)
        B[i] = row[0];
    else
        return;
}
__kernel void unused(__global float *B) { B[0] = 1.0f; }
"""


def regions(source, *kernels):
    """Return the role and the text of each expression that can be edited."""
    found = outline(source, kernels)
    return [(each.role, found.between(each.first, each.last)) for each in found.regions if each.role != "type"]


def test_expressions_of_a_kernel_and_of_what_it_calls():
    """Values, conditions, loop steps and statements are found in a kernel and in the functions that it calls. Barriers,
    calls that lead to a barrier, and other kernels are ignored.
    """
    assert regions(HELPED, "used") == [
        ("result", "A[i] * weights[i % 3]"),
        ("value", "get_global_id(0)"),
        ("value", "i + 1"),
        ("value", "0"),
        ("loop condition", "k < 3"),
        ("step", "k++"),
        ("statement", "row[k] = at(A, i)"),
        ("condition", "i < n"),
        ("statement", "B[i] = row[0]"),
    ]


def test_types_of_declarations():
    """The type in a declaration can be edited. It is listed once for each variable that it declares."""
    found = outline(HELPED, ["used"])
    types = {(found.between(each.first, each.last), each.target) for each in found.regions if each.role == "type"}
    assert types >= {("__local float", "row"), ("const index_t", "i"), ("const index_t", "j"), ("int", "k")}


def test_variables_that_can_be_seen():
    """Each variable in scope is listed with its type, number of subscripts and address space. A typedef is replaced by
    its type.
    """
    last = outline(HELPED, ["used"]).regions[-1]
    seen = {each.name: (each.type, each.subscripts, each.space, each.constant) for each in last.visible}
    assert seen == {
        "A": ("float", 1, "global", True),
        "B": ("float", 1, "global", False),
        "n": ("uint", 0, "private", False),
        "row": ("float", 1, "local", False),
        "other": ("float", 2, "local", False),
        "i": ("uint", 0, "private", True),
        "j": ("uint", 0, "private", True),
    }


@pytest.mark.parametrize(
    "source",
    ["__kernel void k(", "void f() { if x } ", "void f() { for (;) ; }", "}", "void f() {" + "{" * 60 + "}" * 61],
)
def test_what_does_not_read_as_c(source):
    """A text that is not valid C has no outline. No exception is raised."""
    assert outline(source, ["k", "f"]) is None


def test_a_text_that_is_too_long():
    """A text that is too long has no outline."""
    assert outline(PRODUCT, ["blockMMM"]) is not None
    assert outline(PRODUCT + " " * TEXT_CHARACTERS, ["blockMMM"]) is None


def test_too_many_variables():
    """A text with too many variables has no outline, because its edits would need too much memory."""
    many = "".join(f"int v{number} = 0; " for number in range(100))
    assert outline(f"__kernel void k() {{ {many} }}", ["k"]) is None
