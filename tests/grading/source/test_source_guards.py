"""guards.py: finds the comparisons that are true at each access to an array."""

import pytest

from grader.grading.source.guards import Guards
from grader.grading.source.reading import outline
from grader.grading.source.values import TooComplexError, Values


def guards(body):
    """Return the guards of the first access to `a` in a kernel with this body: both sides, and a term in words that is
    positive if the guard is true.
    """
    source = f"__kernel void k(__global float *a, __global float *b, uint n, uint i, uint j)\n{{\n{body}\n}}\n"
    seen = outline(source, ["k"])
    (function,) = seen.functions
    place = next(n for n in range(function.body[0], len(seen.code)) if seen.code[n].text == "a")
    found = Guards(values=Values(outline=seen, function=function, calls={})).at(place)
    return {(each.left, each.right, _words(each.room)) for each in found}


def _words(room):
    return room and " ".join(f"{factor:+}{''.join(atoms)}" for atoms, factor in sorted(room.terms.items()))


INSIDE = {("i", "n", "-1i +1n")}


@pytest.mark.parametrize(
    "body",
    [
        "if (i < n) a[i] = 0;",
        "if (i < n) { b[0] = 1; a[i] = 0; }",
        "if (i >= n) return; a[i] = 0;",
        "if (i >= n) { return; } a[i] = 0;",
        "if (!(i < n)) return; a[i] = 0;",
        "if (i >= n) b[0] = 1; else a[i] = 0;",
        "b[0] = i < n ? a[i] : 0;",
        "b[0] = i >= n ? 0 : 1 + a[i];",
        "bool inside = i < n; if (inside) a[i] = 0;",
        "if (i < n && a[i] > 0) b[0] = 1;",
        "if (i >= n || a[i] > 0) b[0] = 1;",
        "for (; i < n; i += 4) a[i] = 0;",
        "while (i < n) { a[i] = 0; i++; }",
        "if (i != 7) if (i < n) a[i] = 0;",
    ],
)
def test_a_guard_is_found_in_each_form(body):
    """A guard can be an `if`, an early return, an `else`, a conditional expression, a variable or the condition of a
    loop.
    """
    assert guards(body) == INSIDE


def test_all_parts_of_a_guard_are_found():
    """Both comparisons in an `&&`, or in a negated `||`, are guards."""
    both = {("i", "n", "-1i +1n"), ("j", "n", "+1 -1j +1n")}
    assert guards("if (i < n && j <= n) a[i] = 0;") == both
    negated = {("i", "n", "-1i +1n"), ("j", "n", "+1 -1j +1n")}
    assert guards("if (i >= n || j > n) return; a[i] = 0;") == negated


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = 0; if (i >= n) return;",
        "if (i < n) b[i] = 0; a[i] = 0;",
        "if (i >= n) b[0] = 0; a[i] = 0;",
        "a[i] = i < n ? 1 : 0;",
        "if (j) { if (i >= n) return; } a[i] = 0;",
        "for (; i < n; i++) b[i] = 0; a[i] = 0;",
    ],
)
def test_what_is_no_guard_of_an_access(body):
    """A condition of another statement, an early return in another block, or a condition in the stored value does not
    guard an access.
    """
    assert guards(body) == set()


@pytest.mark.parametrize("body", ["b[0] += || a[i];", "if (&& a[i] > 0) b[0] = 1;", "b[0] = (|| (&& a[i]));"])
def test_an_operator_without_an_operand_is_no_guard(body):
    """A text that does not compile is read to its end: an operator that lacks an operand is not a guard."""
    assert guards(body) == set()


@pytest.mark.parametrize(
    "body", ["if (i < n || j < n) a[i] = 0;", "if (i < n) { i += 4; a[i] = 0; }", "if (i == n) a[i] = 0;"]
)
def test_a_guard_that_cannot_be_read_has_no_room(body):
    """A guard is found without its meaning if it is an alternative or an equality, or if a variable changes between the
    guard and the access.
    """
    assert {room for _, _, room in guards(body)} == {None}


DOUBLED = "bool b0 = i < n && i < n;\n" + "".join(f"bool b{k} = b{k - 1} && b{k - 1};\n" for k in range(1, 31))
"""Conditions whose number of comparisons doubles with each line, to a billion comparisons in 900 characters."""


@pytest.mark.parametrize(
    "body",
    [
        f"{DOUBLED}if (b30) a[i] = 0;",
        f"{DOUBLED.replace('<', '!=')}if (b30) a[i] = 0;",
        f"{'if (n > 2) return; ' * 800}a[i] = 0;",
    ],
    ids=["conditions that double", "conditions without guards", "many exits"],
)
def test_a_text_that_takes_too_many_steps_is_not_read(body):
    """The analysis stops after a limited number of steps, so that no submission can keep a station busy."""
    with pytest.raises(TooComplexError):
        guards(body)
