"""timings.py: the pages that `grader run` prints, in 80 columns."""

from dataclasses import replace
from pathlib import Path

import pytest
from courses import ADDITION, KERNEL, ORACLE, course_of
from run_measurements import FAILED, WRONG, launch, measured, row
from untimed import untimed_course

from grader.reports.timings import body, render


@pytest.fixture(scope="module")
def addition(tmp_path_factory):
    """An assignment with one kernel, whose rate is in GB/s."""
    return course_of(tmp_path_factory.mktemp("one"), ADDITION, KERNEL, ORACLE).load("small")


@pytest.fixture(scope="module")
def repeated(tmp_path_factory):
    """An assignment with two kernels that are launched repeatedly."""
    launches = [*ADDITION["launches"], {**ADDITION["launches"][0], "kernel": "other"}]
    fields = {**ADDITION, "launches": launches, "repeat": {"times": 7}}
    return course_of(tmp_path_factory.mktemp("many"), fields, KERNEL, ORACLE).load("small")


def page(assignment, rows, swept=None):
    shown = render(assignment, Path("kernels.cl"), body(rows, swept), width=80, color=False)
    assert max(map(len, shown.splitlines())) <= 80
    assert not any(line.endswith(" ") for line in shown.splitlines())
    return shown


def line_of(shown, beginning):
    """Return the words of the line that starts with these words."""
    lines = [f"{' '.join(line.split())} " for line in shown.splitlines()]
    (found,) = (line for line in lines if line.startswith(beginning))
    return found.split()


# --- one kernel ---------------------------------------------------------------------------------


def test_one_kernel_has_a_line_for_each_clock(addition):
    """Each clock has a line with median and minimum. The kernel alone and the total also have a rate."""
    shown = page(addition, [row("add", measured(addition, 2.0))])
    assert shown.startswith("Adding  small\nkernels.cl\n")
    assert "at n 100000; real float, GROUP 64\nadd: global 100032, local 64\n" in shown
    assert line_of(shown, "median ") == ["median", "least", "GB/s"]
    assert " ".join(line_of(shown, "kernel only")) == "kernel only, by the device 2 ms 1 ms 0.6"
    assert " ".join(line_of(shown, "launch")) == "launch, by the clock 2.5 ms 1.5 ms"
    assert " ".join(line_of(shown, "with transfers")) == "with transfers, by the clock 8 ms 4 ms 0.15"
    assert "medians of 3 runs after a warm-up run, on Test Device" in shown


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "results right\n"),
        ({"checked": False}, "results not checked: --check compares them with the expected results"),
        ({"problem": WRONG}, "WRONG_OUTPUT  2 of 3 elements of z are wrong.\n"),
    ],
)
def test_the_results_are_right_or_wrong_or_nobody_has_looked(addition, changes, said):
    """The page makes exactly one of three statements about the results: right, wrong, or not checked."""
    shown = page(addition, [row("add", measured(addition, **changes))])
    assert said in shown
    assert "kernel only" in shown
    assert sum(words in shown for words in ("results right", "not checked", "WRONG_OUTPUT")) == 1


def test_several_kernels_and_iterations_are_told_apart(repeated):
    """Each kernel has a line for its share of the time, and the page shows the number of repetitions."""
    found = measured(repeated, launches=(launch((2.0, 1.0), turns=7),), totals=(0.01,))
    shown = page(repeated, [row("add", found)])
    assert "repeated: 7 iterations" in shown
    assert " ".join(line_of(shown, "kernel only")) == "kernel only, by the device 3 ms 3 ms 0.4"
    assert " ".join(line_of(shown, "add ")) == "add 2 ms 2 ms"
    assert " ".join(line_of(shown, "other ")) == "other 1 ms 1 ms"
    assert "medians of 1 run after" in shown


def test_why_there_are_no_times_is_said_with_what_backs_it(addition):
    """If there are no times, the page shows the reason with its detail, but no table and no device."""
    shown = page(addition, [row("add", FAILED)])
    assert shown.endswith("\n\nLAUNCH_SIZES  add would have groups of 8,192 work-items.\nwhy\n")
    assert "kernel only" not in shown


