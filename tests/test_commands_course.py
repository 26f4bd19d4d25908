"""commands/course.py: a batch on a machine that lacks what was asked for."""

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
