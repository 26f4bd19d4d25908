"""progress.py: the display while a command works."""

import io
import re
import time

import pytest
from courses import course_of
from hidden_parts import FIELDS
from rich.console import Console
from samples import check

from grader.cli import progress
from grader.cli.progress import steps, verdicts
from grader.course.rubric import Kind
from grader.grading.progress import Decided, prefixed

BUILD = check("build", kind=Kind.BUILD)


@pytest.fixture
def small(tmp_path):
    return course_of(tmp_path, FIELDS).load("small")


def shown(monkeypatch, coursework, *, terminal):
    """Return all output from the verdict of the build to the first case."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=terminal, width=80, height=10, _environ={"TERM": "xterm"})
    monkeypatch.setattr(progress, "Console", lambda **_: console)
    with verdicts(coursework, time.monotonic()) as tell:
        tell(Decided(check=BUILD))
        tell("running the cases")
    return written.getvalue()


def test_a_log_only_grows_and_has_no_control_characters(small, monkeypatch):
    """A log has one line for each event, and no control characters."""
    log = shown(monkeypatch, small, terminal=False)
    assert [line.partition(" s ")[2] for line in log.splitlines()] == [
        "passed  build",
        "running the cases (1 of 8 checks decided)",
    ]
    assert log.isprintable() or not set(log) & set(map(chr, range(32))) - {"\n"}


def test_a_terminal_is_left_as_it_was(small, monkeypatch):
    """On a terminal, the display is erased at the end, because the report repeats its content."""
    assert shown(monkeypatch, small, terminal=True).endswith("\x1b[2K")


def test_a_log_that_nobody_reads_any_more_is_no_fault(small, monkeypatch):
    """If the pipe of the log breaks, the grading continues and writes its files."""

    class Gone(io.StringIO):
        def write(self, _):
            raise BrokenPipeError

    monkeypatch.setattr(progress, "Console", lambda **_: Console(file=Gone(), force_terminal=False))
    with verdicts(small, time.monotonic()) as tell:
        tell("building")


def test_each_step_of_a_validation_has_a_line(monkeypatch):
    """Where lines cannot be erased, each step of a validation has a line with the time and the graded file. Decided
    checks have none, since the page describes them.
    """
    written = io.StringIO()
    monkeypatch.setattr(progress, "Console", lambda **_: Console(file=written, force_terminal=False, width=80))
    with steps(time.monotonic()) as tell:
        of_model = prefixed("the model solution", tell)
        of_model("building")
        of_model(Decided(check=BUILD))
        tell("checking the device")
    assert re.fullmatch(r" +0\.\d s the model solution: building\n +0\.\d s checking the device\n", written.getvalue())
