"""pairs.py: two sources side by side, without the lines that come from the skeleton."""

from gradebooks import SKELETONS, gradebook, row
from gradebooks import grade as graded
from pages import Reader
from project import ROOT

from grader.reports.html.overview import render_overview
from grader.reports.html.pairs import side_by_side

GIVEN = "__kernel void k(__global float *A) {\n    // your code\n}\n"


def told(one, other, skeleton=""):
    """Return the numbers of the paired lines, with True if both lines are equal."""
    rows = side_by_side(one, other, skeleton)
    return [(each.one and each.one.number, each.other and each.other.number, each.same) for each in rows]


def test_the_same_line_is_the_same_under_other_names():
    """Lines count as equal if they differ only in names, spaces and comments. Another operator makes them different."""
    assert told("a = b + 1;\nc();\n", "\nx=y+1; // mine\nd() ;\n") == [(1, 2, True), (2, 3, True)]
    assert told("a = b + 1;", "a = b - 1;") == [(1, 1, False)]


def test_what_one_has_more_stands_alone():
    """An additional line has no counterpart, and the other lines keep theirs."""
    assert told("a = 1;\nf(a);\n", "b = 1;\nb += 2;\nf(b);\n") == [(1, 1, True), (None, 2, False), (2, 3, True)]


def test_what_was_given_is_left_out():
    """Blank lines, and lines and comments that come from the skeleton, are left out. A student's own comments are
    shown.
    """
    one = "__kernel void k(__global float *A) {\n    // your code\n    A[0] = 1;\n}\n"
    assert told(one, one, GIVEN) == [(3, 3, True)]
    assert told("// tHis is mine\n", "// tHis is mine\n") == [(1, 1, True)]
    assert told("/* a\n   b */ f();", "g();") == [(1, None, False), (2, 1, True)]


def test_the_overview_has_the_pair():
    """The overview shows nearly identical sources side by side, and shows markup in them as text."""
    source = (ROOT / "reference" / "blockMMM" / "kernels.cl").read_text()
    other = source.replace("sum", "total") + "// <b>bold</b>\n"
    book = gradebook(
        row("ada", graded(source=source), "blockMMM"), row("bob", graded(source=other), "blockMMM"), skeletons=SKELETONS
    )
    reader = Reader(render_overview(book, {}))
    assert "ada and bob, side by side" in reader.text
    assert "// <b>bold</b>" in reader.text
