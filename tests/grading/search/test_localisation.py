"""localisation.py and evaluator.py: a search on a real device, by a real worker."""

import pytest
from golden import SUBMISSIONS
from gradings import grade
from kernels import TRANSPOSITION, changed
from texts import submitted

from grader.authoring.golden import ONE_PAIR
from grader.common.record import replace
from grader.course.submissions.submission import FILE_NAME
from grader.course.submissions.task import Task
from grader.course.truth.oracle import load_oracle
from grader.grading.checks.building import build
from grader.grading.checks.correctness import try_cases
from grader.grading.rules import SearchRules
from grader.grading.search.localisation import Suspect, search
from grader.grading.search.need import rightness

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
    """The assignment with four of its cases."""
    shown = replace(assignment.correctness, cases=assignment.correctness.shown[:4])
    return replace(assignment, correctness=shown)


def found(environment, assignment, source, is_clean=lambda *_: True, rules=GENEROUS):
    """What a search finds in a submission, without a simulator."""
    task = Task(assignment=assignment, submission=submitted(source), seed=5)
    with environment.worker() as worker:
        built = build(task, worker)
        oracle = load_oracle(assignment)
        tried = try_cases(assignment.correctness.shown, built, oracle, worker)
        right = rightness(assignment, [each.check for each in tried])
        return search(Suspect(built=built, oracle=oracle, worker=worker, right=right), rules, is_clean)


def line_of(source, words):
    """The line that holds these words."""
    return next(number for number, line in enumerate(source.split("\n"), start=1) if words in line)


def test_the_line_of_a_mistake_that_results_alone_show(environment, transposition):
    """An id is taken twice where a tile is read: an edit of that line, and of no other, mends every case."""
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    mended = found(environment, few(transposition), source)
    assert {edit.line for edit in mended.edits} == {line_of(source, "tile[lx][lx]")}
    assert mended.is_all


@pytest.mark.whole
def test_a_type_is_edited_too(environment, transposition):
    """A whole number that is given real ones: a program of its own, which is tried before all others."""
    mended = found(environment, few(transposition), TYPED)
    assert [(edit.line, edit.text, edit.part) for edit in mended.edits] == [(5, "float", "the type of word")]


@pytest.mark.whole
def test_nothing_is_said_of_what_no_edit_mends(environment, transposition):
    """A kernel that is wrong in two ways everywhere has no one place."""
    source = changed(TRANSPOSITION, "tile[lx][ly];", "tile[lx][lx] + y0 + 1;")
    assert found(environment, few(transposition), source) is None


@pytest.mark.whole
def test_nothing_is_said_where_several_lines_would_do(environment, transposition):
    """A sign that is wrong in one line can be turned back in another."""
    source = changed(TRANSPOSITION, "A[(y0 + ly)", "0 - A[(y0 + ly)")
    source = changed(source, "tile[lx][ly];", "0 + tile[lx][ly];")
    assert found(environment, few(transposition), source) is None


@pytest.mark.whole
def test_the_first_of_two_mistakes(environment, transposition):
    """One that spoils every case and one that spoils large ones: an edit of the first mends the small cases."""
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    source = changed(source, "x0 + lx < width)", "x0 + lx < min(width, 1000u))")
    mended = found(environment, transposition, source)
    assert {edit.line for edit in mended.edits} == {line_of(source, "tile[lx][lx]")}
    assert not mended.is_all
    assert len(mended.cases) >= 3


@pytest.mark.whole
def test_nothing_is_said_that_the_simulator_denies(environment, transposition):
    """An edit that mends results, but goes wrong there, is none."""
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    assert found(environment, few(transposition), source, is_clean=lambda *_: False) is None


@pytest.mark.whole
def test_a_grading_tells_the_line_and_takes_no_points(environment, course):
    """The line goes before what is said without it, of the cases that it mends; verdicts and points stay."""
    folder = SUBMISSIONS / "coalsProgrm" / "row-from-local-id"
    quick, assignment = replace(environment, timing=ONE_PAIR), course.load("coalsProgrm")
    without, searched = (grade(assignment, folder, replace(quick, search=rules), seed=5) for rules in (NONE, GENEROUS))
    line = f"line {line_of((folder / FILE_NAME).read_text(), 'get_local_id')} is where it goes wrong: "
    assert searched.first_cause.message.startswith(line)
    told = [(each.verdict, each.points, each.message.removeprefix(line)) for each in searched.checks]
    assert told == [(each.verdict, each.points, each.message) for each in without.checks]


def test_a_search_ends_in_time(environment, transposition):
    """Where there is no time to try all edits, nothing is said."""
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    assert found(environment, few(transposition), source, rules=SearchRules(seconds=0.02)) is None


@pytest.mark.parametrize("name", ["signed-ints", "ints-without-int"])
def test_declarations_without_a_type_do_not_end_the_search(environment, product, name):
    """Submissions of the corpus that once stayed ungraded: the line of their mistake is found."""
    source = (SUBMISSIONS / "blockMMM" / name / "kernels.cl").read_text()
    mended = found(environment, few(product), source)
    assert {edit.line for edit in mended.edits} == {line_of(source, "sum +=")}
