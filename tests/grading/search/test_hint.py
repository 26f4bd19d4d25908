"""hint.py: students get a hint of the level that the instructor selected."""

import re
from dataclasses import replace
from html import unescape

import pytest
from samples import BUILD, check, failed, result, unchecked

from grader.common.record import replace as replace_in
from grader.grading.explain.simulator.tried_barriers import ENDS_TOO
from grader.grading.search.edits import edits
from grader.grading.search.hint import Fix, hint
from grader.grading.source.reading import outline
from grader.reports import REPORTS, terminal
from grader.results.check import ONE_LINE
from grader.results.findings import AdvisedBarrier, Finding
from grader.results.verdicts import Reason

SOURCE = """\
__kernel void k(__global const float *A, __global float *B, uint n)
{
    const uint i = get_global_id(0);
    if (i < n)
        B[i] = A[i + 1];
}
"""

LINE = "the mistake is in line 5"
PART = "the index of A"
CHANGE = "`i` in place of `i + 1` makes all wrong cases right."


def fix(*, is_all=True):
    """Return the fix that a search finds for this source, in which an index has one term too many."""
    seen = outline(SOURCE, ["k"])
    helping = [edit for edit in edits(seen, most=500) if edit.line == 5 and edit.text == "" and edit.part == PART]
    (edit,) = [edit for edit in helping if seen.between(edit.first, edit.last) == "+ 1"]
    return Fix(outline=seen, edits=(edit,), cases=frozenset({"one row"}), is_all=is_all)


@pytest.mark.parametrize(
    ("hints", "words"),
    [("line", f"{LINE}."), ("part", f"{LINE}, in {PART}."), ("change", f"{LINE}, in {PART}. {CHANGE}")],
)
def test_each_level_tells_no_more(hints, words):
    """Depending on the level, a hint names the line, the line and the part, or the line, the part and the change. All
    reports are made from the check, so the check must not contain more.
    """
    told = hint(fix(), SOURCE, hints).add_to(failed("correctness: one row (n 9)", message="it is wrong."))
    assert told.message == f"{words} It is wrong."
    assert (told.cause, told.detail, told.points) == (ONE_LINE, "", 0.0)


def test_a_mistake_that_explains_the_results_comes_first():
    """A mistake that predicts the wrong results comes before the line, which belongs to its first clause. If the line
    is only one of the places, the hint comes first.
    """
    cause = "A is read one word further on"
    wrong = failed("correctness: one row (n 9)", message=f"{cause}. That explains it.").model_copy(
        update={"cause": cause}
    )
    assert hint(fix(), SOURCE, "part").add_to(wrong).message == f"{cause} (line 5, in {PART}). That explains it."
    elsewhere = wrong.model_copy(update={"message": f"{cause} (line 7 reads `A`). That explains it."})
    assert hint(fix(), SOURCE, "part").add_to(elsewhere).message == f"{cause} (line 5, in {PART}). That explains it."
    assert hint(fix(), SOURCE, "change").add_to(wrong).message.endswith(f"That explains it. {CHANGE}")
    assert hint(fix(is_all=False), SOURCE, "line").add_to(wrong).message.startswith("one mistake is in line 5. ")


@pytest.mark.parametrize(
    ("hints", "told"), [("line", {LINE}), ("part", {LINE, PART}), ("change", {LINE, PART, CHANGE})]
)
def test_no_file_for_students_tells_more(hints, told):
    """The JSON, JUnit and HTML reports and the terminal output contain the words of the selected level and no words of
    a higher one.
    """
    source = SOURCE.replace("A[i + 1]", "A[i + 1]  ")
    wrong = hint(fix(), source, hints).add_to(failed("correctness: one row (n 9)", message="it is wrong."))
    outcome = result(BUILD, wrong, source=source)
    files = [report(outcome) for report in REPORTS.values()]
    files.append(terminal.render(outcome, width=500, color=False))
    for text in (unescape(re.sub("</?code>", "`", file)) for file in files):
        assert {words for words in (LINE, PART, CHANGE) if words in text} == told


