"""source_slips.py: a mistake in the source is reported before the findings that it explains, and verdicts do not
change.
"""

import pytest
from samples import BUILD, check, failed, result

from grader.common.optional import Fault
from grader.course.rubric import Kind
from grader.grading.checks.causes.source_slips import of_wrong_result, unset_later, with_slip
from grader.grading.explain.slips.slip import Slip
from grader.protocol.observation import SeenArray, SeenKernel, SeenUnset
from grader.reports.issues import issues_of
from grader.results.findings import Finding, Place
from grader.results.verdicts import Reason, Verdict

SLIP = Slip(
    message="the guard in line 7 is wrong.", help="Test `i < n`.", cause="a guard is wrong", explains=frozenset({8})
)


def finding(line=8, reason=Reason.OUT_OF_BOUNDS):
    """Return a finding in this line."""
    place = Place(line=line, text="C[i] = 0;", words="work-item 9 writes C")
    message = f"line {line} writes outside `C`, 1 element past its end."
    return Finding(reason=reason, message=message, help="Check the index.", places=(place,), times=3)


def sanitizer(found, lead=""):
    """Return a failed sanitizer check with the message of its first finding."""
    return failed(
        "sanitizer (n 9)", found.reason, f"{lead}{found.message}", help=found.help, findings=(found, finding(9))
    )


def told(before, slip=SLIP):
    """Return the check after the mistake was added. Assert that its verdict, points and reason have not changed."""
    (after,) = with_slip((before,), slip)
    assert (after.verdict, after.points, after.reason) == (before.verdict, before.points, before.reason)
    return after


def test_the_mistake_comes_before_a_finding_that_it_explains():
    """If the mistake explains the first finding, it is placed before this finding's message, and its advice replaces
    the help. Other findings are unchanged.
    """
    after = told(sanitizer(finding()))
    words = "the guard in line 7 is wrong. Line 8 writes outside `C`, 1 element past its end."
    assert (after.message, after.help) == (words, "Test `i < n`.")
    assert (after.findings[0].message, after.findings[0].help) == (words, "Test `i < n`.")
    assert after.findings[1] == finding(9)
    assert after.lines == (7, 8)


def test_a_later_finding_is_explained_and_wrong_cases_join_it():
    """If the mistake explains only a later finding, this finding gets its message and help. A case that is wrong for
    the same mistake is then not a separate issue. The check still reports its first finding.
    """
    divergent = finding(12, Reason.BARRIER_DIVERGENCE)
    before = failed("sanitizer (n 9)", divergent.reason, divergent.message, findings=(divergent, finding(8)))
    after = told(before.model_copy(update={"kind": Kind.SANITIZER}))
    assert (after.message, after.findings[0]) == (divergent.message, divergent)
    assert after.findings[1].message.startswith("the guard in line 7 is wrong. Line 8 writes outside `C`")
    wrong = of_wrong_result(failed("correctness: tall", message="total[0] is wrong."), SLIP)
    made = issues_of(result(BUILD, wrong, after, source="\n" * 20))
    assert [len(each.checks) for each in made] == [1, 2]


def test_the_sizes_of_a_finding_stay_in_front():
    """If a message begins with the sizes, the mistake is inserted after them."""
    after = told(sanitizer(finding(), "at n 9, "))
    assert after.message.startswith("at n 9, the guard in line 7 is wrong. Line 8 writes")


def test_the_lines_that_decide_about_an_index_are_left_out():
    """If the mistake is known, the message does not list all lines that decide about the index."""
    seen = finding().model_copy(update={"message": "line 8 writes outside `C`; the index depends on lines 4 and 5."})
    assert told(sanitizer(seen)).message == "the guard in line 7 is wrong. Line 8 writes outside `C`."


def test_a_line_is_not_repeated():
    """If the mistake names the line of the finding, the message does not repeat the line."""
    slip = Slip(message="line 8 has no guard.", help="", cause="", explains=frozenset({8}))
    assert (
        told(sanitizer(finding()), slip).message
        == "line 8 has no guard. It writes outside `C`, 1 element past its end."
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
    """A finding in another line or for another reason, a check without findings, and a passed check are unchanged."""
    assert told(before) == before
    assert told(before, None) == before


@pytest.mark.parametrize("reason", [Reason.WRONG_OUTPUT, Reason.NOT_WRITTEN, Reason.OUT_OF_BOUNDS])
def test_the_mistake_comes_before_the_numbers_of_a_wrong_result(reason):
    """For a wrong result, the mistake becomes the message, with its cause and advice. The numbers of the wrong result
    move to the detail.
    """
    after = of_wrong_result(failed("correctness: tall", reason, "total[0] is wrong."), SLIP)
    assert (after.message, after.detail) == ("the guard in line 7 is wrong.", "total[0] is wrong.")
    assert (after.help, after.cause) == ("Test `i < n`.", "a guard is wrong")
    assert after.verdict is Verdict.FAILED


def test_other_failures_of_a_case_stay():
    """A crash and a passed case are unchanged."""
    for before in (failed("correctness: tall", Reason.CRASH), check("correctness: tall")):
        assert of_wrong_result(before, SLIP) == before


def test_a_lost_explanation_is_a_fault_of_failed_checks():
    """If the search for mistakes fails, failed checks state that an explanation is missing. Passed checks do not."""
    fault = Fault(lost="the explanation")
    passed, wrong = with_slip((check("sanitizer (n 9)"), sanitizer(finding())), fault)
    assert passed.faults == ()
    assert wrong.faults == (fault,)
    assert wrong.message == sanitizer(finding()).message


def launched(kernel, array, *unset):
    """Return a launch that knows buffer 7 as this array, and that reads unset words in these lines."""
    arrays = (SeenArray(space=1, buffer=7, name=array, size=64), SeenArray(space=1, buffer=8, name="other", size=64))
    ids = {"global_id": (0, 0, 0), "local_id": (0, 0, 0), "group": (0, 0, 0), "times": 1, "column": 1}
    reads = tuple(
        SeenUnset(line=line, name=array, space=1, used_line=line, how="stored", array="other", **ids) for line in unset
    )
    return SeenKernel(
        kernel=kernel,
        flop=0,
        steps=0,
        busiest=0,
        private=0,
        arrays=arrays,
        messages=(),
        unset=reads,
        accesses=(),
        branches=(),
    )


def test_unset_words_belong_to_the_array_of_the_kernel_that_should_store_them():
    """A read of unset words in another launch has the name that the array has in this launch. The launch's own reads
    do not count.
    """
    first, second = launched("turn", "levels", 5), launched("sum", "given", 20)
    assert [*unset_later(first, (first, second))] == [("levels", 20)]
