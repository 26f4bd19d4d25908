"""run.py: `grader run` times kernels on the device."""

# ruff: noqa: ARG001 - a fixture that only requires the simulator

from dataclasses import fields

import pytest
from courses import ADDITION, KERNEL, ORACLE, course_of
from run_measurements import FAILED, measured, row
from submission_texts import submitted
from two_kernels import BOTH, PARTS

from grader.common.errors import InputError, NoSimulatorError
from grader.grading.by_hand.run import Measured, RunRequest, count_intensities, time_runs
from grader.grading.by_hand.run_options import Options, Sweep, runs
from grader.grading.explain.problem import Problem
from grader.grading.grading_environment import GradingEnvironment

PARAMETERS = "(__global real *x, __global const real *y, __global real *z, uint32_t n)"
NOT_32 = "#if GROUP == 32\n#error not 32\n#endif\n"
OF_1000 = Options(values={"n": "1000"})

HALVING = {
    **ADDITION,
    "kernel": "halve",
    "sizes": ["n", "turns"],
    "buffers": {
        "old": {"shape": ["n"], "data": "numbers", "role": "scratch"},
        "new": {"shape": ["n"]},
        "left": {"shape": [1], "data": "zeros", "role": "scratch"},
    },
    "launches": [{"kernel": "halve", "args": ["old", "new", "left", "n"], "global": ["n"], "local": [1]}],
    "baseline": [{"kernel": "halve", "args": ["old", "new", "left", "n"], "global": ["n"], "local": [1]}],
    "repeat": {"times": "turns", "swap": [["old", "new"]], "until": {"sum": "left", "below": 0.3}},
    "correctness": {**ADDITION["correctness"], "cases": [{"name": "one", "sizes": {"n": 1, "turns": 9}}]},
    "performance": {
        "bytes": "8*n*turns",
        "classes": {"cpu": {"sizes": {"n": 100, "turns": 9}, "bands": [{"fraction": 0.5, "points": 5}]}},
    },
}
"""An assignment that halves an array in each iteration until the first word is less than 0.3. The word starts at 1, so
this takes two iterations.
"""

HALVE = """__kernel void halve(__global real *old, __global real *new, __global real *left, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    new[i] = old[i] / 2;
    if (i == 0)
        left[0] = left[0] == 0 ? 0.5f : left[0] / 2;
}
"""
HALVES = """import numpy as np
from grader.oracle import Truth

def expected(old, **_):
    old = old.astype(np.float64)
    return {"new": Truth(value=old / 4, magnitude=np.abs(old))}
"""

COUNTING = {**ADDITION, "buffers": {**ADDITION["buffers"], "z": {"shape": ["n"], "data": "numbers", "role": "updated"}}}
COUNTS = KERNEL.replace("z[i] = ", "z[i] += ")
COUNTED = (
    ORACLE.replace("(x, y, **_)", "(x, y, z, **_)")
    .replace("x + y", "x + y + z")
    .replace("np.abs(y)", "np.abs(y) + np.abs(z)")
)


@pytest.fixture(scope="module")
def addition(tmp_path_factory):
    """Return an assignment with one kernel."""
    return course_of(tmp_path_factory.mktemp("one"), ADDITION, KERNEL, ORACLE).load("small")


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """Return an assignment with two equivalent kernels and with sizes for the simulator."""
    watched = {**PARTS, "memory": {"sizes": {"n": 128}, "checks": [READS]}}
    return course_of(tmp_path_factory.mktemp("two"), watched, BOTH, ORACLE).load("small")


READS = {"name": "reads", "measure": "words read", "at_most": "2*n", "points": 1}


def driven(coursework, environment, source=KERNEL, options=OF_1000, *, check=True):
    return list(time_runs(runs(coursework, options), request(source, check=check), environment, lambda _: None))


def request(source, *, check=True):
    submission = submitted(source)
    return RunRequest(submission=submission, seed=1, repeat=3, check=check)


def outcome(*args, **more):
    (found,) = driven(*args, **more)
    return found.outcome


