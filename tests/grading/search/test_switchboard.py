"""switchboard.py: one program that can be any edit of a text."""

from grader.grading.search.edits import edits
from grader.grading.search.outline import outline
from grader.grading.search.switchboard import accepted, edited, key, switchboard

SOURCE = """\
float twice(float x) { return x + x; }
__kernel void k(__global float *A, uint n)
{
    #pragma unroll
    for (;;) {
        if (get_global_id(0) < n)
            A[0] = twice(1.0f);
    }
}
"""


def board_of(source):
    """The outline of a text, some of its edits, and their program."""
    seen = outline(source, ["k"])
    made = edits(seen, most=30)
    return seen, made, switchboard(seen, made)


def test_every_function_takes_the_key_and_every_loop_has_an_end():
    """Calls hand the key on, a loop without a condition gets one, and a `#pragma` for speed is left out."""
    _, _, board = board_of(SOURCE)
    assert "float twice(float x, ulong grader_key)" in board.text
    assert "__kernel void k(__global float *A, uint n, ulong grader_key)" in board.text
    assert "A[0] = twice(1.0f, grader_key)" in board.text
    assert "for (;grader_turns-- > 0;)" in board.text
    assert "#pragma" not in board.text


def test_each_edit_has_a_line_of_its_own():
    """So a compiler's complaint is about one edit, which then is left out."""
    _, made, board = board_of(SOURCE)
    lines = board.text.split("\n")
    assert sorted(board.lines.values()) == list(range(1, len(made) + 1))
    assert all(lines[line - 1].startswith(f"grader_edit == {number}u ?") for line, number in board.lines.items())
    line = next(line for line, number in board.lines.items() if number == 3)
    assert accepted(made, board, {line}) == [*made[:2], *made[3:]]
    assert accepted(made, board, {1}) == list(made)


def test_names_that_the_text_uses_are_not_used_again():
    """A student's own `grader_key` stays the student's."""
    _, _, board = board_of(SOURCE.replace("(float x)", "(float grader_key)").replace("x + x", "grader_key"))
    assert "float twice(float grader_key, ulong grader_key_)" in board.text


def test_an_edited_text_keeps_its_lines():
    """So that what is found in it has the line of the student's file."""
    source = SOURCE.replace("get_global_id(0) < n", "get_global_id(0)\n < n")
    seen, made, _ = board_of(source)
    assert {edited(seen, edit).count("\n") for edit in made} == {source.count("\n")}


def test_a_key_holds_the_edit_and_its_turns():
    """Both fit into the 64 bits of a key, however large an array is."""
    assert key(7, 100) == 100 * 2**32 + 7
    assert key(7, 2**40) < 2**63
