"""conditions.py: finds the conditions around a line, and the statements that only some work-items execute."""

import pytest

from grader.grading.explain.simulator.conditions import deciders, dividing, guards, is_unguarded

SOURCE = """\
__kernel void k(__global const float *A, __global float *C, uint n, __local float *t)
{
    const uint me = get_local_id(0), half_ = n / 2;
    for (uint s = half_; s > 0; s /= 2)
        if (me < s) {
            t[me] += A[s];
        } else
            t[me] = 0;
    if (n > 3)
        t[0] = 1;
    for (uint i = me; i < n; i += 64) {
        C[i] = t[i];
        C[i + n] = t[i];
    }
    uint late;
    late = 2 * me;
    while (late < n)
        late += n;
    C[n] = 2;
}
"""


@pytest.mark.parametrize(
    ("line", "first", "last"), [(6, 5, 8), (8, 5, 8), (12, 11, 14), (18, 17, 18), (10, None, None), (19, None, None)]
)
def test_a_statement_that_only_some_work_items_run(line, first, last):
    """A statement is executed by only some work-items if its condition depends on their ids, directly or through
    variables. It extends to the end of its `else`.
    """
    found = dividing(SOURCE, "k", line)
    assert (found and (found.lines[0], found.lines[-1])) == (first and (first, last))


def test_the_guards_of_a_line():
    """The guards of a line are the lines of the `if` statements around it."""
    assert guards(SOURCE, "k", 6) == (5,)
    assert guards(SOURCE, "k", 12) == ()


def test_a_condition_with_a_return_decides_about_the_lines_after_it():
    """If no `if` is around a line, the conditions before it that contain a `return` decide who runs it. A condition
    without a `return` does not.
    """
    assert deciders(SOURCE, "k", 6) == (5,)
    assert deciders(SOURCE, "k", 19) == ()
    left = SOURCE.replace("t[0] = 1;", "return;")
    assert deciders(left, "k", 19) == (9,)
    assert deciders(left, "k", 6) == (5,)


@pytest.mark.parametrize(
    ("statement", "is_open"),
    [
        ("C[i] = A[i];", True),
        ("C[i] = A[i] * (i < n);", True),
        ("C[i] = i < n ? A[i] : 0;", False),
        ("C[i] = A[min(i, n)];", False),
        ("if (i < n) C[i] = A[i];", False),
        ("if (i >= n) return;\nC[i] = A[i];", False),
    ],
)
def test_an_access_without_any_guard(statement, is_open):
    """An access is unguarded if no condition around it, no conditional expression in its line and no earlier return can
    limit it.
    """
    source = (
        f"__kernel void k(__global float *A, __global float *C, uint n)\n{{ uint i = get_global_id(0);\n{statement}\n}}"
    )
    assert is_unguarded(source, "k", source.count("\n")) is is_open


@pytest.mark.parametrize("source", ["", "{", "}", "if (", "else", "__kernel void k() { if (x) else }"])
def test_what_cannot_be_read_has_no_conditions(source):
    """In a text that is not valid C, no conditions are found."""
    assert dividing(source, "k", 1) is None
    assert guards(source, "k", 1) == ()


@pytest.mark.whole
def test_a_long_chain_of_conditions_is_read():
    """A chain of `else if` is read as one statement, even if it has more links than Python's recursion limit."""
    source = "__kernel void k(uint n)\n{ uint i = get_global_id(0);\nif (i) ;\n" + "else if (n) ;\n" * 1100 + "}"
    found = dividing(source, "k", 3)
    assert found is not None
    assert len(found.lines) == 1101
