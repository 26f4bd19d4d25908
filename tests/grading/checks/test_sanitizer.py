"""sanitizer.py: mistakes that cost the points for a clean simulated run, and their messages."""

import pytest
from kernels import PRODUCT, TRANSPOSITION, changed
from project import ROOT
from simulator import subject_of
from worker_rules import TIMEOUTS

from grader.course.rubric import Kind
from grader.grading.checks.causes.missing_barrier import with_barrier
from grader.grading.checks.sanitizer import check_sanitizer, unwatched
from grader.grading.checks.simulation.sanitizer_run import sanitizer_run
from grader.results.verdicts import Reason, Verdict

MODEL = (ROOT / "reference" / "coalsTransp" / "kernels.cl").read_text()
BARRIER = "        barrier(CLK_LOCAL_MEM_FENCE);"


SMALLEST = {"height": 3, "width": 2}
"""Sizes of the smallest failed case."""


def checked(worker, assignment, source, failed=()):
    """Return the sanitizer's check of a submission. `failed` lists the sizes of the failed cases."""
    asked = assignment.sanitizer
    return check_sanitizer(sanitizer_run(subject_of(worker, assignment, source), asked), asked, failed).checks[0]


def line_of(source, text):
    """Return the number of the only line that contains this text."""
    (number,) = (n for n, line in enumerate(source.split("\n"), start=1) if text in line)
    return number


def without(source, lines):
    """Return the source with these lines emptied, so that the line numbers do not change. Assert that the source
    contains the lines.
    """
    assert lines in source
    return source.replace(lines, "\n" * lines.count("\n"), 1)


def test_a_kernel_that_runs_alone_shows_the_race_of_its_second_round(simulator, course):
    """The whole program is small, so a kernel that works in rounds has only one. It also runs alone at a larger size,
    where its missing barrier is a race between two rounds. The barrier that ends it is tried at this size, too.
    """
    assignment = course.load("prefixScan")
    folder = ROOT / "tests" / "submissions" / "prefixScan" / "no-barrier-between-the-rounds"
    source = (folder / "kernels.cl").read_text()
    check = checked(simulator, assignment, source)
    assert check.reason is Reason.DATA_RACE
    assert "a barrier is missing after line 51: " in check.message
    assert check.message.endswith(" Only scanSums ran, at n 270001.")
    found = with_barrier(subject_of(simulator, assignment, source), assignment.sanitizer, check.findings)
    assert found.line == 52


def test_a_model_solution_is_clean(simulator, transposition):
    """The model solution earns the points and has no findings."""
    check = checked(simulator, transposition, MODEL)
    assert (check.verdict, check.points, check.findings) == (Verdict.PASSED, 8, ())
    assert (check.kind, check.name) == (Kind.SANITIZER, "sanitizer (height 63, width 95)")
    assert check.seconds > 0


@pytest.mark.whole
def test_a_race_that_no_result_shows(simulator, product):
    """A tiled product without its second barrier gives correct results on CPU drivers. The sanitizer reports the race
    with both lines.
    """
    comment = BARRIER + "    // everyone has read them before the next step overwrites them"
    source = without(PRODUCT, comment)
    write, read = line_of(source, "Ash[ly][lx] ="), line_of(source, "sum +=")
    check = checked(simulator, product, source)
    assert (check.verdict, check.reason, check.points) == (Verdict.FAILED, Reason.DATA_RACE, 0)
    assert f"line {write} overwrites words of `Ash` that another work-item still reads in line {read}." in check.message
    assert f"after line {read}" in check.sentences
    arrays = {place.words.rpartition(" ")[2] for each in check.findings for place in each.places}
    assert arrays == {"`Ash`", "`Bsh`"}
    assert {place.text for each in check.findings for place in each.places} >= {"sum += Ash[ly][k] * Bsh[k][lx];"}


def test_a_missing_guard(simulator, transposition):
    """A load beyond the edge is reported with its line, and the help says that the work-item lies beyond the edge."""
    source = changed(TRANSPOSITION, "    if (y0 + ly < height && x0 + lx < width)\n", "\n")
    check = checked(simulator, transposition, source)
    assert check.reason is Reason.OUT_OF_BOUNDS
    assert check.message.startswith(f"line {line_of(source, '= A[')} reads outside `A`")
    assert "lies beyond the edge. Guard the load with the sizes." in check.sentences


def test_a_return_before_a_barrier(simulator, transposition):
    """A return before a barrier is reported with the line of the return."""
    source = changed(
        TRANSPOSITION, "    if (y0 + ly < height && x0 + lx < width)\n", "    if (y0 + ly >= height) return;\n"
    )
    check = checked(simulator, transposition, source)
    assert check.reason is Reason.BARRIER_DIVERGENCE
    assert f" end in line {line_of(source, 'return;')} and do not reach the barrier in line " in check.message


@pytest.mark.whole
def test_a_loop_that_does_not_end(simulator, transposition):
    """An endless loop is reported with its line long before the deadline. An inner loop that ends, or a condition that
    is always true, is not reported instead.
    """
    loop = """
    for (uint i = 0; i < width; i += 0)
        for (uint j = 0; j < 4; j++)
            if (width == 0) return;
"""
    source = changed(TRANSPOSITION, "    barrier(", f"{loop}    barrier(")
    check = checked(simulator, transposition, source)
    assert check.reason is Reason.TIME_LIMIT
    assert check.message.startswith(
        f"line {line_of(source, 'i += 0')}: this loop was still running when the simulator stopped the kernel."
    )
    assert check.seconds < TIMEOUTS.simulation