def test_a_clock_that_saw_no_time_pass_gives_no_rate(addition):
    """A measured time of zero gives a dash instead of an infinite rate."""
    shown = page(addition, [row("add", measured(addition, 0.0))])
    assert line_of(shown, "kernel only")[-1] == "-"


# --- tables -------------------------------------------------------------------------------------


def test_a_sweep_has_a_row_and_a_bar_for_each_value(addition):
    """A sweep has a row with a bar for each value. The fastest has the longest bar.

    A value that failed has no bar. Its reason is printed below the table.
    """
    rows = [row("8", measured(addition, 4.0)), row("16", measured(addition, 2.0)), row("32", FAILED)]
    shown = page(addition, rows, swept="GROUP")
    assert "at n 100000; real float\n" in shown
    assert line_of(shown, "GROUP") == ["GROUP", "ms", "GB/s", "GB/s", "results"]
    assert line_of(shown, "8 ")[:5] == ["8", "4", "0.3", "0.075", "right"]
    assert line_of(shown, "16 ")[:5] == ["16", "2", "0.6", "0.15", "right"]
    assert line_of(shown, "32 ") == ["32", "-", "-", "-", "failed"]
    slow, fast = (line_of(shown, label)[-1] for label in ("8 ", "16 "))
    assert set(fast) == {"█"}
    assert len(fast) // 2 in {len(slow), len(slow) - 1}
    assert len(fast) > 30
    assert "\n32: LAUNCH_SIZES  add would have groups of 8,192 work-items.\n" in shown


def test_a_table_says_who_is_wrong_and_who_was_not_looked_at(addition):
    """A table marks wrong and unchecked results. Wrong kernels still show their times."""
    rows = [row("8", measured(addition, problem=WRONG)), row("16", measured(addition, checked=False))]
    shown = page(addition, rows, swept="GROUP")
    assert line_of(shown, "8 ")[:5] == ["8", "2", "0.6", "0.15", "wrong"]
    assert line_of(shown, "16 ")[4] == "unchecked"
    assert "8: WRONG_OUTPUT  2 of 3 elements of z are wrong." in shown


@pytest.mark.parametrize("checked", [True, False])
def test_a_table_says_how_to_check_results(addition, checked):
    """Below a table with unchecked results, a line says how to check them."""
    rows = [row("32", measured(addition)), row("64", measured(addition, checked=checked))]
    shown = page(addition, rows, swept="GROUP")
    assert ("results not checked: --check compares them" in shown) is not checked


def test_a_ladder_is_held_against_its_first_kernel(addition):
    """The rows of a ladder are compared with its first kernel. The operations per word are shown if they are known."""
    rows = [
        row("first", measured(addition, 4.0), intensity=1 / 3),
        row("a-kernel-with-a-rather-long-name", measured(addition, 2.0)),
        row("last", FAILED),
    ]
    shown = page(addition, rows)
    assert " ".join(line_of(shown, "kernel ms")) == "kernel ms GB/s GB/s results first a word"
    assert line_of(shown, "first") == ["first", "4", "0.3", "0.075", "right", "1.00", "0.33"]
    (long,) = (line.split() for line in shown.splitlines() if line.endswith(" 2.00       -"))
    assert long[1:] == ["2", "0.6", "0.15", "right", "2.00", "-"]
    assert line_of(shown, "last ") == ["last", "-", "-", "-", "failed", "-", "-"]
    assert "iterations" not in shown


def test_a_ladder_of_repeated_launches_has_their_iterations(repeated):
    """A ladder of repeated launches has a column with the number of repetitions. A failed kernel has a dash there."""
    found = measured(repeated, launches=(launch((2.0, 1.0), turns=1234),), totals=(0.01,))
    shown = page(repeated, [row("first", found), row("second", FAILED)])
    assert line_of(shown, "first")[-1] == "1,234"
    assert line_of(shown, "second ")[-1] == "-"


