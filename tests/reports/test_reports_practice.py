"""Practice cases appear in every report, but do not affect the outcome."""

from xml.etree import ElementTree

from pages import Reader
from samples import BUILD, SPEED, check, failed, result
from schemas.gradescope import Results
from xunit import XUNIT

from grader.course.rubric import Kind
from grader.reports import REPORTS
from grader.reports.terminal import render, render_in_full, summary
from grader.results.gradebook import grade_of
from grader.results.verdicts import Verdict

WRONG = failed("correctness: one (n 1)", message="it is wrong.")
PRACTICE = failed("practice: odd (n 7)", message="odd ones are wrong.", detail="by far", cause="odd.").model_copy(
    update={"kind": Kind.PRACTICE, "max_points": 0.0}
)
PRACTISED = result(BUILD, check("correctness: one (n 1)"), PRACTICE, SPEED)


def test_practice_decides_nothing():
    """A submission with a failed practice case can pass, and a practice case is never the first cause."""
    assert PRACTISED.passed
    assert PRACTISED.first_cause is None
    assert grade_of(PRACTISED).passed
    assert (PRACTISED.points, PRACTISED.max_points) == (45, 45)
    assert not result(BUILD, PRACTICE, WRONG).passed
    assert result(BUILD, PRACTICE, WRONG).first_cause == WRONG


def test_every_report_shows_practice_for_what_it_is():
    """Students read the complete messages of practice cases.

    On platforms that deduct points for failures, practice cases are skipped or worth no points.
    """
    terminal = render(PRACTISED, width=80, color=False)
    assert "\n 1. practice[WRONG_OUTPUT]: odd ones are wrong.\n" in terminal
    assert "failed  practice: odd (n 7): see 1\n" in terminal
    assert "cost:" not in terminal
    in_full = render_in_full(PRACTISED, width=80, color=False)
    assert "failed  practice: odd (n 7)\n        WRONG_OUTPUT  odd ones are wrong.\n        by far\n" in in_full
    assert summary("ada", PRACTISED).endswith("passed")
    text = Reader(REPORTS["html"](PRACTISED)).text
    assert "3 checks: 3 passed; 1 case for practice, 0 passed" in text
    assert "Every check that counts passed." in text
    assert "1 practice WRONG_OUTPUT odd ones are wrong." in text
    assert "failed practice: odd (n 7): see 1" in text
    document = ElementTree.fromstring(REPORTS["junit"](PRACTISED))
    XUNIT.validate(document)
    (case,) = (each for each in document.iter("testcase") if each.get("classname") == "coalsTransp.practice")
    said = case.find("skipped")
    assert said.get("message") == said.text == "practice, worth no points: WRONG_OUTPUT: odd ones are wrong."
    assert list(document.iter("failure")) == []
    (test,) = (
        each for each in Results.model_validate_json(REPORTS["gradescope"](PRACTISED)).tests if "odd" in each.name
    )
    assert (test.score, test.max_score, test.status) == (0, 0, "failed")


def test_practice_that_passes_is_a_row():
    """A passed practice case has a row, like other kinds of checks."""
    passed = PRACTICE.model_copy(update={"verdict": Verdict.PASSED, "reason": None, "message": "", "detail": ""})
    assert "passed  practice: odd (n 7)\n" in render(result(BUILD, passed), width=80, color=False)
    assert "1 case for practice, 1 passed" in Reader(REPORTS["html"](result(BUILD, passed))).text
    assert "practice, worth no points: passed." in REPORTS["junit"](result(BUILD, passed))