@pytest.mark.timed
def test_every_launch_but_the_first_is_timed_by_three_clocks(addition, environment):
    """All launches except the first are timed by three clocks. A time that includes another time is longer than it, and
    the results are right.
    """
    found = outcome(addition, environment)
    assert isinstance(found, Measured)
    assert (found.sizes, found.checked, found.problem, found.turns) == ({"n": 1000}, True, None, 1)
    assert len(found.launches) == len(found.totals) == 3
    for launch, total in zip(found.launches, found.totals, strict=True):
        assert 0 < launch.seconds < launch.wall_seconds < total


def test_rates_are_the_work_of_the_assignment_over_the_time(addition, course):
    """A rate is the work divided by the time. The work is the number of operations if the assignment gives it, and
    otherwise the number of bytes. A time of zero has no rate.
    """
    found = measured(addition, 2.0)
    assert (found.work, found.unit) == (12 * 100_000, "GB/s")
    assert found.on_device == (0.001, 0.002, 0.02)
    assert found.rate(0.002) == pytest.approx(0.6)
    assert found.rate(0.0) is None
    product = measured(course.load("blockMMM"))
    assert (product.work, product.unit) == (2 * 64 * 1024 * 256, "GFLOPS")


@pytest.mark.timed
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("z[i] = x[i]", "WRONG_OUTPUT"),
        ("z[i + 1] = x[i]", "OUT_OF_BOUNDS"),
        ("x[i] = z[i] = x[i] + y[i]", "INPUT_CHANGED"),
        ("", "NOT_WRITTEN"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_grading_and_only_if_asked(addition, environment, statement, reason):
    """A kernel with wrong results is timed, and its problem has the words that a grading uses. Without `check`, no
    problem is reported, except that nothing was stored.
    """
    source = f"__kernel void add{PARAMETERS} {{ const uint32_t i = get_global_id(0); if (i < n) {{ {statement}; }} }}\n"
    checked, unchecked = (outcome(addition, environment, source, check=check) for check in (True, False))
    assert checked.problem.reason == reason
    assert len(checked.launches) == len(unchecked.launches) == 3
    assert not unchecked.checked
    assert (unchecked.problem is not None) == (reason == "NOT_WRITTEN")


@pytest.mark.timed
@pytest.mark.parametrize("files", [(ADDITION, KERNEL, ORACLE), (COUNTING, COUNTS, COUNTED)], ids=["output", "updated"])
def test_a_kernel_that_stores_nothing_has_no_rate(tmp_path, environment, files):
    """A kernel that stores nothing has times, but no rate, since it does not do the work. This holds for an output and
    for an updated array, with and without `check`.
    """
    small = course_of(tmp_path, *files).load("small")
    for check in (True, False):
        idle = outcome(small, environment, f"__kernel void add{PARAMETERS} {{ }}\n", check=check)
        assert idle.problem.message == "nothing was stored in `z`, so no rate can be computed."
        assert (idle.rate(1.0), len(idle.launches)) == (None, 3)


@pytest.mark.timed
def test_every_launch_has_fresh_data(tmp_path, environment):
    """Every launch gets fresh data, so an updated array never contains the results of an earlier launch."""
    counting = course_of(tmp_path, COUNTING, COUNTS, COUNTED).load("small")
    assert outcome(counting, environment, COUNTS).problem is None


@pytest.mark.timed
def test_the_turns_that_were_taken_are_told_and_are_the_work(tmp_path, environment):
    """If a convergence test ends the launch after two of nine iterations, the report counts the work of two
    iterations.
    """
    halving = course_of(tmp_path, HALVING, HALVE, HALVES).load("small")
    found = outcome(halving, environment, HALVE, Options())
    assert (found.problem, found.turns, found.work) == (None, 2, 8 * 100 * 2)


@pytest.mark.timed
def test_steps_of_ours_are_stood_in_for_by_the_oracle(course, environment):
    """Only the student's kernel runs. The oracle computes the results of the steps that the model solution would do,
    here a transposition, whether or not the results are checked.
    """
    assignment = course.load("coalsProgrm")
    source = assignment.source("kernels.cl")
    for check in (True, False):
        found = outcome(assignment, environment, source, Options(values={"height": "300", "width": "20"}), check=check)
        assert (len(found.launches[0].steps), found.problem) == (1, None)


@pytest.mark.whole
@pytest.mark.timed
def test_a_sweep_goes_on_after_a_value_that_fails(addition, environment):
    """A sweep continues after a value with which the kernel does not build, does not fit the device or does not end.
    The row of each such value has the reason.
    """
    source = KERNEL.replace("    if (i < n)", "    volatile uint go = GROUP == 16;\n    while (go);\n    if (i < n)")
    sweep = Sweep(name="GROUP", values=("8", "32", "100000", "16", "64"))
    rows = driven(addition, environment, source + NOT_32, Options(values=OF_1000.values, sweep=sweep))
    assert [found.label for found in rows] == list(sweep.values)
    assert [found.problem and found.problem.reason.value for found in rows] == [
        None,
        "BUILD_ERROR",
        "LAUNCH_SIZES",
        "TIME_LIMIT",
        None,
    ]


@pytest.mark.timed
def test_a_crash_is_a_result_and_the_next_kernel_is_timed(suite, environment):
    """If a kernel crashes, the crash is its result. The same worker is restarted and times the next kernel."""
    crashing = f"__kernel void add{PARAMETERS} {{ z[1000000000000UL + n] = 1; }}\n"
    first, second = driven(suite, environment, crashing + KERNEL.replace("add", "plus"))
    assert first.problem.reason == "CRASH"
    assert second.problem is None


@pytest.mark.whole
@pytest.mark.timed
def test_a_kernel_that_is_missing_is_told_in_its_row(suite, environment):
    """If a kernel is missing from the file, its row names the kernel with the nearest name."""
    first, second = driven(suite, environment, KERNEL)
    assert first.problem is None
    assert isinstance(second.outcome, Problem)
    assert "no kernel named plus; the nearest is add" in second.problem.message


def test_a_run_that_cannot_be_is_an_error_alone_and_a_row_among_others(addition, environment):
    """A single run that is too large for the device raises InputError. In a sweep, such a run is a row, because a sweep
    is used to find the limit.
    """
    with pytest.raises(InputError, match="GB of memory"):
        driven(addition, environment, options=Options(values={"n": "999999999"}))
    rows = driven(addition, environment, options=Options(sweep=Sweep(name="n", values=("999999998", "999999999"))))
    assert [found.problem.reason for found in rows] == ["LAUNCH_SIZES"] * 2


def test_the_problem_of_a_row_is_that_of_its_results_or_the_reason_for_none(addition):
    """The problem of a row is the problem of its results or the reason why it has no results. A row with correct
    results has no problem.
    """
    assert row("a", FAILED).problem is row("b", measured(addition, problem=FAILED)).problem is FAILED
    assert row("c", measured(addition)).problem is None


def test_operations_for_each_word_are_counted_in_the_simulator(suite, environment, simulator):
    """The simulator counts the operations per word: this kernel makes one addition for two words read and one written.
    A missing kernel has no count.
    """
    counted = count_intensities(runs(suite, Options()), request(KERNEL), environment, lambda _: None)
    assert counted == {"add": pytest.approx(1 / 3), "plus": None}


def test_a_constant_that_makes_no_sense_where_it_is_counted_leaves_the_count_out(suite, environment, simulator):
    """If the user's values do not fit the simulator's sizes, the count is omitted without an error, because the values
    may fit the timed sizes.
    """
    planned = runs(suite, Options(kernel="add", global_size=("8", "8")))
    assert count_intensities(planned, request(KERNEL), environment, lambda _: None) == {}


def test_without_a_simulator_nothing_is_counted(suite, environment):
    """Without a simulator, the counts are omitted without an error."""

    class Absent:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def ready(self):
            raise NoSimulatorError("none")

    class Bare(GradingEnvironment):
        def simulator(self):
            return Absent()

    bare = Bare(**{field.name: getattr(environment, field.name) for field in fields(GradingEnvironment)})
    assert count_intensities(runs(suite, Options()), request(KERNEL), bare, lambda _: None) == {}
