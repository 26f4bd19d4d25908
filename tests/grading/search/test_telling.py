"""telling.py: students are told what the instructor wants them to be told, and never more."""

import pytest
from samples import check, failed

from grader.grading.search.edits import edits
from grader.grading.search.reading import outline
from grader.grading.search.telling import Mended, hint

SOURCE = """\
__kernel void k(__global const float *A, __global float *B, uint n)
{
    const uint i = get_global_id(0);
    if (i < n)
        B[i] = A[i + 1];
}
"""

LINE = "line 5 is where it goes wrong"
PART = "the index of A"
CHANGE = "`i` in place of `i + 1` would mend all of the wrong cases"


def mended(*, is_all=True):
    """What a search finds in this text: that a term is too many."""
    seen = outline(SOURCE, ["k"])
    helping = [edit for edit in edits(seen, most=500) if edit.line == 5 and edit.text == "" and edit.part == PART]
    (edit,) = [edit for edit in helping if seen.between(edit.first, edit.last) == "+ 1"]
    return Mended(outline=seen, edits=(edit,), cases=frozenset({"one row"}), is_all=is_all)


@pytest.mark.parametrize(
    ("hints", "sentence"),
    [("line", f"{LINE}."), ("part", f"{LINE}: {PART}."), ("change", f"{LINE}: {PART}; {CHANGE}.")],
)
def test_each_level_tells_no_more(hints, sentence):
    """The line, or the part too, or the change too. All files are made of the check, and nothing more is in it."""
    told = hint(mended(), SOURCE, hints).told(failed("correctness: one row (n 9)", message="it is wrong."))
    assert told.message == f"{sentence} it is wrong."
    assert (told.cause, told.detail, told.points) == ("", "", 0.0)


def test_nothing_is_told_where_nothing_is_wanted():
    """With `none` there is no hint."""
    assert hint(mended(), SOURCE, "none") is None


def test_only_the_cases_that_it_mends_have_the_hint():
    """Another case may be wrong for another reason: then the sentence says that this is one place."""
    found = hint(mended(is_all=False), SOURCE, "line")
    assert found.sentence == "line 5 is one place where it goes wrong."
    other = check("correctness: one column (n 9)")
    assert found.told(other) is other


def test_code_that_is_not_the_students_is_not_quoted():
    """Where a macro stands in the file, the change would name what it became: it is left out."""
    found = hint(mended(), SOURCE.replace("A[i + 1]", "AT(i, 1)"), "change")
    assert found.sentence == f"{LINE}: {PART}."
