"""issues.py: each cause is one issue at its line, in the order of the first cause, with a lasting fingerprint."""

import re

import pytest
from faulty_results import GRADED, OUTSIDE, PRACTICE, WASTEFUL, WRONG, found, wrong
from picture import example
from samples import BUILD, RACE, SOURCE, failed, result

from grader.reports.issues import issues_of, lines_of
from grader.results.check import Reason

LINE = re.compile(r"\bline (\d+)")

LATER = {name: outcome for name, outcome in GRADED.items() if outcome.source}


def issues(name):
    return issues_of(GRADED[name])


def brief(found):
    return [(each.reason, each.line) for each in found]


@pytest.mark.parametrize("name", ["right", "hidden", "unchecked"])
def test_a_submission_without_a_failed_check_has_no_issue(name):
    """Passed, hidden and open checks are no issues."""
    assert issues(name) == ()


def test_cases_with_one_cause_share_an_issue_that_names_them():
    """Cases that failed in one line are one issue with the first case's message. A case in another line is another."""
    here, there = issues("wrong output")
    assert brief([here, there]) == [(Reason.WRONG_OUTPUT, 17), (Reason.WRONG_OUTPUT, 21)]
    assert here.message.startswith("C[0] is wrong: got 1.5.")
    assert here.message.endswith(" Seen in correctness: one, ragged.")
    assert there.message.endswith(" Seen in correctness: large.")


def test_wrong_cases_with_different_causes_are_different_issues():
    """Two known causes in one line are two issues."""
    made = issues_of(result(BUILD, wrong("one", 1, cause="a sign"), wrong("two", 2, cause="a row"), source=SOURCE))
    assert [each.line for each in made] == [17, 17]
    assert made[0].fingerprint != made[1].fingerprint


def test_findings_come_before_wrong_results_and_consequences_are_no_issues():
    """The race is first although its check comes later. The timing that was not run is no issue."""
    race, *others = issues("race")
    assert (race.reason, race.line, race.places) == (Reason.DATA_RACE, 13, RACE.places)
    assert race.message.startswith(f"at height 3, {RACE.message} {RACE.help}")
    assert {each.reason for each in others} == {Reason.WRONG_OUTPUT}


def test_each_finding_is_an_issue():
    """Two findings of one check are two issues with their own messages."""
    outside, race = issues("out of bounds")
    assert brief([outside, race]) == [(Reason.OUT_OF_BOUNDS, 13), (Reason.DATA_RACE, 13)]
    assert race.message == f"{RACE.message} {RACE.help} Seen in sanitizer."


def test_a_check_whose_message_is_about_no_finding_is_an_issue_before_its_findings():
    """A check with another message than its findings' is an issue, too."""
    check = found(OUTSIDE).model_copy(update={"message": "it ran too long.", "reason": Reason.TIME_LIMIT})
    assert brief(issues_of(result(BUILD, check, source=SOURCE))) == [
        (Reason.TIME_LIMIT, 1),
        (Reason.OUT_OF_BOUNDS, 13),
    ]


def test_a_case_without_a_line_shares_the_issue_of_a_finding_with_its_reason():
    """A case that went out of bounds at an unknown line is the finding's. In another kernel, it is another issue."""
    case = failed("correctness: one (n 1)", Reason.OUT_OF_BOUNDS, "it wrote outside A.")
    (one,) = issues_of(result(BUILD, case, found(OUTSIDE), source=SOURCE))
    assert one.line == 13
    assert one.message.endswith(" Seen in sanitizer; correctness: one.")
    both = issues_of(result(case.of_part("a"), found(OUTSIDE).of_part("b"), source=SOURCE))
    assert [each.line for each in both] == [1, 13]


def test_different_checks_of_memory_are_different_issues():
    """Memory checks with one reason and one line stay apart, because each has its own limit."""
    assert [each.message.partition("Seen")[2] for each in issues("memory")] == [
        " in memory: every word read once.",
        " in memory: one word written.",
    ]