@pytest.mark.whole
@pytest.mark.parametrize("goes_wrong", [pytest.param("", marks=pytest.mark.whole), "tile[ly][j] = 1; "])
def test_a_loop_that_does_not_end_within_one_that_would(simulator, transposition, goes_wrong):
    """If an inner loop is endless, the inner loop is reported, not the outer loop that contains it. The simulation
    takes no longer if each iteration also makes a mistake that the simulator reports.
    """
    loop = f"""
    for (uint i = 0; i < 4; i++)
        for (int j = 0; j < 4; j -= 4) {{ tile[ly][lx] = 1; {goes_wrong}}}
"""
    source = changed(TRANSPOSITION, "    barrier(", f"{loop}    barrier(")
    check = checked(simulator, transposition, source)
    assert check.reason is Reason.TIME_LIMIT
    assert check.message.startswith(
        f"line {line_of(source, 'j -= 4')}: this loop was still running when the simulator stopped the kernel."
    )


def test_wrong_results_alone_keep_no_points(simulator, transposition):
    """A kernel with wrong results earns no points, even without a finding."""
    source = changed(TRANSPOSITION, "= tile[lx][ly]", "= 2 * tile[lx][ly]")
    check = checked(simulator, transposition, source, (SMALLEST,))
    assert (check.verdict, check.reason, check.points) == (Verdict.FAILED, Reason.NOT_RUN, 0)
    assert check.message == (
        "the simulator saw no wrong access at (height 63, width 95) and (height 3, width 2), but the results are wrong."
    )
    assert check.help == "Fix correctness first to earn these points."


def test_a_wrong_access_at_the_smallest_failed_size_only(simulator, transposition):
    """If a wrong access occurs only at the size of the smallest failed case, the message gives that size."""
    source = changed(TRANSPOSITION, "= tile[lx][ly]", "= tile[lx][ly] + (width < 3 ? A[height * width + 9] : 0)")
    check = checked(simulator, transposition, source, (SMALLEST,))
    assert (check.verdict, check.reason, check.points) == (Verdict.FAILED, Reason.OUT_OF_BOUNDS, 0)
    assert check.message.startswith(f"line {line_of(source, '+ 9]')} reads outside `A`, ")
    assert check.message.endswith("The sizes are height 3, width 2.")
    assert check.findings


def test_a_case_that_only_fails_when_large_is_not_simulated(simulator, transposition):
    """If a case fails only at a large size, that size is not simulated, because even the loops of a correct kernel
    would seem endless. The message gives the sizes that were simulated.
    """
    source = changed(TRANSPOSITION, "= tile[lx][ly]", "= 2 * tile[lx][ly]")
    check = checked(simulator, transposition, source, ({"height": 4096, "width": 4096},))
    assert check.reason is Reason.NOT_RUN
    assert check.message.startswith("the simulator saw no wrong access at (height 63, width 95), but the results are")


def test_results_that_are_wrong_only_there(simulator, transposition):
    """If the results are right on the device but wrong in the simulator, they depend on the order of work-items, and
    the check fails.
    """
    source = changed(TRANSPOSITION, "= tile[lx][ly]", "= 2 * tile[lx][ly]")
    check = checked(simulator, transposition, source)
    assert (check.verdict, check.reason) == (Verdict.FAILED, Reason.WRONG_OUTPUT)
    assert check.message == "the results are right on this device but wrong in the simulator."
    assert check.help.startswith("The results depend on the order of work-items")


def test_findings_come_before_wrong_results(simulator, transposition):
    """If there is a finding, the check reports it instead of the wrong results."""
    check = checked(simulator, transposition, without(TRANSPOSITION, "    barrier(CLK_LOCAL_MEM_FENCE);"), (SMALLEST,))
    assert check.reason is Reason.DATA_RACE
    assert (check.message, check.help) == (check.findings[0].message, check.findings[0].help)


def test_a_kernel_that_is_broken_off(simulator, transposition):
    """A kernel that the simulator cannot execute is reported with its line, and not as a kernel with wrong results."""
    head = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)\n"
    check = checked(simulator, transposition, head + "{\n    __sync_fetch_and_add((__global int *)B, 1);\n}\n")
    assert check.reason is Reason.CRASH
    assert check.message.startswith("line 3: the simulator stopped")


def test_an_element_far_beyond_a_vector(simulator, transposition):
    """An index far past the end of a vector crashes the simulator, which does not check such an access. The help names
    this as a possible cause.
    """
    head = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)\n"
    check = checked(simulator, transposition, head + "{\n    float4 v = A[0];\n    B[0] = v[2000000000 - height];\n}\n")
    assert check.reason is Reason.CRASH
    assert "an index past the end of a vector" in check.help


def test_a_check_that_had_no_chance(transposition):
    """Before it runs, a sanitizer check is passed and has all its points."""
    check = unwatched(transposition.sanitizer)
    assert (check.verdict, check.points, check.max_points, check.seconds) == (Verdict.PASSED, 8, 8, 0)