def test_the_name_of_a_kernel_is_not_broken(repeated):
    """In the widest table, a name of 20 characters stays on one line."""
    found = measured(repeated, 777.0, 777.0, launches=(launch((20.0, 11.0), turns=1234),), checked=False)
    shown = page(repeated, [row("first", found), row("jacobiBranchFreeAlso", found, intensity=1.02)])
    assert line_of(shown, "jacobiBranchFreeAlso ")[4:] == ["unchecked", "1.00", "1.02", "1,234"]


def test_nothing_is_held_against_a_first_kernel_that_failed(addition):
    """If the first kernel failed, the other kernels are not compared with it."""
    shown = page(addition, [row("first", FAILED), row("second", measured(addition))])
    assert line_of(shown, "second")[-2:] == ["-", "-"]


def test_sizes_that_differ_are_told_with_the_rows_that_have_them(addition):
    """If sizes differ, for example because a slow kernel is timed at smaller ones, rows are listed by their sizes."""
    small = measured(addition, sizes={"n": 8})
    rows = [row("one", measured(addition)), row("two", small), row("three", measured(addition))]
    shown = page(addition, rows)
    assert "one, three at n 100000; real float, GROUP 64\ntwo at n 8; real float, GROUP 64\n" in shown


def test_rates_of_several_units_are_told_apart_and_not_compared(addition, course):
    """A table with both GB/s and GFLOPS shows the unit in each row, and does not compare the rows."""
    rows = [row("add", measured(addition)), row("mul", measured(course.load("blockMMM"), 2.0))]
    shown = page(addition, rows)
    assert line_of(shown, "kernel ms")[:4] == ["kernel", "ms", "rate", "rate"]
    assert line_of(shown, "add 2 ")[2:4] == ["0.6", "GB/s"]
    assert line_of(shown, "mul 2 ")[3] == "GFLOPS"
    assert line_of(shown, "mul 2 ")[-2:] == ["-", "-"]


def test_a_problem_that_several_rows_have_is_told_once(addition):
    """A problem that several rows share is printed once. Without measurements, there is no note about medians."""
    shown = page(addition, [row("one", FAILED), row("two", replace(FAILED, detail="other"))])
    assert shown.count("LAUNCH_SIZES") == 1
    assert "one, two: LAUNCH_SIZES" in shown
    assert "medians" not in shown


def test_a_label_cannot_move_the_cursor(addition):
    """Escape sequences in a label, such as a constant from the command line, do not reach the terminal."""
    shown = page(addition, [row("\x1b[31m", measured(addition)), row("8", FAILED)], swept="real")
    assert "\x1b" not in shown


# --- without rates ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def untimed(tmp_path_factory):
    """An assignment without a speed check."""
    return untimed_course(tmp_path_factory.mktemp("untimed")).load("small")


def test_one_kernel_without_a_rate_has_its_seconds(untimed):
    """For a kernel without a rate, the table shows its times, and has no empty column."""
    shown = page(untimed, [row("add", measured(untimed, 2.0))])
    assert line_of(shown, "median ") == ["median", "least"]
    assert " ".join(line_of(shown, "kernel only")) == "kernel only, by the device 2 ms 1 ms"
    assert " ".join(line_of(shown, "with transfers")) == "with transfers, by the clock 8 ms 4 ms"


def test_a_sweep_without_rates_is_a_table_of_times(untimed):
    """A sweep without rates is a table of times. It has no bars, because bars show rates."""
    rows = [row("8", measured(untimed, 4.0)), row("16", FAILED)]
    shown = page(untimed, rows, swept="GROUP")
    assert line_of(shown, "GROUP") == ["GROUP", "ms", "ms", "results"]
    assert line_of(shown, "8 ") == ["8", "4", "16", "right"]
    assert line_of(shown, "16 ") == ["16", "-", "-", "failed"]


def test_a_kernel_without_a_rate_among_others_has_its_milliseconds(untimed, addition):
    """In a suite in which only some parts have rates, a kernel without a rate shows its milliseconds."""
    shown = page(untimed, [row("first", measured(addition, 4.0)), row("other", measured(untimed, 2.0))])
    assert line_of(shown, "first") == ["first", "4", "0.3", "0.075", "right", "1.00", "-"]
    assert line_of(shown, "other") == ["other", "2", "-", "-", "right", "-", "-"]