def test_failed_practice_is_an_issue_after_all_that_count():
    """Practice cases come last, also if they fail first."""
    assert brief(issues("practice")) == [(Reason.WRONG_OUTPUT, 4)]
    made = issues_of(result(BUILD, PRACTICE.of_part("a"), *(each.of_part("b") for each in WASTEFUL), source=SOURCE))
    assert [each.line for each in made] == [17, 17, 4]


def test_issues_of_a_suite_name_the_kernel():
    """Equal causes in two kernels are two issues that name their kernels."""
    made = issues("suite")
    assert [each.reason for each in made] == [
        Reason.TOO_SLOW,
        Reason.DATA_RACE,
        Reason.WRONG_OUTPUT,
        Reason.TOO_SLOW,
    ]
    assert made[0].message.endswith(" Seen in first: performance: cpu.")
    assert made[3].message.endswith(" Seen in second: performance: cpu.")
    assert made[0].fingerprint != made[3].fingerprint


@pytest.mark.parametrize("name", GRADED)
def test_the_first_issue_is_the_first_cause(name):
    """If a check that counts failed, the first issue has the reason of the first cause."""
    first = GRADED[name].first_cause
    if first is not None:
        assert issues(name)[0].reason is first.reason


@pytest.mark.parametrize("name", GRADED)
def test_every_line_is_in_the_file(name):
    """All lines and places are in the file, also if a message names lines that the file does not have."""
    length = len(lines_of(GRADED[name]))
    for each in issues(name):
        assert all(1 <= line <= length for line in (each.line, *(place.line for place in each.places)))


@pytest.mark.parametrize("name", LATER)
@pytest.mark.parametrize("change", ["at the end", "at the beginning"])
def test_a_comment_changes_no_fingerprint(name, change):
    """Fingerprints stay the same if a comment is added at the end, or at the beginning, where it moves all lines."""
    before = LATER[name]
    after = {
        "at the end": before.model_copy(update={"source": f"{before.source}// a note\n"}),
        "at the beginning": _moved(before),
    }[change]
    assert [each.fingerprint for each in issues_of(after)] == [each.fingerprint for each in issues_of(before)]


def _moved(outcome):
    """Return the result of the same file below a comment."""

    def words(text):
        return text if "900" in text else LINE.sub(lambda found: f"line {int(found[1]) + 1}", text)

    def finding(each):
        places = tuple(place.model_copy(update={"line": place.line + 1}) for place in each.places)
        return each.model_copy(update={"message": words(each.message), "places": places})

    checks = tuple(
        each.model_copy(
            update={"message": words(each.message), "findings": tuple(finding(found) for found in each.findings)}
        )
        for each in outcome.checks
    )
    return outcome.model_copy(update={"source": f"// a note\n{outcome.source}", "checks": checks})


def test_other_inputs_change_no_fingerprint():
    """Fingerprints do not depend on values, nor on which cases failed."""
    before = issues_of(result(BUILD, *WRONG, source=SOURCE))
    after = issues_of(result(BUILD, wrong("ragged", -7), wrong("other", 9, line=21), source=SOURCE))
    assert [each.fingerprint for each in before] == [each.fingerprint for each in after]


def test_equal_lines_have_different_fingerprints():
    """Two findings in lines with the same text differ by their order."""
    source = "int a;\nx = A[i];\nx = A[i];\n"
    findings = (OUTSIDE.model_copy(update={"message": f"line {line} reads outside A."}) for line in (2, 3))
    first, second = issues_of(result(BUILD, found(*findings), source=source))
    assert (first.line, second.line) == (2, 3)
    assert first.fingerprint != second.fingerprint


def test_the_issue_of_a_real_grading_is_its_race():
    """The stored grading of a reduction with a race has the race as its first issue, and one for all wrong cases."""
    race, *others = issues_of(example())
    assert (race.reason, race.line) == (Reason.DATA_RACE, 13)
    assert [each.reason for each in others] == [Reason.WRONG_OUTPUT]
