"""course.py: a batch on a machine that lacks the required simulator or device, and a batch that is released later."""

import csv

import pytest
from batches import WRONG as WRONG_ONES
from batches import batch, run, small_batch
from commandline import QUICK, WRONG, grader, without_simulator
from courses import KERNEL
from hidden_parts import WRONG_WHEN_RAGGED, hiding_course


@pytest.mark.whole
def test_a_batch_that_requires_the_sanitizer_grades_nobody_without_it(tmp_path, bare_python):
    """With --require-sanitizer but without the simulator, a batch ends with exit code 3 before any grading.

    The message gives the reason, and no student counts as failed.
    """
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "anna.cl").write_text(WRONG)
    done = without_simulator(
        tmp_path,
        bare_python,
        *("batch", "submissions", "--assignment", "coalsTransp", "--out", "results", "--require-sanitizer"),
        *("--sandbox", "process"),
    )
    assert done.returncode == 3
    assert done.stderr.startswith("grader: not graded: the simulator is missing. Run `")
    assert list((tmp_path / "results" / "results").iterdir()) == []
    assert not (tmp_path / "results" / "students").exists()


@pytest.mark.whole
def test_a_batch_without_the_simulator_says_whose_points_are_not_whole(tmp_path, bare_python, simulator):  # noqa: ARG001 - it is installed
    """Without the simulator, the last lines, the overview and the table report submissions that were not fully checked.

    This keeps instructors from publishing incomplete points. Exit code 3 takes precedence over the code for failed
    students. With the simulator, the command grades these submissions again.
    """
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "anna.cl").write_text(WRONG)
    command = ("batch", "submissions", "--assignment", "coalsTransp", "--out", "out")
    command += ("--sandbox", "process")
    done = without_simulator(tmp_path, bare_python, *command)
    assert done.returncode == 3
    assert "1 submission with open checks, up to 50 points each: the simulator is missing." in done.stdout
    assert "The simulator is missing. Run `" in done.stdout
    assert "1 submission with open checks" in (tmp_path / "out" / "index.html").read_text()
    (row,) = csv.DictReader((tmp_path / "out" / "grades.csv").read_text(encoding="utf-8-sig").splitlines())
    assert (row["max_points"], row["unchecked"], row["unchecked_reason"]) == ("100", "50", "NO_SIMULATOR")
    done = grader(tmp_path, *command, **QUICK)
    assert (done.returncode, "made before" in done.stdout) == (1, False)
    assert "with open checks" not in done.stdout


@pytest.mark.whole
def test_a_batch_on_a_device_that_is_not_there_ends_before_it_begins(tmp_path):
    """A batch on several devices ends with exit code 3 before any grading if one of the devices does not exist."""
    small_batch(tmp_path, 1)
    command = batch(tmp_path, tmp_path / "out", "--jobs", "2", "--device", "0,99")
    assert run(command, tmp_path / "log") == 3
    assert "there is no OpenCL device 99" in (tmp_path / "log").read_text()


@pytest.mark.whole
def test_the_number_of_the_device_changes_no_result(tmp_path):
    """A batch that ran on one device can continue on another of the same kind without grading anything again."""
    small_batch(tmp_path, 2, kinds=WRONG_ONES)
    for options in ((), ("--device", "0"), ("--jobs", "1", "--device", "0")):
        assert run(batch(tmp_path, tmp_path / "out", *options), tmp_path / "log") == 1
    assert (tmp_path / "log").read_text().count("2 gradings, 2 of them made before") == 2


@pytest.mark.whole
def test_a_batch_is_released_by_the_same_command(tmp_path):
    """Before the release, the files of students do not reveal who fails a hidden case.

    After --release, they show the outcome, without another grading.
    """
    hiding_course(tmp_path / "course", "case")
    for name, source in (("anna", KERNEL), ("bob", WRONG_WHEN_RAGGED)):
        (tmp_path / "submissions" / name).mkdir(parents=True)
        (tmp_path / "submissions" / name / "kernels.cl").write_text(source)
    command = ("batch", "submissions", "--assignment", "small", "--course", "course", "--out", "out")
    command += ("--sandbox", "process")
    students = tmp_path / "out" / "students"

    def told(name):
        return "".join(path.read_text() for path in sorted((students / name).iterdir()))

    done = grader(tmp_path, *command, **QUICK)
    assert done.returncode == 1  # the instructor's exit code counts Bob's failure
    for name in ("anna", "bob"):
        assert "its outcome is shown after release" in told(name)
        assert "elements of z" not in told(name)
    assert "1 of 1,000 elements of z is wrong" in (tmp_path / "out" / "batch.xml").read_text()
    done = grader(tmp_path, *command, "--release", **QUICK)
    assert "2 gradings, 2 of them made before" in done.stdout
    assert "1 of 1,000 elements of z is wrong" in told("bob")
    assert "its outcome is shown after release" not in told("anna")
