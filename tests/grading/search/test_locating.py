"""locating.py and trying.py: a search on a real device, by a real worker."""

import pytest
from kernels import TRANSPOSITION, changed
from texts import submitted

from grader.course.submissions.task import Task
from grader.course.truth.oracle import load_oracle
from grader.grading.checks.building import build
from grader.grading.checks.correctness import try_cases
from grader.grading.search.locating import SearchRules, Suspect, search
from grader.grading.search.need import rightness

GENEROUS = SearchRules(seconds=60)


def found(bench, assignment, source):
    """What a search finds in a submission, without a simulator."""
    task = Task(assignment=assignment, submission=submitted(source), seed=5)
    with bench.worker() as worker:
        built = build(task, worker)
        oracle = load_oracle(assignment)
        right = rightness(
            assignment, [each.check for each in try_cases(assignment.correctness.shown, built, oracle, worker)]
        )
        suspect = Suspect(built=built, oracle=oracle, worker=worker, right=right)
        return search(suspect, GENEROUS, lambda _: True)


@pytest.mark.whole
def test_the_line_of_a_mistake_that_results_alone_show(bench, transposition):
    """The ids of a tile are exchanged where it is read: an edit of that line, and of no other, mends every case."""
    source = changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][lx]")
    line = next(n for n, text in enumerate(source.split("\n"), start=1) if "tile[lx][lx]" in text)
    mended = found(bench, transposition, source)
    assert {edit.line for edit in mended.edits} == {line}
    assert mended.is_all


@pytest.mark.whole
def test_nothing_is_said_of_what_no_edit_mends(bench, transposition):
    """A kernel that is wrong all over has no one place."""
    source = changed(TRANSPOSITION, "tile[lx][ly];", "tile[lx][lx] + y0;")
    assert found(bench, transposition, source) is None
