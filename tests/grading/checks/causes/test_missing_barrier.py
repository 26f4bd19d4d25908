"""missing_barrier.py: if a single missing barrier causes a race, its place is found."""

import pytest
from kernels import changed
from project import ROOT
from simulator import subject_of

from grader.grading.checks.causes.missing_barrier import PLACES, Barriers, advised_barriers, with_barrier
from grader.grading.checks.sanitizer import check_sanitizer
from grader.grading.checks.simulation.sanitizer_run import sanitizer_run
from grader.results.verdicts import Reason

MODEL = (ROOT / "reference" / "nearestNeighbour" / "kernels.cl").read_text()
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


def lines_of_barriers(source):
    return [number for number, line in enumerate(source.split("\n"), start=1) if line.strip().startswith(BARRIER)]


def without(source, *lines):
    """Return the source without the barriers in these lines. The line numbers do not change."""
    return "\n".join(
        line.replace(BARRIER, "") if number in lines else line for number, line in enumerate(source.split("\n"), 1)
    )


@pytest.fixture
def mended(simulator, course):
    """Return a function that returns the sanitizer's findings, and the source with the missing barrier inserted or
    None.
    """
    assignment = course.load("nearestNeighbour")

    def find(source):
        subject = subject_of(simulator, assignment, source)
        run = sanitizer_run(subject, assignment.sanitizer)
        found = check_sanitizer(run, assignment.sanitizer).checks[0].findings
        return found, with_barrier(subject, assignment.sanitizer, found)

    return find


@pytest.mark.parametrize("place", [0, 1])
def test_the_barrier_that_was_left_out_is_found(mended, place):
    """The missing barrier is found, both before the tile is read and before it is overwritten. The reported line is the
    statement after which the barrier belongs.
    """
    line = lines_of_barriers(MODEL)[place]
    found, with_it = mended(without(MODEL, line))
    assert Reason.DATA_RACE in {each.reason for each in found}
    assert with_it.built.program.source.count("\n") == MODEL.count("\n")
    assert abs(with_it.line - line) <= PLACES


TREE = """__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    real sum = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0)) sum += A[i];
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t width = WG / 2; width > 0; width /= 2)
        if (lid < width) {
            scratch[lid] += scratch[lid + width];
        } else
            sum = 0;
    if (lid == 0) sums[get_group_id(0)] = scratch[0];
}
"""


def test_a_barrier_in_a_loop_without_braces_comes_with_them(simulator, course):
    """In a loop without braces, the barrier is inserted together with braces. Here, the body of the loop is a single
    `if` with `else`.
    """
    assignment = course.load("reduction")
    subject = subject_of(simulator, assignment, TREE)
    found = check_sanitizer(sanitizer_run(subject, assignment.sanitizer), assignment.sanitizer).checks[0].findings
    with_it = with_barrier(subject, assignment.sanitizer, found)
    assert with_it.line == TREE.split("\n").index("            sum = 0;") + 1
    assert "needs braces" in found[0].help


@pytest.mark.parametrize(
    ("test", "achieved"),
    [("square < least", Barriers.ENOUGH), ("square > least", Barriers.STILL_WRONG)],
    ids=["right", "wrong"],
)
def test_advised_barriers_are_enough_if_the_results_become_right(simulator, course, test, achieved):
    """If two barriers are missing, both are added. They are the whole mistake only if they make the results right."""
    assignment = course.load("nearestNeighbour")
    subject = subject_of(
        simulator, assignment, changed(without(MODEL, *lines_of_barriers(MODEL)), "square < least", test)
    )
    asked = assignment.sanitizer
    found = check_sanitizer(sanitizer_run(subject, asked), asked).checks[0].findings
    assert found
    assert advised_barriers(subject, asked.sizes, found) is achieved
    assert advised_barriers(subject, asked.sizes, ()) is Barriers.UNKNOWN


SCAN = ROOT / "tests" / "submissions" / "prefixScan" / "scan-in-place-in-a-condition" / "kernels.cl"


def test_races_remain_if_the_steps_of_a_scan_in_place_need_two_barriers(simulator, course):
    """The barrier after a step separates it from the next one. The race within the step remains, so the other advice is
    needed, to move the steps out of the `if`.
    """
    assignment = course.load("prefixScan")
    subject = subject_of(simulator, assignment, SCAN.read_text())
    asked = assignment.sanitizer
    found = check_sanitizer(sanitizer_run(subject, asked), asked).checks[0].findings
    assert found[0].barrier.otherwise.startswith("Move the steps out of the `if` in line 17")
    assert advised_barriers(subject, asked.sizes, found) is Barriers.RACES_REMAIN


@pytest.mark.whole
def test_two_missing_barriers_are_more_than_one(mended):
    """If two barriers are missing, none is proposed, because no single barrier removes both races."""
    _, with_it = mended(without(MODEL, *lines_of_barriers(MODEL)))
    assert with_it is None


@pytest.mark.whole
def test_a_kernel_that_is_wrong_besides_stays_wrong(mended):
    """If the kernel has another mistake as well, no barrier is proposed, because the results are still wrong with
    it.
    """
    wrong = changed(without(MODEL, lines_of_barriers(MODEL)[0]), "square < least", "square > least")
    _, with_it = mended(wrong)
    assert with_it is None


def test_nothing_is_tried_without_a_race(mended):
    """If the kernel has no race, no barrier is tried."""
    assert mended(MODEL) == ((), None)
