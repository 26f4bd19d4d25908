"""junit.py: one JUnit file for a whole batch, for dashboards."""

import re
from xml.etree import ElementTree

import pytest
import xmlschema
from junit2htmlreport.parser import Junit
from junitparser import JUnitXml
from project import ROOT
from samples import BUILD, SLOW, SPEED, UNGRADED, check, failed, result

from grader.reports.junit import render_batch

XUNIT = xmlschema.XMLSchema(str(ROOT / "tests" / "schemas" / "xunit.xsd"))

GOOD = result(BUILD, check("correctness: one"), SPEED)
BAD = result(BUILD, failed("correctness: one", message="wrong <&> \x00.", detail="x" * 5000), SLOW)
PARTS = [("ada", GOOD), ("jürgen & söhne", BAD), ("עדה", UNGRADED), ("ada", result(BUILD, assignment="blockMMM"))]


def test_a_suite_for_each_submission_passes_the_strict_schema():
    """Each submission is a suite with the names of student and assignment, in order. The strict schema accepts the
    file.
    """
    root = ElementTree.fromstring(render_batch(PARTS))
    XUNIT.validate(root)
    names = ["ada coalsTransp", "jürgen & söhne coalsTransp", "עדה coalsTransp", "ada blockMMM"]
    assert [suite.get("name") for suite in root] == names


def test_names_are_unique_in_the_whole_file():
    """Names are unique in the file. Artemis requires this, and GitLab drops cases with equal class and name."""
    names = [case.get("name") for case in ElementTree.fromstring(render_batch(PARTS)).iter("testcase")]
    assert len(set(names)) == len(names) == 3 + 3 + 1 + 1
    assert names[0] == "ada coalsTransp: build"


def test_counts_and_times_add_up(tmp_path):
    """The counts and times that another library reads add up over cases, suites and the file."""
    path = tmp_path / "batch.xml"
    path.write_text(render_batch(PARTS), encoding="utf-8")
    whole = JUnitXml.fromfile(str(path))
    suites = list(whole)
    assert (whole.tests, whole.failures, whole.errors) == (8, 2, 1)
    for count in ("tests", "failures", "errors", "time"):
        assert getattr(whole, count) == pytest.approx(sum(getattr(suite, count) for suite in suites))
    for suite in suites:
        assert suite.tests == len(list(suite))
        assert suite.time == pytest.approx(sum(case.time for case in suite))


def test_a_viewer_shows_students_and_counts(tmp_path):
    """junit2html shows every student, and the numbers of passed and failed cases."""
    path = tmp_path / "batch.xml"
    path.write_text(render_batch(PARTS), encoding="utf-8")
    report = Junit(filename=str(path))
    page = report.html()
    for label in ("ada coalsTransp", "jürgen &amp; söhne coalsTransp", "עדה coalsTransp", "ada blockMMM"):
        assert label in page
    cases = [case for suite in report.suites for case in suite.all()]
    assert len(cases) == 8
    assert [len(suite.failed()) for suite in report.suites] == [0, 2, 1, 0]
    assert re.search(r"not the student(&#39;|')s fault", page)


def test_texts_are_short_and_say_where_the_rest_is():
    """Texts are cut with a note about the full report, so that a thousand submissions stay within GitLab's limit."""
    failure = next(ElementTree.fromstring(render_batch([("ada", BAD)])).iter("failure"))
    assert len(failure.text) < 600
    assert failure.text.endswith("(cut here; the submission's own report has the rest)")


@pytest.mark.whole
def test_a_thousand_submissions_in_which_everything_fails_stay_below_the_limit():
    """A hundred submissions with twenty failures of maximum length fit in 3 MB, so a thousand fit in the limit of 30
    MB.
    """
    long = "the result is wrong in row 12, column 7, & the next.\n" * 40
    worst = result(*(failed(f"correctness: case {i} (height 1000, width 2000)", message=long) for i in range(20)))
    text = render_batch((f"student {i}_1234567", worst) for i in range(100))
    assert len(text.encode()) < 3_000_000


def test_outcomes_are_taken_one_by_one():
    """Outcomes are read one by one, so that a batch need not fit in memory."""
    asked = []

    def parts():
        for label, outcome in PARTS:
            asked.append(label)
            yield label, outcome

    assert render_batch(parts()) == render_batch(PARTS)
    assert asked == [label for label, _ in PARTS]


def test_long_labels_do_not_make_names_alike():
    """Long labels do not make names equal. Folder names have up to 240 bytes, and the check's name comes after them."""
    many = result(*(check(f"correctness: {'long ' * 10}{i}") for i in range(5)))
    names = [case.get("name") for case in ElementTree.fromstring(render_batch([("a" * 240, many)])).iter("testcase")]
    assert len(set(names)) == 5
