"""commands/course.py: a batch on a machine that lacks what was asked for."""

from batches import WRONG as WRONG_ONES
from batches import batch, run, small_batch
from commandline import WRONG, without_simulator


def test_a_batch_that_requires_the_sanitizer_grades_nobody_without_it(tmp_path, bare_python):
    """Nor does it take anybody for failed: it ends before it has begun, and says why."""
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "anna.cl").write_text(WRONG)
    done = without_simulator(
        tmp_path,
        bare_python,
        *("batch", "submissions", "--assignment", "coalsTransp", "--out", "results", "--require-sanitizer"),
        *("--sandbox", "process", "--trust-submissions"),
    )
    assert done.returncode == 3
    assert done.stderr.startswith("grader: not graded: the simulator is not installed: run `apt install oclgrind")
    assert list((tmp_path / "results" / "results").iterdir()) == []
    assert not (tmp_path / "results" / "students").exists()


def test_a_batch_on_a_device_that_is_not_there_ends_before_it_begins(tmp_path):
    """Though its first device is."""
    small_batch(tmp_path, 1)
    command = batch(tmp_path, tmp_path / "out", "--jobs", "2", "--device", "0,99")
    assert run(command, tmp_path / "log") == 3
    assert "there is no OpenCL device 99" in (tmp_path / "log").read_text()


def test_the_number_of_the_device_changes_no_result(tmp_path):
    """A batch that was begun on one device goes on with others of its kind: nothing is graded again."""
    small_batch(tmp_path, 2, kinds=WRONG_ONES)
    for options in ((), ("--device", "0"), ("--jobs", "1", "--device", "0")):
        assert run(batch(tmp_path, tmp_path / "out", *options), tmp_path / "log") == 1
    assert (tmp_path / "log").read_text().count("2 gradings to make, of which 2 are there from before") == 2
