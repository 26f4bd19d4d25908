"""similarity.py: which sources are nearly identical, and which only solve the same task. Two sources side by side,
without the lines that come from the skeleton.
"""

import re
from itertools import combinations

import pytest
import yaml
from gradebooks import SKELETONS, grade, gradebook, row
from gradebooks import grade as graded
from pages import Reader
from project import ROOT
from rapidfuzz.distance import Indel

from grader.grading.explain.compiler_hints import FUNCTIONS
from grader.protocol.tokens import tokens
from grader.reports.html.overview import render_overview
from grader.reports.html.similarity import (
    ALIKE,
    FEWEST,
    GIVEN,
    KEYWORDS,
    MOST,
    comparable,
    identical,
    near_identical,
    side_by_side,
)

ASSIGNMENTS = ("coalsTransp", "coalsProgrm", "optimProgram", "blockMMM", "rgblkMMM")
LANGUAGE = {*FUNCTIONS, *KEYWORDS, *ASSIGNMENTS, "real", "uint", "int", "float", "void", "TILE", "RT", "CHUNK"}
DECLARATION = re.compile(r"\s*(?:const|__local|real|uint32_t|uint|int|float|size_t) [^;{}]*;\s*(?://.*)?")


def skeleton(name):
    return (ROOT / "assignments" / name / "kernels.cl").read_text()


def right_solutions(name):
    """Return the model solution and all submissions in the corpus that compute right results."""
    found = [(ROOT / "reference" / name / "kernels.cl").read_text()]
    for folder in sorted((ROOT / "tests" / "submissions" / name).iterdir()):
        fails = yaml.safe_load((folder / "expected.yaml").read_text())["fails"] or {}
        if set(fails) <= {"memory", "performance"}:
            found.append((folder / "kernels.cl").read_text())
    return found


def long_enough(name):
    return [source for source in right_solutions(name) if len(comparable(source, skeleton(name))) >= FEWEST]


def renamed(source):
    """Return the source with other names, without comments and with as few lines as possible."""
    names = {}
    words = []
    for token in tokens(source):
        own = token.kind == "name" and token.text not in LANGUAGE
        words.append(names.setdefault(token.text, f"z{len(names)}") if own else token.text if token.is_code else " ")
        if token.kind == "newline":
            words[-1] = "\n" if "#" in source else " "
    return "".join(words)


def reordered(source):
    """Return the source with neighbouring lines of declarations in reverse order."""
    lines, run = [], []
    for line in [*source.split("\n"), ""]:
        if DECLARATION.fullmatch(line):
            run.insert(0, line)
        else:
            lines += [*run, line]
            run = []
    return "\n".join(lines)


def extended(source):
    """Return the source with one additional declaration."""
    return re.sub(r"\)\s*\{", ") {\n    int unused = 3;", source, count=1)


def similarity(one, other, given):
    return Indel.normalized_similarity(comparable(one, given), comparable(other, given))


def rows(*sources):
    return tuple(row(f"student-{i}", grade(source=source)) for i, source in enumerate(sources))


@pytest.mark.whole
@pytest.mark.sampled
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_right_solutions_of_an_assignment_are_told_apart(name):
    """The model solution and independent right submissions in the corpus do not count as nearly identical."""
    sources = right_solutions(name)
    assert len(sources) >= 8
    assert near_identical(rows(*sources), skeleton(name)) == ()
    assert max(similarity(*pair, skeleton(name)) for pair in combinations(map(str, long_enough(name)), 2)) < 0.94


@pytest.mark.sampled
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_disguised_copy_is_seen(name):
    """A copy with other names, layout, comments and order of declarations has similarity 1.

    A copy with an additional declaration still has more than 0.96, and is listed as nearly identical.
    """
    for source in long_enough(name):
        copy = renamed(reordered(source))
        assert copy != source
        assert similarity(source, copy, skeleton(name)) == 1
        assert similarity(source, renamed(reordered(extended(source))), skeleton(name)) > 0.96
        (group,) = near_identical(rows(source, renamed(extended(source))), skeleton(name))
        assert group.labels == ("student-0", "student-1")
        assert ALIKE <= group.least == group.most < 1


def test_what_the_skeleton_gives_is_no_evidence():
    """Tokens that come from the skeleton are not compared, and a kernel's head and frame do not count as part of a
    solution.
    """
    given = skeleton("blockMMM")
    own = "x = y + z; "
    assert comparable(given, given) == []
    body = given.rpartition("}")[0] + own * 5 + "}"
    assert len(comparable(body, given)) <= len(list(filter(lambda token: token.is_code, tokens(own * 5)))) + GIVEN
    assert near_identical(rows(given, given + "// mine\n"), given) == ()


def test_short_sources_are_alike_by_nature():
    """A transposition without a tile is too short to be compared, because all students write similar lines."""
    source = (ROOT / "reference" / "coalsTransp" / "baseline.cl").read_text()
    assert near_identical(rows(source, renamed(source)), skeleton("coalsTransp")) == ()


def test_many_alike_are_one_group():
    """Forty disguised copies of one solution are one group instead of 780 pairs. Two copies of another solution are a
    second group.
    """
    one, *_, other = long_enough("blockMMM")
    sources = [f"{one}// {i}\n" for i in range(40)] + [other, renamed(other)]
    groups = near_identical(rows(*sources), skeleton("blockMMM"))
    assert [len(group.labels) for group in groups] == [40, 2]
    assert groups[1].labels == ("student-40", "student-41")


def test_the_same_bytes_are_compared_once():
    """Identical files are compared only once, under the first label. The page lists identical files elsewhere."""
    one = long_enough("blockMMM")[0]
    assert near_identical(rows(one, one), skeleton("blockMMM")) == ()
    (group,) = near_identical(rows(one, one, renamed(one)), skeleton("blockMMM"))
    assert group.labels == ("student-0", "student-2")


def test_members_of_a_group_are_one_hand_in_of_an_identical_file():
    """The members of a team count as one submitter of an identical file, and each file has one line."""
    group = (row("ada", grade(), same_as=("fay",)), row("zoe", grade(), same_as=("fay",)))
    others = (row("fay", grade(), same_as=("ada", "zoe")), row("ben", same_as=("cem",)), row("cem", same_as=("ben",)))
    assert identical((*group, *others)) == ((("ada", "zoe"), ("fay",)), (("ben",), ("cem",)))
    assert identical((row("ada", grade()), row("zoe", grade()))) == ()


def test_rows_without_a_grade_are_left_out():
    """Rows without a grade are not compared."""
    assert near_identical((row("ada"), row("ben", fault="no device")), "") == ()


def test_an_endless_source_is_cut():
    """A source of a megabyte is cut, so that it does not delay the reports of a course."""
    assert len(comparable("x ; " * 3 * MOST, "")) == MOST


SKELETON = "__kernel void k(__global float *A) {\n    // your code\n}\n"


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
    assert told(one, one, SKELETON) == [(3, 3, True)]
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
