"""scan.py: what is found in a text, and that no text makes it take long."""

import pytest
from growth import assert_linear
from texts import COSTLY

from grader.course.forbidden import Construct
from grader.course.submissions.scan import Statement, scan


@pytest.mark.whole
@pytest.mark.parametrize("name", COSTLY)
def test_a_scan_costs_in_proportion_to_the_text(name):
    """Each of these was written to make it cost the square."""
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
    """On its line and in its column; a string that looks like a comment is none."""
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
    """With its line."""
    (found,) = scan(source).statements
    assert (found.line, found.kernel, found.what) == (line, "add", "local")
    assert found.value.startswith("8, 4")


@pytest.mark.parametrize(
    "source",
    ["grader: A = 1", 's = "// grader: A = 1";', "// not a grader: A = 1", "// grader: A", "// grader: a b c = 1"],
)
def test_what_only_looks_like_a_statement_is_none(source):
    """Code, strings, and other words in comments."""
    assert scan(source).statements == ()


def test_of_every_construct_the_first_is_told():
    """Not all of them: a text could be full of them."""
    found = scan("asm asm\n#line 1\nasm\n#include <a>\n#include <b>\n").sightings
    assert [(each.construct, each.line) for each in found] == [
        (Construct.ASM, 1),
        (Construct.LINE, 2),
        (Construct.INCLUDE, 4),
    ]


def test_a_statement_is_a_record():
    """As `choices` reads it."""
    assert scan("// grader: GROUP = 64 */").statements == (Statement(line=1, kernel=None, what="GROUP", value="64"),)
