"""explanation.py: the text that `grader explain` prints."""

from samples import check, failed, unchecked

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.reports.explanation import render
from grader.results.explanation import Explained
from grader.results.verdicts import Reason

FIRST = replace(
    failed("correctness: one row (height 1)"),
    cause="a sign",
    message="the mistake is in line 7. 5 words are wrong.",
)
SECOND = failed("correctness: one column (height 9)")


def rendered(*checks):
    """Return the explanation of these checks as plain text."""
    return render(Explained(title="Transposition", checks=checks), width=80, color=False)


def test_the_first_cause_is_told_and_the_others_are_named():
    """The first cause is explained, and the other failed checks are listed below it by name."""
    assert rendered(check("build"), SECOND, FIRST) == (
        "Transposition\n"
        "correctness: one row (height 1)  WRONG_OUTPUT\n"
        "    the mistake is in line 7. 5 words are wrong.\n"
        "also failed: one column\n"
    )


def test_what_was_not_run_is_not_said_to_have_failed():
    """A check that did not run is not listed as failed, because its outcome is unknown."""
    unrun = failed("sanitizer (n 9)", kind=Kind.SANITIZER, reason=Reason.NOT_RUN)
    assert "also failed" not in rendered(check("build"), FIRST, unrun)


def test_where_nothing_failed_it_says_so():
    """If nothing failed, the text states this. It mentions the simulator only if the simulator ran."""
    right = check("correctness: one row (height 1)")
    assert rendered(right) == "Transposition\nEvery case that is shown is right.\n"
    seen = check("sanitizer", kind=Kind.SANITIZER)
    assert rendered(right, seen).endswith("Every case that is shown is right. The simulator saw nothing go wrong.\n")
    assert "simulator" not in rendered(right, unchecked())
