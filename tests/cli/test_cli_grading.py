"""grading.py: `--watch` grades a file each time it is saved, and the suggestion after a grading."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from commandline import MODEL, NOT_BUILDING, QUICK, WRONG, environment
from processes import parents_of_all, wait_for
from samples import BUILD, RACE, SLOW, check, failed, result

from grader.cli.grading import next_step
from grader.cli.remote import sign_in_file
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.results.verdicts import Reason, Verdict

SECONDS = 120
"""Time limit for one grading on a busy machine."""


class Watched:
    """A grader that watches a file. `told` is the progress that it has printed, and `said` are its reports."""

    def __init__(self, folder, source, *options):
        self.file, self._out, self._err = folder / "kernels.cl", folder / "out", folder / "err"
        self.file.write_text(source)
        words = ("grade", "kernels.cl", "--assignment", "coalsTransp", "--watch", "--json", "result.json", *options)
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "grader.cli.main", *words],
                cwd=folder,
                env=environment(**QUICK, GRADER_PROFILES=str(folder / "profiles")),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )

    @property
    def said(self):
        return self._out.read_text()

    @property
    def told(self):
        return self._err.read_text()

    def waits(self, number):
        """Wait until this many reports are printed."""
        assert wait_for(lambda: self.said.count("waiting until kernels.cl is saved") == number, SECONDS), self.told

    def tells(self, words):
        """Wait until the progress contains these words."""
        assert wait_for(lambda: words in self.told, SECONDS), self.told


@contextmanager
def watched(folder, source, *options):
    """Watch the file, stop with Ctrl-C, and check that no process of the grader is left.

    Ctrl-C is not an error: the exit code tells if a check failed in the last report.
    """
    grader = Watched(folder, source, *options)
    try:
        yield grader
        below = descendants(grader.process.pid)
        grader.process.send_signal(signal.SIGINT)
        assert grader.process.wait(SECONDS) in {0, 1}
        assert wait_for(lambda: not any(map(is_there, below)))
        assert "grader: " not in grader.told.splitlines()[-1]
        assert "Traceback" not in grader.told
    finally:
        grader.process.kill()
        grader.process.wait()


def descendants(pid):
    """Return all descendants of this process."""
    parents = parents_of_all()
    below, found = {pid}, {pid}
    while below:
        below = {child for child, parent in parents.items() if parent in below} - found
        found |= below
    return found - {pid}


def is_there(pid):
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def test_a_save_is_graded_and_what_has_changed_is_told(tmp_path):
    """A save that changes the text is graded, unlike one without a change or one that empties the file briefly.

    Ctrl-C leaves no process behind.
    """
    with watched(tmp_path, NOT_BUILDING) as grader:
        grader.waits(1)
        grader.file.write_text(NOT_BUILDING)
        grader.file.write_text("")
        time.sleep(0.5)
        grader.file.write_text(NOT_BUILDING.replace("nothing", "nobody"))
        grader.waits(2)
        assert grader.said.count("failed  build") == 2
        assert "\nStill 0 of 100.\n" in grader.said
        assert (tmp_path / "result.json").read_text().count("nobody") >= 1
    assert grader.process.returncode == 1


@pytest.mark.whole
def test_a_text_that_cannot_be_graded_ends_nothing(tmp_path):
    """A file that cannot be graded is reported in one line, and the next save is graded."""
    with watched(tmp_path, NOT_BUILDING) as grader:
        grader.waits(1)
        grader.file.write_bytes(b"\x7fELF\x00")
        grader.tells("binary file")
        grader.file.write_text(NOT_BUILDING + "// again\n")
        grader.waits(2)


@pytest.mark.whole
def test_a_save_ends_the_grading_of_what_was_saved_before(tmp_path):
    """A save cancels the grading of the previous text, even while it is being timed.

    The first report is therefore about the new text.
    """
    with watched(tmp_path, MODEL.read_text()) as grader:
        grader.tells("watching every access")
        grader.file.write_text(WRONG)
        grader.waits(1)
        assert "failed  correctness" in grader.said
        grader.file.write_text(MODEL.read_text())
        grader.waits(2)
        assert " of 100 (was " in grader.said
        assert " more cases are right." in grader.said


MISTAKEN = failed("correctness: one (n 1)")
FOUND = failed("correctness: one (n 1)", message="line 3 adds once too often.")
LACKING = failed("correctness: one (n 1)", reason=Reason.KERNEL_MISSING)
RACED = failed("sanitizer (n 70)", kind=Kind.SANITIZER, reason=Reason.DATA_RACE, findings=(RACE,))
WASTEFUL = failed("memory: words read", kind=Kind.MEMORY, reason=Reason.EXTRA_TRAFFIC)
UNWATCHED = check("sanitizer", Kind.SANITIZER, Verdict.SKIPPED, 0, 12, reason=Reason.NO_SIMULATOR, message="no.")
UNBUILT = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 5: what?")


@pytest.fixture(autouse=True)
def signed_out(tmp_path, monkeypatch):
    """A terminal that is not signed in."""
    monkeypatch.setattr(sign_in_file, "path", lambda: tmp_path / "sign-in.json")
    return tmp_path


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ((BUILD, MISTAKEN), "`grader explain mine -a x` searches longer for the wrong line"),
        ((BUILD, WASTEFUL), "`grader profile mine -a x` shows the memory accesses"),
        ((BUILD, SLOW), "`grader run mine -a x` times this kernel"),
        ((BUILD, UNWATCHED), "`grader setup` installs the simulator."),
    ],
    ids=["wrong", "wasteful", "slow", "unwatched"],
)
def test_the_first_cause_decides_which_command_helps(checks, said):
    """A command is suggested, with the arguments of the grading, if it shows more than the report."""
    assert next_step(result(*checks), "", " mine -a x").startswith(said)


@pytest.mark.parametrize(
    "checks", [(UNBUILT,), (BUILD, FOUND), (BUILD, LACKING), (BUILD, RACED, WASTEFUL), (BUILD,)], ids=range(5)
)
def test_no_command_is_named_where_the_report_has_said_all(checks):
    """No command is suggested if the report shows the line of the first cause, or if every check passed."""
    assert next_step(result(*checks), "", "") is None


def test_the_skeleton_is_recognised():
    """For an unchanged skeleton, no command that searches for a mistake is suggested."""
    graded = replace(result(BUILD, MISTAKEN), source="void x();\n")
    assert next_step(graded, "void x();", "").startswith("this is still the skeleton: write your kernel")


def test_a_passed_file_is_handed_in_from_a_terminal_that_is_signed_in(signed_out):
    """If the terminal is signed in and no check failed, `grader submit` is suggested.

    This is also true if some checks are decided on another machine.
    """
    (signed_out / "sign-in.json").touch()
    elsewhere = check("p", Kind.PERFORMANCE, Verdict.SKIPPED, 0, 9, reason=Reason.DECIDED_ELSEWHERE, message="no.")
    assert next_step(result(BUILD), "", "") == "`grader submit` hands this kernel in."
    assert next_step(result(BUILD, elsewhere), "", " mine") == "`grader submit mine` hands this kernel in."
    assert next_step(result(BUILD, RACED), "", "") is None
