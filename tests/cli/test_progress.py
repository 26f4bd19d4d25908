"""progress.py: the display while a command works."""

import io
import time

import pytest
from courses import course_of
from hidden_parts import FIELDS
from rich.console import Console
from samples import check

from grader.cli import progress
from grader.cli.progress import verdicts
from grader.course.rubric import Kind
from grader.grading.progress import Decided

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
