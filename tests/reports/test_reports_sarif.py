"""sarif.py: files that GitHub and editors can read, with places in the source file."""

import re

import pytest
from faulty_results import GRADED, OUTCOMES
from project import ROOT
from samples import BUILD, RACE, UNGRADED, failed, result
from schemas.sarif import Log

from grader.common.optional import Fault
from grader.reports import REPORTS
from grader.reports.issues import lines_of
from grader.reports.sarif import MEANINGS
from grader.results.verdicts import NOT_MADE, Reason


def run_of(outcome):
    """Return the run in the file, as its readers see it."""
    (run,) = Log.model_validate_json(REPORTS["sarif"](outcome)).runs
    return run


def text_at(location, outcome):
    """Return the text of a region, whose columns count UTF-16 units. The region must be inside the file."""
    region, lines = location.physicalLocation.region, lines_of(outcome)
    assert location.physicalLocation.artifactLocation.uri == "kernels.cl"
    assert region.endLine == region.startLine <= len(lines)
    units = lines[region.startLine - 1].encode("utf-16-le")
    assert 2 * (region.endColumn - 1) <= len(units)
    return units[2 * (region.startColumn - 1) : 2 * (region.endColumn - 1)].decode("utf-16-le")


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_outcome_is_a_file_as_github_reads_it(name):
    """The file for each outcome has every field that GitHub requires."""
    run = run_of(OUTCOMES[name])
    assert run.tool.driver.name == "grader"
    assert run.automationDetails.id == "coalsTransp/"


@pytest.mark.parametrize("name", GRADED)
def test_every_region_is_a_line_of_the_file_without_its_indentation(name):
    """Each region is a whole line of the file, without white space at its ends."""
    outcome = GRADED[name]
    lines = [line.strip() for line in lines_of(outcome)]
    for each in run_of(outcome).results:
        for place in (*each.locations, *each.relatedLocations):
            assert text_at(place, outcome) == lines[place.physicalLocation.region.startLine - 1]


def test_columns_are_counted_in_utf_16():
    """A character outside the Basic Multilingual Plane counts as two columns."""
    (wrong,) = run_of(OUTCOMES["non-ASCII"]).results
    region = wrong.locations[0].physicalLocation.region
    assert (region.startLine, region.startColumn, region.endColumn) == (2, 2, 28)
    assert "\x1b" not in wrong.message.text


def test_a_race_links_to_its_places():
    """The places of a finding become related locations with their words, and the message links to them."""
    race = run_of(OUTCOMES["race"]).results[0]
    assert (race.ruleId, race.level) == ("DATA_RACE", "error")
    assert race.message.text.endswith(
        f"{RACE.help} Seen in sanitizer; correctness: one, ragged, large. See [line 17](1) and [line 13](2)."
    )
    assert [place.message.text for place in race.relatedLocations] == [place.words for place in RACE.places]
    assert [place.physicalLocation.region.startLine for place in race.relatedLocations] == [17, 13]


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("build error", "error"),
        ("race", "error"),
        ("wrong output", "error"),
        ("memory", "warning"),
        ("too slow", "warning"),
        ("practice", "note"),
    ],
)
def test_the_level_says_what_the_issue_costs(name, level):
    """Wrong kernels are errors, wasteful kernels are warnings, and failed practice cases are notes."""
    assert {each.level for each in run_of(OUTCOMES[name]).results} == {level}


def test_braces_and_links_of_a_message_are_plain_text():
    """Braces and brackets in a compiler's message are neither placeholders nor links."""
    (unbuilt,) = run_of(OUTCOMES["build error"]).results
    assert unbuilt.message.text == ("line 2: expected '}}' or {{0}}, [see] (http://example.org). Seen in build.")


def test_a_grading_that_failed_has_no_results_and_says_why():
    """An ungraded outcome becomes a run without success, whose reason is a message of the tool."""
    run = run_of(UNGRADED)
    (invocation,) = run.invocations
    (told,) = invocation.toolExecutionNotifications
    assert (run.results, invocation.executionSuccessful, told.level) == ([], False, "error")
    assert told.message.text == "not graded, and not the student's fault: there is no OpenCL device."


def test_a_missing_explanation_is_a_warning_of_the_tool():
    """A fault of grader in a graded result becomes a message of the tool, without its traceback."""
    fault = Fault(lost="the explanation", traceback="Traceback: secret")
    (invocation,) = run_of(result(BUILD, failed("correctness: a", faults=(fault,)))).invocations
    (told,) = invocation.toolExecutionNotifications
    assert (invocation.executionSuccessful, told.level) == (True, "warning")
    assert told.message.text == fault.sentence
    assert "secret" not in told.message.text


def test_a_rule_explains_each_reason_of_an_issue():
    """The file has a rule for each reason that occurs. The first sentence of a rule is its short description."""
    rules = [rule for outcome in OUTCOMES.values() for rule in run_of(outcome).tool.driver.rules]
    by_name = {rule.id: rule for rule in rules}
    race = by_name[Reason.DATA_RACE]
    assert race.shortDescription.text == "Two work-items use the same word, and one of them writes it."
    slow = by_name[Reason.TOO_SLOW]
    assert slow.help.text.endswith(" grader profile shows what each line costs.")
    assert slow.help.markdown.endswith(" `grader profile` shows what each line costs.")
    assert run_of(OUTCOMES["hidden"]).tool.driver.rules == []


@pytest.mark.parametrize("name", GRADED)
def test_the_file_has_no_source_text(name):
    """The file refers to lines, but does not quote them, so that it never reveals any source text."""
    text = REPORTS["sarif"](GRADED[name])
    assert not [line for line in lines_of(GRADED[name]) if len(line.strip()) > 9 and line.strip() in text]


GUIDE = (ROOT / "docs" / "reading-your-report.md").read_text(encoding="utf-8")


def test_every_reason_of_a_failed_check_has_its_sentence_from_the_guide():
    """Each reason that a failed check can have is explained, in the words of the guide."""
    told = {Reason(name): text for name, text in re.findall(r"^\| `([A-Z_]+)` \| (.+) \|$", GUIDE, re.MULTILINE)}
    assert told.keys() == set(Reason)
    assert {reason: told[reason] for reason in MEANINGS} == MEANINGS
    assert MEANINGS.keys() == set(Reason) - NOT_MADE - {Reason.NOT_RUN}
