"""gradescope.py: results.json satisfies Gradescope's documentation, and does not contain a score after a fault of
grader.
"""

import json

import pytest
from samples import BUILD, ERROR_MAP, RACE, SLOW, SPEED, UNGRADED, check, failed, result, unchecked
from schemas.gradescope import Results

from grader.course.rubric import Kind
from grader.reports import REPORTS
from grader.results.verdicts import Reason

SKIPPED = unchecked(message="no simulator is here.")
RACING = failed(
    "correctness: two", message="they \x1b[2J race.", findings=(RACE,), detail="the detail.", error_map=ERROR_MAP
)
MIXED = result(BUILD, SKIPPED, check("correctness: one"), RACING, SLOW)


def read(outcome):
    """Return the file as Gradescope reads it."""
    return Results.model_validate_json(REPORTS["gradescope"](outcome))


@pytest.mark.parametrize("outcome", [MIXED, result(BUILD, SPEED), result()], ids=["mixed", "passed", "nothing"])
def test_a_result_is_a_file_as_documented(outcome):
    """The score in the file is the result's, and the scores of the tests add up to it."""
    results = read(outcome)
    assert results.score == outcome.points
    assert sum(test.score for test in results.tests) == outcome.points
    assert sum(test.max_score for test in results.tests) == outcome.max_points
    assert results.execution_time == outcome.seconds
    assert [test.name for test in results.tests] == [each.name for each in outcome.checks]
    assert [test.number for test in results.tests] == [str(i + 1) for i in range(len(outcome.checks))]


def test_students_see_everything():
    """All tests are visible, because Gradescope hides the total if a test is hidden."""
    results = read(MIXED)
    assert {each.visibility for each in (results, *results.tests)} == {"visible"}


def test_status_and_words_of_each_check():
    """Each check has passed or failed in Gradescope's terms. A skipped check has no status, and its output gives the
    reason.
    """
    build, skipped, _, racing, slow = read(MIXED).tests
    assert [each.status for each in (build, skipped, racing, slow)] == ["passed", None, "failed", "failed"]
    assert (slow.score, slow.max_score) == (20, 40)
    assert skipped.output == "NO_SIMULATOR, worth 12 points: no simulator is here."
    assert (skipped.score, skipped.max_score) == (0, 12)
    assert racing.output.startswith("WRONG_OUTPUT: they \ufffd[2J race.\n" + RACE.message)
    assert racing.output.endswith(ERROR_MAP.cells[-1])
    assert "7.21 GB/s" in read(result(SPEED)).tests[0].output


def test_a_failure_is_told_in_the_words_of_the_junit_report():
    """The text of a failure equals the text in the JUnit report."""
    for test in read(MIXED).tests:
        if test.status == "failed":
            assert test.output.splitlines()[-1] in REPORTS["junit"](MIXED)


def test_what_follows_from_a_failed_build_is_one_test():
    """After a failed build, all other checks are one test without a status, with their lost points.

    The total still includes all points.
    """
    unbuilt = failed("build", kind=Kind.BUILD, max_points=0, reason=Reason.BUILD_ERROR, message="line 2: what?")
    unrun = [failed(f"correctness: {i}", reason=Reason.NOT_RUN, message="fix the build.") for i in range(12)]
    build, rest = read(result(unbuilt, *unrun)).tests
    assert (build.status, build.number) == ("failed", "1")
    assert (rest.name, rest.status, rest.number) == ("12 checks: correctness", None, "2")
    assert (rest.score, rest.max_score, rest.output) == (0, 60, "NOT_RUN: fix the build.")


def test_the_output_says_points_and_where_to_start():
    """The output above the tests shows the points and the check that should be read first."""
    output = read(MIXED).output
    assert output.startswith(
        "Coalesced transposition: 25 of 62; 12 not checked here: the simulator is missing.\n"
        "Start here: correctness: two: they"
    )
    assert json.loads(REPORTS["gradescope"](MIXED))["extra_data"]["unchecked"] == {"NO_SIMULATOR": 12}
    assert "Start" not in read(result(BUILD, SPEED)).output


def test_a_fault_of_ours_has_no_score_anywhere():
    """After a fault of grader, the file has no score, so it cannot become a zero. Students read that it is not their
    fault.
    """
    fields = json.loads(REPORTS["gradescope"](UNGRADED))
    assert not {"score", "tests", "leaderboard"} & set(fields)
    assert "not your fault: there is no OpenCL device." in fields["output"]
    with pytest.raises(ValueError, match="no score"):
        Results.model_validate(fields)
    assert Results.model_validate({**fields, "score": 0.0}).visibility == "visible"


@pytest.mark.parametrize(
    "spoil", [{"points": 1}, {"score": "1"}, {"visibility": "shown"}, {"tests": [{"status": "partial"}]}]
)
def test_the_schema_refuses_what_is_not_documented(spoil):
    """The schema refuses undocumented fields and values, so test_a_result_is_a_file_as_documented is able to fail."""
    fields = json.loads(REPORTS["gradescope"](MIXED))
    with pytest.raises(ValueError, match="validation error"):
        Results.model_validate({**fields, **spoil})
