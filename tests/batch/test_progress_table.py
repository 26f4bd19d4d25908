"""progress_table.py: the table during a batch and the summary at its end."""

from pathlib import Path

import pytest
from fake_workforce import GOOD, UNTIMED, handin, plan_of
from gradebooks import grade, gradebook, mark, missed, row
from rich.console import Console
from samples import BUILD, failed, result, unchecked

from grader.batch.progress_table import Board, counting, draw, duration, following, line, outcome_in_words
from grader.batch.scheduler import Event
from grader.course.rubric import Kind
from grader.results.verdicts import Reason, Verdict

WRONG = result(BUILD, failed("correctness: one"))


@pytest.fixture
def items(transposition):
    files = (handin(f"student-{number}", b"%d" % number) for number in range(12))
    return list(plan_of([transposition], *files).items.values())


def seen(board, now):
    console = Console(width=80, record=True, file=None, force_terminal=False)
    with console.capture() as captured:
        console.print(draw(board, now))
    return captured.get()


def begun(item, attempt=1):
    return Event(what="begun", item=item, attempt=attempt)


def ended(item, outcome):
    return Event(what="graded", item=item, attempt=1, result=outcome)


def test_the_table_follows_the_batch(items):
    """The table shows progress, rate, remaining time, running gradings and failures.

    The expected values are computed by hand: 3 gradings in a minute and 1 from an earlier run leave 6 of 10.
    """
    board = Board(total=10, before=1, started=100.0)
    for number, outcome in enumerate((GOOD, WRONG, WRONG)):
        board.note(begun(items[number]), 110.0)
        board.note(ended(items[number], outcome), 150.0)
    board.note(begun(items[3]), 140.0)
    text = seen(board, 160.0)
    for words in ("4 of 10", "1 passed", "2 failed a check", "1 from before", "3 a minute", "2 min left"):
        assert words in text
    (running,) = (each for each in text.splitlines() if "running" in each)
    assert "student-3: coalsTransp" in running
    assert "20 s" in running
    assert "not graded" not in text


def test_what_is_tried_again_or_given_up_is_counted_and_told(items):
    """A grading that is given up counts as done, but one that will be tried again does not."""
    board = Board(total=2, before=0, started=0.0)
    for what in ("retried", "given up"):
        board.note(begun(items[0]), 1.0)
        board.note(Event(what=what, item=items[0], attempt=1, fault="the engine has gone."), 2.0)
    assert (board.ended["tried again"], board.ended["not graded"], board.made) == (1, 1, 1)
    text = seen(board, 10.0)
    for words in ("1 of 2", "1 tried again", "1 not graded", "will be tried again: the engine has gone."):
        assert words in text


def test_what_will_be_timed_again_is_not_done(items):
    """A grading that will be timed again does not count as done. Its line shows the points so far and announces the
    repetition.
    """
    board = Board(total=1, before=0, started=0.0)
    again = Event(what="retried", item=items[0], attempt=1, result=UNTIMED)
    for event in (begun(items[0]), again, begun(items[0], 2)):
        board.note(event, 1.0)
    assert (board.ended, board.made) == ({"tried again": 1}, 0)
    assert line(again).endswith("5 / 45  40 not measured: the machine was too noisy (will be timed again)")


def test_before_anything_has_ended_there_is_no_rate(items):
    """Until the first grading ends, the table shows neither a rate nor an estimate."""
    board = Board(total=2, before=0, started=0.0)
    board.note(begun(items[0]), 0.0)
    assert "minute" not in seen(board, 5.0)


def test_the_table_stays_small_and_fits_eighty_columns(items):
    """The table fits into 20 lines of 80 columns while twelve gradings run."""
    board = Board(total=100, before=0, started=0.0)
    for item in items:
        board.note(begun(item), 1.0)
        board.note(ended(item, WRONG), 2.0)
        board.note(begun(item), 3.0)
    lines = seen(board, 10.0).splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80