def test_nothing_is_told_where_nothing_is_wanted():
    """With the level `none`, there is no hint."""
    assert hint(fix(), SOURCE, "none") is None


def test_only_the_cases_that_it_mends_have_the_hint():
    """Only the cases that the fix makes right get the hint. If another case may be wrong for another reason, the hint
    says that this line is one of the places.
    """
    found = hint(fix(is_all=False), SOURCE, "line")
    assert found.words == "one mistake is in line 5."
    other = check("correctness: one column (n 9)")
    assert found.add_to(other) is other


def test_a_finding_is_the_evidence_for_the_line():
    """The line of the only mistake is inserted before a finding of the simulator, unless the finding already names this
    line or other cases stay wrong. The check has the cause of the cases that the edit corrects.
    """
    seen = Finding(reason=Reason.OUT_OF_BOUNDS, message="line 8 reads outside `B`.", help="", places=(), times=1)
    check = replace_in(unchecked(), message=seen.message, findings=(seen,))
    assert hint(fix(), SOURCE, "line").add_to(check).message == f"{LINE}. Line 8 reads outside `B`."
    assert hint(fix(is_all=False), SOURCE, "line").add_to(check) is check
    same = replace_in(check, message="line 5 reads outside `A`. Check line 4.")
    told = hint(fix(), SOURCE, "line").add_to(same)
    assert (told.message, told.cause) == (same.message, ONE_LINE)


@pytest.mark.parametrize(
    ("advice", "is_kept"),
    [
        ("No condition guards line 8. Add a condition.", False),
        ("Check the index in line 5.", True),
        ("Follow one element by hand: line 5 writes `B`.", False),
        ("Check every index against the sizes.", True),
    ],
)
def test_advice_about_other_lines_than_the_mistake_is_left_out(advice, is_kept):
    """A proved edit outranks advice that is derived from an effect, and needs no list of lines to look at."""
    wrong = replace_in(failed("correctness: one row (n 9)", message="it is wrong."), help=advice)
    assert hint(fix(), SOURCE, "line").add_to(wrong).help == (advice if is_kept else "")
    assert hint(fix(is_all=False), SOURCE, "line").add_to(wrong).help == advice


def test_a_correction_of_everything_shows_that_no_barrier_is_missing():
    """If an edit of one line ends a race and makes all results right, the race is described without a missing
    barrier.
    """
    told = "line 9 overwrites words of `t` that another work-item still reads in line 8."
    seen = Finding(
        reason=Reason.DATA_RACE,
        message=f"a barrier is missing after line 7: {told}",
        help="Write barrier(CLK_LOCAL_MEM_FENCE) after line 7.",
        places=(),
        times=1,
        barrier=AdvisedBarrier(line=7, race=told),
    )
    check = replace_in(unchecked(), message=seen.message, help=seen.help, findings=(seen,))
    added = hint(fix(), SOURCE, "line").add_to(check)
    assert added.message == f"{LINE}. {told.capitalize()}"
    assert {added.help, added.findings[0].help} == {ENDS_TOO}
    assert added.findings[0].message == told
    assert hint(fix(is_all=False), SOURCE, "line").add_to(check) is check


def test_code_that_is_not_the_students_is_not_quoted():
    """If the student's line contains a macro at this place, the hint does not quote the change, because it would show
    expanded code that the student did not write.
    """
    found = hint(fix(), SOURCE.replace("A[i + 1]", "AT(i, 1)"), "change")
    assert found.words == f"{LINE}, in {PART}."


def test_two_lines_are_named_without_their_parts():
    """If either of two lines can be changed, the hint names both and nothing else."""
    one = fix()
    other = next(edit for edit in edits(one.outline, most=500) if edit.line == 4)
    found = hint(replace(one, edits=(*one.edits, other)), SOURCE, "change")
    assert found.words == "the mistake is in line 5 or line 4."
