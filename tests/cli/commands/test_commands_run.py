"""run.py: the options, tables, figures and exit codes of `grader run`."""

from xml.etree import ElementTree

import pytest
from commandline import MODEL, NOT_BUILDING, WRONG, complaint, grader, names_in, output_of
from courses import course_of
from two_kernels import BOTH, PARTS

SMALL = ("--size", "height=40,width=30", "--repeat", "2")


@pytest.fixture
def folder(tmp_path):
    """Return a folder that contains a right submission."""
    (tmp_path / "kernels.cl").write_bytes(MODEL.read_bytes())
    return tmp_path


def timed(folder, *args):
    return grader(folder, "run", "kernels.cl", "--assignment", "coalsTransp", *args)


@pytest.mark.timed
def test_a_right_kernel_is_exit_code_0(folder):
    """A right kernel leads to exit code 0, with times and rates at the given sizes. Only --check checks its results."""
    shown = output_of(folder, "run", "kernels.cl", "--assignment", "coalsTransp", *SMALL)
    assert "at height 40, width 30;" in shown
    assert "coalsTransp: global 32 x 48, local 16 x 16" in shown
    assert "kernel only" in shown
    assert "results not checked" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "results right" in output_of(folder, "run", ".", "--assignment", "coalsTransp", *SMALL, "--check")


@pytest.mark.timed
def test_the_sizes_are_those_that_are_graded_for_speed_unless_given(folder, course):
    """The sizes that the user does not set come from the speed goals for this device's class."""
    sizes = course.load("coalsTransp").performance.classes["cpu"].sizes
    assert f"at height {sizes['height']}, width 8;" in timed(folder, "--size", "width=8", "--repeat", "1").stdout


@pytest.mark.timed
def test_launch_sizes_and_constants_are_those_that_were_given(folder):
    """Launch sizes and constants can be set in the syntax of assignment.yaml."""
    done = timed(
        folder, *SMALL, "--check", "--define", "TILE=8", "--global", "ceil_to(width, 8), 40", "--local", "8,TILE"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "TILE 8" in done.stdout
    assert "coalsTransp: global 32 x 40, local 8 x 8" in done.stdout
    assert "results right" in done.stdout


@pytest.mark.whole  # tests/grading/by_hand/test_run.py times wrong kernels, too
@pytest.mark.timed
def test_wrong_results_are_exit_code_1_if_somebody_looks(folder):
    """With --check, wrong results lead to exit code 1; without it, to 0. The times are printed in both cases."""
    (folder / "kernels.cl").write_text(WRONG)
    assert timed(folder, *SMALL).returncode == 0
    done = timed(folder, *SMALL, "--check")
    assert (done.returncode, done.stderr) == (1, "")
    assert "WRONG_OUTPUT  " in done.stdout
    assert "kernel only" in done.stdout


def test_a_kernel_that_does_not_build_is_exit_code_1(folder):
    """A kernel that does not build leads to exit code 1, with the line and the compiler's error."""
    (folder / "kernels.cl").write_text(NOT_BUILDING)
    done = timed(folder, *SMALL)
    assert (done.returncode, done.stderr) == (1, "")
    assert "BUILD_ERROR  line 5, column 12: " in done.stdout


@pytest.mark.timed
def test_a_sweep_is_a_table_and_a_figure(folder):
    """A sweep prints a table and draws a figure.

    For a value that the device cannot launch, the table gives the reason, and the exit code is 1.
    """
    done = timed(folder, *SMALL, "--check", "--sweep", "TILE=8,16,1000", "--plot", "tiles.svg")
    assert (done.returncode, done.stderr) == (1, "")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [(row[0], row[4]) for row in rows if row and row[0] in {"8", "16", "1000"}] == [
        ("8", "right"),
        ("16", "right"),
        ("1000", "failed"),
    ]
    assert "1000: LAUNCH_SIZES  coalsTransp would have groups of 1000 x 1000" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    ElementTree.parse(folder / "tiles.svg")
    assert names_in(folder) == ["kernels.cl", "tiles.svg"]


@pytest.mark.whole
@pytest.mark.timed
def test_a_suite_is_a_table_of_its_kernels_in_their_order(tmp_path, simulator):  # noqa: ARG001 - it is installed
    """A suite prints a table with the time and the memory traffic of each of its kernels, in their order.

    --kernel selects a single kernel.
    """
    reads = {"name": "reads", "measure": "words read", "at_most": "2*n", "points": 1}
    course_of(tmp_path / "course", {**PARTS, "memory": {"sizes": {"n": 128}, "checks": [reads]}}, BOTH)
    (tmp_path / "kernels.cl").write_text(BOTH)
    call = ("run", "kernels.cl", "--assignment", "small", "--course", "course", "--size", "n=500", "--check")
    rows = [line.split() for line in output_of(tmp_path, *call, "--plot", "both.svg").splitlines()]
    found = [row for row in rows if row and row[0] in {"add", "plus"}]
    assert [(row[0], row[4], row[6]) for row in found] == [("add", "right", "0.33"), ("plus", "right", "0.33")]
    assert found[0][5] == "1.00"
    ElementTree.parse(tmp_path / "both.svg")
    assert "plus: global 512, local 64" in output_of(tmp_path, *call, "--kernel", "plus")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--kernel", "blockMMM"), "coalsTransp has no kernel blockMMM; it has coalsTransp."),
        (("--size", "n=3"), "coalsTransp has no n; its sizes are height, width"),
        (("--define", "TILE"), "--define TILE: write a name and its value"),
        (("--size", "height=0"), "height=0: it must be a positive whole number"),
        (("--global", "64,"), "--global 64,: write one to three sizes"),
        (("--local", "64"), "2 dimensions in its global size and 1 in its local size"),
        (("--sweep", "TILE"), "--sweep TILE: write a name and distinct values"),
        (("--sweep", "TILES=8"), "coalsTransp has no TILES"),
        (("--plot", "times.svg"), "add --sweep, or time all kernels of a suite"),
        (("--sweep", "TILE=8,16", "--plot", "none/times.svg"), "there is no folder none"),
        (("--sweep", "TILE=8,16", "--plot", "kernels.cl"), "it is the submission"),
        (("--size", "height=100000,width=100000"), "the arrays would take 80.0 GB"),
    ],
)
def test_an_option_that_cannot_be_used_is_one_line_and_exit_code_2(folder, args, said):
    """An invalid option leads to exit code 2 and a line with the value and the problem. No file is written."""
    assert said in complaint(timed(folder, *args))
    assert names_in(folder) == ["kernels.cl"]