def test_elsewhere_than_on_a_terminal_each_end_is_a_line(items):
    """If the output is not a terminal, each finished grading is printed as a line with a counter."""
    said = []
    with following(3, 1, said.append) as listen:
        for event in (begun(items[0]), None, ended(items[0], GOOD), begun(items[1]), ended(items[1], WRONG)):
            listen(event)
    assert said == [f"[2 of 3] {line(ended(items[0], GOOD))}", f"[3 of 3] {line(ended(items[1], WRONG))}"]
    assert "WRONG_OUTPUT" in said[1]


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (99.4, "99 s"), (101, "2 min"), (5900, "98 min"), (7500, "2 h 5 min")]
)
def test_durations_in_words(seconds, words):
    """Durations have two or three significant digits."""
    assert duration(seconds) == words


def test_the_end_names_those_for_whom_the_operating_system_worked():
    """The summary lists the keys of students whose timing was disturbed, so that the instructor can read their code."""
    why = {"verdict": Verdict.SKIPPED, "reason": Reason.INTERFERENCE, "message": "it worked."}
    disturbed = mark("performance: cpu (n 1)", Kind.PERFORMANCE, 0.0, 20.0, **why)
    text = outcome_in_words(gradebook(row("anna", grade(mark(), disturbed), key="4711")), Path("out"))
    assert "1 submission not timed, up to 20 points each: the operating system disturbed the timing." in text
    assert "read the code of 4711" in text


def test_the_end_says_what_there_is_and_what_is_missing():
    """The summary counts the grades, gives a reason for each student without one, and says what to do next.

    The expected counts are computed by hand.
    """
    book = gradebook(
        row("anna", grade(mark())),
        row("bob", grade(missed())),
        row("carol", fault="too \x1b[2Jnoisy."),
        row("dora"),
    )
    text = outcome_in_words(book, Path("out"))
    assert "2 graded, of which 1 passed every check; 1 not graded; 1 without a submission." in text
    assert "not graded: carol, coalsTransp: too" in text
    assert "\x1b" not in text
    assert "run the same command again" in text
    assert "out/index.html" in text
    assert "tries again" not in outcome_in_words(gradebook(row("anna", grade(mark()))), Path("out"))


WATCHED = unchecked()


def lacking(reason=Reason.NO_SIMULATOR, points=12.0):
    """Return the mark of a check that was skipped."""
    fields = {"verdict": Verdict.SKIPPED, "reason": reason, "message": "the simulator is not installed: install it."}
    return mark("sanitizer", Kind.SANITIZER, 0.0, points, **fields)


def test_what_is_not_checked_in_full_has_not_passed(items):
    """A submission with a skipped check does not count as passed, neither in the table nor in its line."""
    board = Board(total=3, before=0, started=0.0)
    for number, outcome in enumerate((GOOD, result(BUILD, WATCHED), result(BUILD, failed("x"), WATCHED))):
        board.note(ended(items[number], outcome), 1.0)
    assert board.ended == {"passed": 1, "failed a check": 1, "open": 1}
    assert board.made == 3
    assert "1 passed, 1 failed a check, 1 open" in seen(board, 2.0)
    assert "12 not checked here: the simulator is missing" in line(ended(items[0], result(BUILD, WATCHED)))


def test_the_end_says_that_points_are_missing_and_why():
    """The summary counts the students with skipped checks, including those who failed other checks.

    It states the most points that any of them may lack, and what to do.
    """
    book = gradebook(
        row("anna", grade(mark(), lacking())),
        row("bob", grade(missed(), lacking(), lacking(points=20.0))),
        row("carol", grade(mark(), lacking(Reason.DECIDED_ELSEWHERE))),
    )
    text = outcome_in_words(book, Path("out"))
    assert "3 graded, of which 0 passed every check; " in text
    assert "\n2 submissions with open checks, up to 32 points each: the simulator is missing. " in text
    assert "Do not publish these points yet. The simulator is not installed: install it. " in text
    assert "\n1 submission not decided in full, up to 12 points each: the course's machine decides the rest.\n" in text


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_bar_counts_what_is_written(monkeypatch, capsys, is_terminal):
    """A terminal shows how many of the hand-ins are written. A log shows nothing."""
    monkeypatch.setenv("FORCE_COLOR" if is_terminal else "NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with counting(3, "hand-ins written") as written:
        written()
        written()
    told = capsys.readouterr().err
    assert ("hand-ins written" in told and "2/3" in told) is is_terminal
    assert is_terminal or not told
