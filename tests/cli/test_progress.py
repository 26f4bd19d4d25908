"""progress.py: the display while a command works."""

import io
import re
import time

import pytest
from courses import course_of
from hidden_parts import FIELDS, hiding_course
from rich.console import Console
from samples import check, failed
from suites import suite_course

from grader.cli import progress
from grader.cli.progress import LiveBoard, steps, verdicts
from grader.course.rubric import Kind
from grader.grading.progress import Decided, prefixed
from grader.results.verdicts import Reason, Verdict

BUILD = check("build", kind=Kind.BUILD)


@pytest.fixture
def small(tmp_path):
    """An assignment without hidden parts. It has three cases, three checks by the simulator, and a speed check."""
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
    """Each step of a validation has a line if lines cannot be erased, with the time and the graded file. Decided
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


ONE = check("correctness: one (n 1)")
RAGGED = failed("correctness: ragged (n 1000)")
RACE = failed("sanitizer (n 70)", kind=Kind.SANITIZER, reason=Reason.DATA_RACE)


def heard(coursework, *events):
    board = LiveBoard(coursework)
    for event in events:
        board.hear(event)
    return board


def test_a_log_has_a_line_for_what_begins_and_for_what_is_decided(small):
    """A log has a line with the seconds for each start and each verdict.

    For a failure, the line contains the reason and, if the verdict is final, a sentence.
    """
    race = Decided(check=RACE, sentence="line 3 races.")
    board, lines = LiveBoard(small), []
    for event in ("running the cases", Decided(check=BUILD), Decided(check=RAGGED), race):
        board.hear(event)
        lines.append(board.line(event, 1.26))
    assert lines == [
        "  1.3 s running the cases (0 of 8 checks decided)",
        "  1.3 s passed  build",
        "  1.3 s failed  correctness: ragged (n 1000)  WRONG_OUTPUT",
        "  1.3 s failed  sanitizer (n 70)  DATA_RACE\n                line 3 races.",
    ]


def test_a_terminal_has_a_row_for_those_that_passed_and_one_for_each_that_did_not(small):
    """The board stays small, because passed checks of a kind share a row above the failures. The current activity comes
    last.
    """
    decided = [BUILD, ONE, RAGGED, check("practice: large (n 5000)", kind=Kind.PRACTICE)]
    board = heard(small, *(Decided(check=each, sentence=each.message) for each in decided), "timing")
    assert [row.plain for row in board.rows()] == [
        "passed  build",
        "passed  correctness: 1 of 2",
        "passed  practice",
        "failed  correctness: ragged (n 1000)  WRONG_OUTPUT",
        "        it is wrong.",
    ]
    assert board.status(4.4) == "timing, 4 of 8 checks decided, 4 s"


def test_hidden_checks_are_not_waited_for(tmp_path):
    """The board counts all checks except hidden ones. A hidden case does not hide any others."""
    board = heard(hiding_course(tmp_path, "case").load("small"), "building")
    assert board.status(0) == "building, 0 of 7 checks decided, 0 s"


def test_a_suite_counts_the_checks_of_all_its_parts(tmp_path):
    """The board of a suite has separate rows for each part."""
    suite = suite_course(tmp_path).load("ladder")
    first, *_ = suite.parts
    board = heard(suite, Decided(check=BUILD.of_part(first.part)))
    assert [row.plain for row in board.rows()] == [f"passed  {first.part}: build"]


def test_a_file_that_does_not_build_is_explained_once(tmp_path):
    """A build error in a suite is explained once, as in the report, and not again for each part."""
    suite = suite_course(tmp_path).load("ladder")
    broken = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR)
    events = [Decided(check=broken.of_part(part.part), sentence="line 2: unknown.") for part in suite.parts]
    first, reason, *others = [row.plain for row in heard(suite, *events).rows()]
    assert (first, reason) == (f"failed  {suite.parts[0].part}: build  BUILD_ERROR", "        line 2: unknown.")
    assert others == [f"failed  {part.part}: build" for part in suite.parts[1:]]


def test_a_sentence_is_told_once(small):
    """Skipped cases with the same sentence print it only once, and do not count as failed."""
    skipped = failed("correctness: ragged (n 1000)", reason=Reason.NOT_RUN)
    events = [Decided(check=skipped.model_copy(update={"name": name}), sentence="skipped.") for name in ("a", "b")]
    assert [row.plain for row in heard(small, *events).rows()] == [
        "skipped a  NOT_RUN",
        "        skipped.",
        "skipped b  NOT_RUN",
    ]
    assert "skipped b  NOT_RUN" in heard(small, *events).line(events[-1], 2)


def test_what_a_submission_says_reaches_a_terminal_without_control_characters(small):
    """Control characters in a message, which may quote the file, do not reach the terminal."""
    event = Decided(check=failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR), sentence="no \x1b[2Jthing.")
    board = heard(small, event)
    assert "\x1b" not in board.line(event, 0) + "".join(row.plain for row in board.rows())


def test_a_skipped_check_is_told_as_such(small):
    """A skipped check is shown as skipped, with its reason."""
    skipped = check("sanitizer (n 70)", kind=Kind.SANITIZER, verdict=Verdict.SKIPPED, reason=Reason.NO_SIMULATOR)
    event = Decided(check=skipped)
    assert "skipped sanitizer (n 70)  NO_SIMULATOR" in heard(small, event).line(event, 2)
