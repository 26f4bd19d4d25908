"""scan.py: finding constructs, statements and comments in a source, in time proportional to its length."""

import pytest
from cost_growth import assert_linear
from submission_texts import COSTLY

from grader.course.forbidden import Construct
from grader.course.submissions.scan import Statement, scan


@pytest.mark.whole
@pytest.mark.parametrize("name", COSTLY)
def test_a_scan_costs_in_proportion_to_the_text(name):
    """Scanning takes linear time even for texts that were designed to make it quadratic."""
    assert_linear(scan, COSTLY[name])


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("a /* b\n c */ d // e\nf", ("a     ", "      d     ", "f")),
        ('a = "/* b"; // c', ('a = "/* b";     ',)),
        ("a \\\n b // c \\\n d\ne", ("a ", " b      ", "  ", "e")),
        ("a /* never closed\nb", ("a                ", " ")),
        ("", ("",)),
        ("a\n", ("a", "")),
    ],
)
def test_code_is_what_comments_leave(source, code):
    """Comments become spaces, so that code keeps its line and column. Strings that look like comments are code."""
    assert scan(source).code == code


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("// grader: add local = 8, 4", 1),
        ("/*\n * grader: add local = 8, 4\n */", 2),
        ("a; /* b */ /* grader: add local = 8, 4 */ c;", 1),
        ("/* a\n */ // grader:add   local=  8, 4  ", 2),
        ("/* a\n\n */ b;\n/* grader: add local = 8, 4 never closed", 4),
    ],
)
def test_a_statement_is_found_wherever_a_comment_can_be(source, line):
    """A statement to the grader is found, with its line, in every kind of comment."""
    (found,) = scan(source).statements
    assert (found.line, found.kernel, found.what) == (line, "add", "local")
    assert found.value.startswith("8, 4")


@pytest.mark.parametrize(
    "source",
    ["grader: A = 1", 's = "// grader: A = 1";', "// not a grader: A = 1", "// grader: A", "// grader: a b c = 1"],
)
def test_what_only_looks_like_a_statement_is_none(source):
    """Code, strings and ordinary comments are not taken for statements."""
    assert scan(source).statements == ()


def test_of_every_construct_the_first_is_told():
    """Only the first occurrence of each construct is reported, because a text could be full of them."""
    found = scan("asm asm\n#line 1\nasm\n#include <a>\n#include <b>\n").sightings
    assert [(each.construct, each.line) for each in found] == [
        (Construct.ASM, 1),
        (Construct.LINE, 2),
        (Construct.INCLUDE, 4),
    ]


def test_a_statement_is_a_record():
    """A statement is a record with the line, kernel, name and value that `choices` needs."""
    assert scan("// grader: GROUP = 64 */").statements == (Statement(line=1, kernel=None, what="GROUP", value="64"),)
