"""locations.py: finds the lines of barriers, locks and declarations."""

import pytest
from cost_growth import assert_linear

from grader.grading.explain.simulator.locations import Scene
from grader.grading.source.reading import TEXT_CHARACTERS, TOKENS

LOCK = "while (atomic_cmpxchg(&lock, 0, 1) != 0)\n    ;\ntotal[0] += x;\natomic_xchg(&lock, 0);\ntotal[1] += x;\n"
EXCHANGE = "for (int i = 0; i < 9; i++) {\n    total[0] += x;\n    old = atomic_xchg(&turn, i);\n}\n"


def scene(text, expanded=""):
    return Scene(source=text, dimensions=1, extent=None, expanded=expanded)


@pytest.mark.parametrize(("text", "line", "is_inside"), [(LOCK, 3, True), (LOCK, 5, False), (EXCHANGE, 2, False)])
def test_a_lock_is_taken_by_a_condition_and_left_below(text, line, is_inside):
    """A lock is acquired in a condition and released by a later exchange. An exchange alone is not a lock."""
    assert scene(text).is_in_a_lock([line]) is is_inside


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("for (int i = f(0); i < 9; i++)\n    a += i;", True),
        ("while (i < (n))\n{ a++; }", False),
        ("do\na++; while (0);", True),
    ],
)
def test_a_loop_without_braces(text, lacks):
    """A loop without braces is detected, because a barrier after its statement would be outside the loop."""
    assert scene(text).is_without_braces(range(1, text.count("\n") + 2)) is lacks


def test_a_barrier_in_a_macro_is_one_where_the_macro_is_used():
    """A barrier in a macro counts in the line that uses the macro. The expanded text has empty lines in place of macro
    definitions, so line numbers agree.
    """
    found = scene("#define SYNC barrier(CLK_GLOBAL_MEM_FENCE)\nSYNC;\n", "\nbarrier(CLK_GLOBAL_MEM_FENCE);\n")
    assert found.global_barrier_in([range(1, 3)]) == 2
    assert not found.has_barrier(0, 3)


@pytest.mark.parametrize(
    ("source", "size"),
    [
        ("__kernel void k(__global const uchar *restrict A, uint n) { A[n] = 0; }", 1),
        ("__kernel void k(const __global float4* A) {}", 16),
        ("void k() { __local double A[8]; }", 8),
        ("void k(__global short * const restrict A) { short x = 2 * A[3]; }", 2),
        ("void k(__global Part *A) {}", None),
        ("void k(__global int *A) {} void l(__global long *A) {}", None),
        ("", None),
    ],
)
def test_the_size_of_an_element_comes_from_its_declaration(source, size):
    """Distances count elements of the declared type. An unknown or ambiguous type has no size."""
    assert Scene(source=source, dimensions=1, extent=None).element_bytes("A") == size


@pytest.mark.whole
def test_an_array_that_is_named_often_costs_no_more_than_its_text():
    """The type is looked for in a limited text before each name."""
    assert_linear(
        lambda size: Scene(source="A " * size, dimensions=1, extent=None).element_bytes("A"), lambda size: 2 * size
    )


def test_the_line_that_declares_an_array_with_its_length():
    """The declaration of an array is found after comments. A line that uses the array is not a declaration, and an
    array with several declarations has no such line.
    """
    source = "// float t[4]\n__local float t[16][17];\nfloat u[2];\nt[i] = u[0];\nreturn v[1];\n{ float u[3]; }\n"
    scene = Scene(source=source, dimensions=1, extent=None)
    assert [scene.declared_in(name) for name in ("t", "u", "v")] == [2, None, None]


QUESTIONS = {
    "volatile": lambda it: it.is_warp_synchronous("s", {1}),
    "declared": lambda it: it.declared_in("s"),
    "lock": lambda it: it.is_in_a_lock([1]),
    "copy": lambda it: it.copies_outside("s", {"t"}, writes=True),
    "image": lambda it: it.is_image("s"),
}

COSTLY = (
    *('"volatile volatile"\n', "volatile ", "s[h + x", "s ", "s[", "s[0]", "void f(int s[9]);", " ", "\n", '"', "/*"),
    *("if(b)", "atomic_xchg(", "if(b)atomic_xchg(x);\n", "async_work_group_copy(s,", "image2d_t ", "for(;;)"),
)


@pytest.mark.whole
@pytest.mark.parametrize("piece", COSTLY)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_search_costs_in_proportion_to_the_text(question, piece, monkeypatch):
    """Searches take linear time for texts that were designed to make them quadratic, even without a limit."""
    monkeypatch.setattr("grader.grading.explain.simulator.searched_text.is_too_long", lambda _: False)
    head = "s[h + 16] = s[h + 1];\n"
    assert_linear(lambda text: QUESTIONS[question](scene(text)), lambda size: head + piece * (size // len(piece)))


def test_strings_are_not_code():
    """Words in a string or a character constant are not searched."""
    text = 'constant char a[] = "volatile barrier(1);\\" s";\ns[i + 1] = s[i + 2] + \';\';\n'
    assert not scene(text).has_barrier(0, 3)
    assert not scene(text).is_warp_synchronous("s", {2})


@pytest.mark.parametrize("text", ["int a[2];" + " " * TEXT_CHARACTERS, "int a[2];" + ";" * TOKENS])
def test_nothing_is_found_in_a_text_that_is_too_long(text):
    """Beyond the limits of the parser, a text is not searched, but its lines can still be shown."""
    assert scene(text).is_too_long
    assert scene(text).declared_in("a") is None
    assert scene(text).text(1).startswith("int a[2];")
