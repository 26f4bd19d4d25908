"""localisation.py and evaluator.py: a search on a real device finds the line of a mistake."""

import dataclasses

import pytest
from golden import SUBMISSIONS
from gradings import grade
from kernels import TRANSPOSITION, changed
from submission_texts import submitted

from grader.authoring.golden import ONE_PAIR
from grader.common.record import replace
from grader.course.submissions.submission import FILE_NAME, Task
from grader.course.truth.oracle import load_oracle
from grader.grading.checks.compilation.building import build
from grader.grading.checks.correctness import try_cases
from grader.grading.phases.cause_search import rightness
from grader.grading.rules import SearchRules
from grader.grading.search import fixes, localisation
from grader.grading.search.localisation import search
from grader.grading.search.suspect import Suspect

GENEROUS, NONE = SearchRules(seconds=60), SearchRules(seconds=0)

TYPED = """\
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        int word = A[y * width + x];
        B[x * height + y] = word;
    }
}
"""


def few(assignment):
    """Return the assignment with only its first four shown cases."""
    shown = replace(assignment.correctness, cases=assignment.correctness.shown[:4])
    return replace(assignment, correctness=shown)


def found(environment, assignment, source, is_clean=lambda *_: True, rules=GENEROUS):
    """Return the result of the search for the mistake in a source, without a simulator."""
    task = Task(assignment=assignment, submission=submitted(source), seed=5)
    with environment.worker() as worker:
        built = build(task, worker)
        oracle = load_oracle(assignment)
        tried = try_cases(assignment.correctness.shown, built, oracle, worker)
        right = rightness(assignment, [each.check for each in tried])
        return search(Suspect(built=built, oracle=oracle, worker=worker, right=right), rules, is_clean)


def line_of(source, words):
    """Return the number of the first line that contains these words."""
    return next(number for number, line in enumerate(source.split("\n"), start=1) if words in line)


def test_the_line_of_a_mistake_that_results_alone_show(environment, transposition):
    """A tile is read with the same index twice, which only the results show. The search finds that only edits of this
    line make every case right.
    """
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    mended = found(environment, few(transposition), source)
    assert {edit.line for edit in mended.edits} == {line_of(source, "tile[lx][lx]")}
    assert mended.is_all


@pytest.mark.whole
def test_a_type_is_edited_too(environment, transposition):
    """If a variable for real numbers is declared as an integer, the search finds an edit of its type. Edits of types
    are separate programs, which are tried before all other edits.
    """
    mended = found(environment, few(transposition), TYPED)
    assert [(edit.line, edit.text, edit.part) for edit in mended.edits] == [(5, "float", "the type of word")]


@pytest.mark.whole
def test_nothing_is_said_of_what_no_edit_mends(environment, transposition):
    """If every case is wrong because of two mistakes, there is no hint, because no single edit makes a case right."""
    source = changed(TRANSPOSITION, "tile[lx][ly];", "tile[lx][lx] + y0 + 1;")
    assert found(environment, few(transposition), source) is None


@pytest.mark.whole
def test_two_lines_are_told_where_either_would_do(environment, transposition):
    """If an edit of either of two lines makes the results right, the hint names both. A wrong sign in one line can be
    reversed in another.
    """
    source = changed(TRANSPOSITION, "A[(y0 + ly)", "0 - A[(y0 + ly)")
    source = changed(source, "tile[lx][ly];", "0 + tile[lx][ly];")
    mended = found(environment, few(transposition), source)
    assert {edit.line for edit in mended.edits} == {line_of(source, "0 - A["), line_of(source, "0 + tile")}


UNROLLED = """\
__kernel void coalsTransp(__global const float *A, __global float *B, uint height, uint width)
{
    const uint x = get_global_id(0), y = get_global_id(1);
    uint i = 0;
    float sum = 0;
    if (x >= width || y >= height)
        return;
    for (; i + 2 <= 2; i += 2)
        sum += 0.5f * A[y * width + x] + 0.5f * A[y * width + x + 1];
    for (; i < 2; i++)
        sum += 0.5f * A[y * width + x];
    B[x * height + y] = sum;
}
"""


