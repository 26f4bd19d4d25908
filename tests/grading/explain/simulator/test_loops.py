"""loops.py: finds the lines of loops in any text."""

import pytest
from cost_growth import assert_linear

from grader.grading.explain.simulator.loops import loops

SOURCE = """// for nothing {
for (i = 0; i < n; i++)  /* while
    it lasts */
    if (i) { a; }
while (x) {
    do
        b;
    while (y);
    for (;;) { for (;;) c; }
}
"""


def test_loops_and_their_lines():
    """Each loop is found with its first and last line, whether its body is a block or a single statement. Comments do
    not contain loops.
    """
    found = [(each.start, each.stop - 1) for each in loops(SOURCE)]
    assert (2, 4) in found
    assert (5, 10) in found
    assert (6, 7) in found
    assert found.count((9, 9)) == 2
    assert all(first != 1 for first, _ in found)


@pytest.mark.parametrize("source", ["for (", "while (x) {", "do", "for (;;) } ) {", "}}}", ""])
def test_what_is_no_program_ends_somewhere(source):
    """For a text that is not a program, every loop has an end and no exception is raised."""
    assert all(each.start <= each.stop for each in loops(source))


@pytest.mark.whole
@pytest.mark.parametrize("text", ["for (;;) ", "/* ", "do ", "for ) ", "((", "for (;;) {", "while (x)\n", "// /* \n"])
def test_no_text_takes_long(text):
    """The time for any text is proportional to its length, even for nested loops without an end and for comments that
    are never closed.
    """
    assert_linear(lambda size: list(loops(text * size)), lambda size: size + 2)
