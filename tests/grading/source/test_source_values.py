"""values.py and polynomial.py: two spellings of the same value are equal, and nothing is assumed about a variable that
changes.
"""

import pytest

from grader.grading.source.polynomial import Polynomial, atom, constant
from grader.grading.source.reading import outline
from grader.grading.source.values import Values

GROUP, LOCAL = atom("get_group_id(0)"), atom("get_local_id(0)")
CALLS = {
    "get_group_id(0)": GROUP,
    "get_local_id(0)": LOCAL,
    "get_global_id(0)": GROUP * constant(16) + LOCAL,
    "get_local_size(0)": constant(16),
}


def value(body, index="i"):
    """Return the value of the index in the store `out[index]` of a kernel with this body."""
    source = f"__kernel void k(__global float *out, uint n, uint m)\n{{\n{body}\nout[{index}] = 0;\n}}\n"
    seen = outline(source, ["k"])
    (function,) = seen.functions
    opening = next(
        each for each in range(len(seen.code)) if [t.text for t in seen.code[each : each + 2]] == ["out", "["]
    )
    return Values(outline=seen, function=function, calls=CALLS).of((opening + 2, seen.pairs[opening + 1]))


@pytest.mark.parametrize(
    "body",
    [
        "uint i = get_global_id(0);",
        "const uint i = get_group_id(0) * 16 + get_local_id(0);",
        "size_t i = get_local_id(0) + get_local_size(0) * get_group_id(0);",
        "uint g = get_group_id(0), i; i = (g << 4) + (uint)get_local_id(0);",
        "uint i = -(-get_global_id(0));",
        "uint one = 1; uint i = get_global_id(0) + one - 1;",
    ],
)
def test_spellings_of_the_global_id_are_equal(body):
    """The global id has the same value in every spelling, and also if it is computed through variables."""
    assert value(body) == GROUP * constant(16) + LOCAL


@pytest.mark.parametrize(
    "body",
    [
        "uint i = 0; i += 4;",
        "uint i = 0; for (; i < n; i++)",
        "uint i = 0; increase(&i);",
        "uint start = 0; uint i = start; start = 5;",
    ],
)
def test_a_variable_that_changes_is_itself(body):
    """A variable that is assigned several times stands only for itself, and so does a variable whose definition may
    have changed.
    """
    assert value(body) in {atom("i"), atom("start")}


def test_a_definition_that_changed_is_not_used():
    """If a variable in a definition changes before the value is used, the definition is not used."""
    assert value("uint s = 0, i = s; s++;") == atom("i")


@pytest.mark.parametrize("index", ["n / m", "n % 4", "min(n, m)", "out[0]", "0x10", "n > m"])
def test_other_expressions_have_no_value(index):
    """Divisions, calls, array elements and comparisons are not polynomials, so they have no value."""
    assert value("", index) is None


def test_the_largest_value():
    """The largest value of a polynomial is known if the largest value of each variable is known and no factor is
    negative.
    """
    found = atom("a") * constant(3) + atom("b") * atom("a") + constant(1)
    assert found.most({"a": 2, "b": 5}) == 17
    assert found.most({"a": 2}) is None
    assert (constant(9) - atom("a")).most({"a": 2}) is None
    assert (atom("a") - atom("a")).number == 0
    assert hash(Polynomial({("a",): 1})) == hash(atom("a"))