@pytest.mark.whole
def test_an_edit_that_skips_the_mistake_is_not_told(environment, transposition):
    """An edit of a loop's condition makes results right because the loop never runs. The hint names the line of the
    mistake, not the line of the loop.
    """
    mended = found(environment, few(transposition), UNROLLED)
    assert {edit.line for edit in mended.edits} == {line_of(UNROLLED, "x + 1")}


@pytest.mark.whole
def test_the_first_of_two_mistakes(environment, transposition):
    """If one mistake affects every case and another one only large cases, an edit of the first mistake makes the small
    cases right, and the search finds its line.
    """
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    source = changed(source, "x0 + lx < width)", "x0 + lx < min(width, 1000u))")
    mended = found(environment, transposition, source)
    assert {edit.line for edit in mended.edits} == {line_of(source, "tile[lx][lx]")}
    assert not mended.is_all
    assert len(mended.cases) >= 3


@pytest.mark.whole
def test_nothing_is_said_that_the_simulator_denies(environment, transposition):
    """An edit that gives correct results is rejected if the simulator sees a wrong access."""
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    assert found(environment, few(transposition), source, is_clean=lambda *_: False) is None


@pytest.mark.whole
def test_a_grading_tells_the_line_and_takes_no_points(environment, course):
    """A grading puts the line at the beginning of the message of each case that the edit makes right. Verdicts and
    points do not change.
    """
    folder = SUBMISSIONS / "coalsProgrm" / "row-from-local-id"
    quick, assignment = dataclasses.replace(environment, timing=ONE_PAIR), course.load("coalsProgrm")
    without, searched = (
        grade(assignment, folder, dataclasses.replace(quick, search=rules), seed=5) for rules in (NONE, GENEROUS)
    )
    line = f"the mistake is in line {line_of((folder / FILE_NAME).read_text(), 'get_local_id')}. "
    assert searched.first_cause.message.startswith(line)
    told = [(each.verdict, each.points, each.message.removeprefix(line).lower()) for each in searched.checks]
    assert told == [(each.verdict, each.points, each.message.lower()) for each in without.checks]


@pytest.mark.whole
def test_a_search_ends_in_time(environment, transposition):
    """If there is not enough time to try all edits, there is no hint."""
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    assert found(environment, few(transposition), source, rules=SearchRules(seconds=0.02)) is None


@pytest.mark.whole
@pytest.mark.parametrize("name", ["signed-ints", "ints-without-int"])
def test_declarations_without_a_type_do_not_end_the_search(environment, product, name):
    """Declarations without `int`, which used to stop a grading, do not stop the search. It finds the line of the
    mistake.
    """
    source = (SUBMISSIONS / "blockMMM" / name / "kernels.cl").read_text()
    mended = found(environment, few(product), source)
    assert {edit.line for edit in mended.edits} == {line_of(source, "sum +=")}


def test_a_few_edits_are_not_evaluated_on_large_cases():
    """If few edits are left after the smallest cases, the larger cases are run only with the separate text of each
    edit. Many edits are evaluated together on all cases.
    """

    class Recorder:
        def __init__(self):
            self.asked = []

        def right(self, name, edits):
            self.asked.append(name)
            return list(edits)

    names = [f"case {number}" for number in range(9)]
    for count, asked in ((1, names[: fixes.SURE]), (9, names)):
        recorder = Recorder()
        found = fixes.fixes_of(recorder, names, range(count))
        assert recorder.asked == asked
        assert found == {edit: set(names) for edit in range(count)}


def test_a_separate_text_may_take_longer_on_a_busy_machine():
    """A separate text may take twice as long as the submission's own cases, but at least a fixed time."""
    assert localisation.text_seconds(0.2) == localisation.PER_TEXT
    assert localisation.text_seconds(20.0) == 40.0
