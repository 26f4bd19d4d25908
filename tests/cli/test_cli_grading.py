"""grading.py: a file that is graded whenever it is saved."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from commandline import MODEL, NOT_BUILDING, QUICK, WRONG, environment
from processes import parents_of_all, wait_for

SECONDS = 120
"""For a grading on a busy machine."""


class Watched:
    """A file in a folder, and a grader that watches it; `told` is what it says as it works, `said` its reports."""

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
        """Wait until so many reports are there."""
        assert wait_for(lambda: self.said.count("waiting until kernels.cl is saved") == number, SECONDS), self.told

    def tells(self, words):
        """Wait until it has said that."""
        assert wait_for(lambda: words in self.told, SECONDS), self.told


@contextmanager
def watched(folder, source, *options):
    """Watch it, and end that by Ctrl-C: no process that it has started is left."""
    grader = Watched(folder, source, *options)
    try:
        yield grader
        below = descendants(grader.process.pid)
        grader.process.send_signal(signal.SIGINT)
        assert grader.process.wait(SECONDS) == 130
        assert wait_for(lambda: not any(map(is_there, below)))
        assert grader.told.endswith("grader: interrupted by SIGINT.\n")
    finally:
        grader.process.kill()
        grader.process.wait()


def descendants(pid):
    """Processes below this one."""
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
    """The same text again is not; a file that is empty for a moment neither. Ctrl-C ends it, and no process is left."""
    with watched(tmp_path, NOT_BUILDING) as grader:
        grader.waits(1)
        grader.file.write_text(NOT_BUILDING)
        grader.file.write_text("")
        time.sleep(0.5)
        grader.file.write_text(NOT_BUILDING.replace("nothing", "nobody"))
        grader.waits(2)
        assert grader.said.count("FAILED build") == 2
        assert "since the last time: still 0 of 100 points" in grader.said
        assert (tmp_path / "result.json").read_text().count("nobody") >= 1


@pytest.mark.whole
def test_a_text_that_cannot_be_graded_ends_nothing(tmp_path):
    """One line says why; the next save is graded."""
    with watched(tmp_path, NOT_BUILDING) as grader:
        grader.waits(1)
        grader.file.write_bytes(b"\x7fELF\x00")
        grader.tells("binary file")
        grader.file.write_text(NOT_BUILDING + "// again\n")
        grader.waits(2)


@pytest.mark.whole
def test_a_save_ends_the_grading_of_what_was_saved_before(tmp_path):
    """While it is timed; the cases of the new text are told, and its report is the first."""
    with watched(tmp_path, MODEL.read_text()) as grader:
        grader.tells("watching every access")
        grader.file.write_text(WRONG)
        grader.waits(1)
        assert "FAILED correctness" in grader.said
        grader.file.write_text(MODEL.read_text())
        grader.waits(2)
        assert "since the last time: +" in grader.said
        assert "cases more right" in grader.said
