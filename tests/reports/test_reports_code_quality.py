"""code_quality.py: the list of issues satisfies GitLab's documentation."""

import pytest
from faulty_results import GRADED, OUTCOMES
from samples import RACE, UNGRADED
from schemas.code_quality import Report

from grader.reports import REPORTS
from grader.reports.issues import NOT_KNOWN, issues_of, lines_of


def read(outcome):
    """Return the issues as GitLab reads them. GitLab refuses a byte order mark."""
    text = REPORTS["code_quality"](outcome)
    assert text.startswith("[")
    return Report.model_validate_json(text).root


@pytest.mark.parametrize("name", GRADED)
def test_a_result_is_a_file_as_documented(name):
    """The file contains the issues of the result in their order, each at a line of kernels.cl."""
    made, outcome = read(GRADED[name]), GRADED[name]
    assert [(each.check_name, each.fingerprint, each.location.lines.begin) for each in made] == [
        (each.reason, each.fingerprint, each.line or NOT_KNOWN) for each in issues_of(outcome)
    ]
    assert {each.location.path for each in made} <= {"kernels.cl"}
    assert all(each.location.lines.begin <= len(lines_of(outcome)) for each in made)


def test_the_description_begins_with_the_reason():
    """The description of a race contains the reason, the message, the help and the checks."""
    race = read(OUTCOMES["race"])[0]
    seen = "Seen in sanitizer; correctness: one, ragged, large."
    assert race.description == f"DATA_RACE: at height 3, {RACE.message} {RACE.help} {seen}"


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("build error", "blocker"),
        ("race", "critical"),
        ("wrong output", "critical"),
        ("memory", "major"),
        ("too slow", "minor"),
        ("practice", "info"),
    ],
)
def test_the_severity_says_what_the_issue_costs(name, severity):
    """A file that does not build is more severe than a wrong result, which is more severe than a slow kernel."""
    assert {each.severity for each in read(OUTCOMES[name])} == {severity}


def test_a_grading_that_failed_is_an_issue_that_blames_nobody():
    """An ungraded outcome must not be an empty list, because GitLab would show all earlier issues as solved."""
    (told,) = read(UNGRADED)
    assert (told.check_name, told.severity, told.location.lines.begin) == ("UNGRADED", "info", 1)
    assert told.description == "UNGRADED: not graded, and not the student's fault: there is no OpenCL device."
