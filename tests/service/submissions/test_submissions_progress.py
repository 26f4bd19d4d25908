"""progress.py: notes about a grading are short and can be shown."""

from hidden_parts import failing, right
from samples import RACE

from grader.grading.progress import Decided
from grader.results.verdicts import Reason, Verdict
from grader.service.submissions.progress import MAX_WORDS_LENGTH, in_brief, note_of


def test_what_is_told_of_a_check_is_short_and_showable(service):
    """A progress note has a short, printable message. The whole text and the findings are only in the report."""
    check = right(service.course.load("small")).checks[1]
    note = note_of(Decided(check=check, sentence="\x1b[2J" + "x" * 5000))
    assert len(note.words) == MAX_WORDS_LENGTH
    assert "\x1b" not in note.words
    assert (note.check, note.verdict, note.reason) == (check.name, "passed", "")
    assert RACE.message not in in_brief(right(service.course.load("small"))).model_dump_json()


def test_a_check_that_was_not_run_is_shown_as_skipped(service):
    """A check that was not run is shown as skipped, both during and after grading. Programs still get its verdict
    "failed".
    """
    assignment = service.course.load("small")
    last = right(assignment).checks[-1]
    failing_last = failing(right(assignment), -1, reason=Reason.NOT_RUN)
    assert (failing_last.checks[-1].name, failing_last.checks[-1].verdict) == (last.name, Verdict.FAILED)
    for brief in (note_of(Decided(check=failing_last.checks[-1])), in_brief(failing_last).checks[-1]):
        assert (brief.verdict, brief.shown_verdict) == ("failed", "skipped")
    for brief in (note_of(Decided(check=last)), in_brief(right(assignment)).checks[-1]):
        assert brief.shown_verdict == brief.verdict == "passed"
