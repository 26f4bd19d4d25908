"""live.py: what is shown of a grading before there is a report."""

import pytest
from courses import course_of
from hiding import FIELDS, hiding_course
from samples import check, failed
from suites import suite_course

from grader.grading.bench import Decided
from grader.reports.live import Board
from grader.results.result import Kind, Reason, Verdict

BUILD = check("build", kind=Kind.BUILD)
ONE = check("correctness: one (n 1)")
RAGGED = failed("correctness: ragged (n 1000)")
RACE = failed("sanitizer (n 70)", kind=Kind.SANITIZER, reason=Reason.DATA_RACE)


def heard(coursework, *events):
    board = Board(coursework)
    for event in events:
        board.hear(event)
    return board


@pytest.fixture
def small(tmp_path):
    """An assignment of which nothing is hidden: three cases, the simulator's three checks, speed."""
    return course_of(tmp_path, FIELDS).load("small")


def test_a_log_has_a_line_for_what_begins_and_for_what_is_decided(small):
    """With the seconds passed and how much is decided; a failure with its reason and, if that is final, a sentence."""
    events = [
        "running the cases",
        Decided(check=BUILD),
        Decided(check=RAGGED),
        Decided(check=RACE, sentence="line 3 races."),
    ]
    board = heard(small, *events)
    assert [board.line(event, 1.26) for event in events] == [
        "  1.3 s running the cases (3 of 8 checks decided)",
        "  1.3 s passed build",
        "  1.3 s FAILED correctness: ragged (n 1000)  WRONG_OUTPUT",
        "  1.3 s FAILED sanitizer (n 70)  DATA_RACE\n               line 3 races.",
    ]


def test_a_terminal_has_a_row_for_those_that_passed_and_one_for_each_that_did_not(small):
    """So a board stays small; below it stands what is being done."""
    decided = [BUILD, ONE, RAGGED, check("practice: large (n 5000)", kind=Kind.PRACTICE)]
    board = heard(small, *(Decided(check=each, sentence=each.message) for each in decided), "timing")
    assert [row.plain for row in board.rows()] == [
        "passed build",
        "passed correctness: 1 of 2",
        "passed practice",
        "FAILED correctness: ragged (n 1000)  WRONG_OUTPUT",
        "       it is wrong.",
    ]
    assert board.status(4.4) == "timing, 4 of 8 checks decided, 4 s"


def test_what_hidden_checks_could_decide_is_not_waited_for(tmp_path):
    """Where a case is hidden, only the build and the other cases are shown before the report."""
    board = heard(hiding_course(tmp_path, "case").load("small"), "building")
    assert board.status(0) == "building, 0 of 3 checks decided, 0 s"


def test_a_suite_counts_the_checks_of_all_its_parts(tmp_path):
    """Each part has rows of its own."""
    suite = suite_course(tmp_path).load("ladder")
    first, *_ = suite.parts
    board = heard(suite, Decided(check=BUILD.of_part(first.part)))
    assert [row.plain for row in board.rows()] == [f"passed {first.part}: build"]


def test_what_a_submission_says_reaches_a_terminal_without_control_characters(small):
    """A message may quote the file."""
    event = Decided(check=failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR), sentence="no \x1b[2Jthing.")
    board = heard(small, event)
    assert "\x1b" not in board.line(event, 0) + "".join(row.plain for row in board.rows())


def test_a_skipped_check_is_told_as_such(small):
    """It is decided that it is not made here."""
    skipped = check("sanitizer (n 70)", kind=Kind.SANITIZER, verdict=Verdict.SKIPPED, reason=Reason.NO_SIMULATOR)
    assert "skip   sanitizer (n 70)  NO_SIMULATOR" in heard(small).line(Decided(check=skipped), 2)
