"""source_slips.py: a mistake in the source comes before what it explains, and changes no verdict."""

import pytest
from samples import BUILD, check, failed

from grader.common.optional import Fault
from grader.grading.checks.source_slips import of_wrong_result, with_slip
from grader.grading.explain.slips.slip import Slip
from grader.results.check import Finding, Place, Reason, Verdict

SLIP = Slip(
    message="the guard in line 7 is wrong.", help="Test `i < n`.", cause="a guard is wrong", explains=frozenset({8})
)


def finding(line=8, reason=Reason.OUT_OF_BOUNDS):
    """Return a finding in a line."""
    place = Place(line=line, text="C[i] = 0;", words="work-item 9 writes C")
    message = f"line {line} writes outside C, 1 element past its end."
    return Finding(reason=reason, message=message, help="Check the index.", places=(place,), times=3)


def sanitizer(found, lead=""):
    """Return a failed check with a finding, which is its message."""
    return failed(
        "sanitizer (n 9)", found.reason, f"{lead}{found.message}", help=found.help, findings=(found, finding(9))
    )


def told(before, slip=SLIP):
    """Return the check with the mistake, after a comparison of all that must stay."""
    (after,) = with_slip((before,), slip)
    assert (after.verdict, after.points, after.reason) == (before.verdict, before.points, before.reason)
    return after


def test_the_mistake_comes_before_a_finding_that_it_explains():
    """The message and the help of the check and of its first finding begin with the mistake. Other findings stay."""
    after = told(sanitizer(finding()))
    words = "the guard in line 7 is wrong. Line 8 writes outside C, 1 element past its end."
    assert (after.message, after.help) == (words, "Test `i < n`.")
    assert (after.findings[0].message, after.findings[0].help) == (words, "Test `i < n`.")
    assert after.findings[1] == finding(9)
    assert after.lines == (7, 8)


def test_the_sizes_of_a_finding_stay_in_front():
    """Sizes before a finding stay at the beginning of the message."""
    after = told(sanitizer(finding(), "at n 9, "))
    assert after.message.startswith("at n 9, the guard in line 7 is wrong. Line 8 writes")


def test_a_line_is_not_repeated():
    """If the mistake begins with the line of the finding, the finding does not name it again."""
    slip = Slip(message="line 8 has no guard.", help="", cause="", explains=frozenset({8}))
    assert (
        told(sanitizer(finding()), slip).message == "line 8 has no guard. It writes outside C, 1 element past its end."
    )


@pytest.mark.parametrize(
    "before",
    [
        sanitizer(finding(12)),
        sanitizer(finding(reason=Reason.BARRIER_DIVERGENCE)),
        check("sanitizer (n 9)"),
        failed("sanitizer (n 9)", Reason.NOT_RUN),
        BUILD,
    ],
)
def test_other_checks_stay(before):
    """A finding in another line or of another kind, a check without findings and a passed check are unchanged."""
    assert told(before) == before
    assert told(before, None) == before


@pytest.mark.parametrize("reason", [Reason.WRONG_OUTPUT, Reason.NOT_WRITTEN, Reason.OUT_OF_BOUNDS])
def test_the_mistake_comes_before_the_numbers_of_a_wrong_result(reason):
    """A wrong result has the mistake as its message, with its cause and the next step. Its numbers are evidence."""
    after = of_wrong_result(failed("correctness: tall", reason, "total[0] is wrong."), SLIP)
    assert (after.message, after.detail) == ("the guard in line 7 is wrong.", "total[0] is wrong.")
    assert (after.help, after.cause) == ("Test `i < n`.", "a guard is wrong")
    assert after.verdict is Verdict.FAILED


def test_other_failures_of_a_case_stay():
    """A crash and a passed case are unchanged."""
    for before in (failed("correctness: tall", Reason.CRASH), check("correctness: tall")):
        assert of_wrong_result(before, SLIP) == before


def test_a_lost_explanation_is_a_fault_of_failed_checks():
    """If a rule fails, failed checks say that a part is missing; passed checks do not."""
    fault = Fault(lost="the explanation")
    passed, wrong = with_slip((check("sanitizer (n 9)"), sanitizer(finding())), fault)
    assert passed.faults == ()
    assert wrong.faults == (fault,)
    assert wrong.message == sanitizer(finding()).message
