"""reports/: learning platforms, programs and people get valid and readable reports."""

import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import xmlschema
from faulty_results import GRADED
from junitparser import Error, Failure, JUnitXml
from picture import example
from samples import BUILD, RACE, SLOW, SOURCE, SPEED, SPILLED, SPILLING, UNGRADED, check, failed, result, unchecked
from xunit import XUNIT

from grader.authoring.schema import result_schema
from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.course.submissions.handin import Student
from grader.protocol.text import showable
from grader.reports import REPORTS, explanation, overview_page, page
from grader.reports.html import overview as overview_module
from grader.reports.html import page as page_module
from grader.reports.issues import ISSUES_IN_FULL
from grader.reports.terminal import LOG_LINES, render, render_in_full, summary
from grader.results.explanation import Explained
from grader.results.findings import ErrorMap
from grader.results.gradebook import Gradebook, StudentRow, grade_of
from grader.results.metrics import Usage
from grader.results.result import Correction, Result, Ungraded
from grader.results.verdicts import Reason, Verdict

NASTY = 'a<b> & "c" \x00\x1b[31m ]]> \ud83d \uffff é'
MIXED = result(BUILD, check("correctness: one"), failed("correctness: two", message=NASTY, detail="x" * 30_000), SLOW)
COLOUR = re.compile(r"\x1b\[[\d;]*m")
OUTCOMES = [result(BUILD, check("correctness: one"), SPEED), MIXED, UNGRADED]


def junit(outcome):
    return REPORTS["junit"](outcome)


@pytest.mark.parametrize("outcome", OUTCOMES, ids=["passed", "mixed", "ungraded"])
def test_junit_passes_the_strict_schema(outcome):
    """The JUnit file satisfies the strictest reader: it has no unknown attributes, long texts, unusual times or equal
    names.
    """
    XUNIT.validate(ElementTree.fromstring(junit(outcome)))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace('time="0.100"', 'time="0.1000001"'),
        lambda text: text.replace('<testcase name="build"', '<testcase file="x" name="build"'),
        lambda text: text.replace('<testcase name="build"', '<testcase name="correctness: one"'),
        lambda text: text.replace("<testsuites ", '<testsuites skipped="0" '),
    ],
)
def test_the_schema_refuses_what_readers_refuse(spoil):
    """The schema refuses each spoilt file, so test_junit_passes_the_strict_schema is able to fail.

    Each file contains one mistake that readers are known to refuse.
    """
    text = junit(MIXED)
    spoilt = spoil(text)
    assert spoilt != text
    with pytest.raises(xmlschema.XMLSchemaException):
        XUNIT.validate(ElementTree.fromstring(spoilt))


def test_junit_is_read_back_by_another_library_with_the_same_counts(tmp_path):
    """junitparser reads the same numbers of cases, failures and seconds as are in the result."""
    path = tmp_path / "report.xml"
    path.write_text(junit(MIXED), encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(path))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (4, 2, 0, 0)
    assert suite.time == pytest.approx(sum(round(each.seconds, 3) for each in MIXED.checks))
    cases = list(suite)
    read_first = [MIXED.checks[place] for place in (2, 0, 1, 3)]
    assert [case.name for case in cases] == [each.name for each in read_first]
    assert [case.classname for case in cases] == [f"coalsTransp.{each.kind}" for each in read_first]
    assert [any(isinstance(entry, Failure) for entry in case.result) for case in cases] == [True, False, False, True]
    assert "[[PROPERTY|points=20]]\n[[PROPERTY|max_points=40]]" in cases[3].system_out


def test_junit_begins_with_what_to_read_first():
    """The simulator's finding comes before the wrong results that it causes, in its own words."""
    wrong = failed("correctness: one")
    racing = failed("sanitizer (n 7)", kind=Kind.SANITIZER, message="line 17 races.", findings=(RACE,))
    text = junit(result(BUILD, wrong, racing, SPEED))
    first, *rest = ElementTree.fromstring(text).iter("testcase")
    assert first.get("name") == "sanitizer (n 7)"
    assert [case.get("name") for case in rest] == ["build", "correctness: one", "performance: cpu (height 1)"]
    failure = first.find("failure")
    assert failure.get("message") == "Start here: WRONG_OUTPUT: line 17 races."
    assert failure.text.startswith(failure.get("message"))
    assert text.count("Start here") == 2
    assert "Start here" not in junit(result(BUILD, SPEED))


def test_junit_names_the_line_as_a_property():
    """The line is a property in system-out, because the strictest readers refuse it as an attribute.

    The line in a check's message takes precedence over the lines of its findings.
    """
    checks = [
        failed("a", message="line 26 is wrong.", cause="one"),
        failed("b", findings=(RACE,), cause="another"),
        failed("c", cause="a third"),
    ]
    cases = ElementTree.fromstring(junit(result(*checks))).iter("testcase")
    told = {case.get("name"): case.findtext("system-out").splitlines()[2:] for case in cases}
    at = "[[PROPERTY|file=kernels.cl]]"
    assert told == {"a": [at, "[[PROPERTY|line=26]]"], "b": [at, "[[PROPERTY|line=13]]"], "c": []}


UNBUILT = failed("build", kind=Kind.BUILD, max_points=0, reason=Reason.BUILD_ERROR, message="line 5: what?")
UNREACHED = tuple(
    failed(name, kind=kind, max_points=points, reason=Reason.NOT_RUN, message="skipped: fix the build first.")
    for name, kind, points in (
        ("correctness: one", Kind.CORRECTNESS, 24),
        ("correctness: two", Kind.CORRECTNESS, 24),
        ("practice: three", Kind.PRACTICE, 0),
        ("sanitizer (n 7)", Kind.SANITIZER, 12),
        ("performance: cpu (n 9)", Kind.PERFORMANCE, 40),
    )
)
ONE_LINE = "5 checks: correctness, practice, sanitizer, performance"


def test_what_follows_from_a_failed_build_is_one_skipped_case():
    """After a failed build, all other checks are one skipped case with their points, so that readers that count passed
    cases do not find any.
    """
    text = junit(result(UNBUILT, *UNREACHED))
    root = ElementTree.fromstring(text)
    XUNIT.validate(root)
    build, rest = root.iter("testcase")
    assert build.find("failure").get("message") == "Start here: BUILD_ERROR: line 5: what?"
    assert (rest.get("name"), rest.get("classname")) == (ONE_LINE, "coalsTransp.build")
    assert rest.findtext("system-out") == "[[PROPERTY|points=0]]\n[[PROPERTY|max_points=100]]"
    said = "NOT_RUN: skipped: fix the build first. These checks are worth 100 points:\ncorrectness: one\n"
    assert rest.find("skipped").text.startswith(said)
    (suite,) = root
    assert [suite.get(count) for count in ("tests", "failures", "skipped")] == ["2", "1", "1"]


def test_where_another_kernel_passes_each_check_stays_a_failure():
    """In a suite in which another kernel passes, each check of a kernel that does not build stays a failure.

    Otherwise, a kernel that does not build would raise the share of passed cases.
    """
    built = [each.of_part("a") for each in (BUILD, check("correctness: one"))]
    text = junit(result(*built, *(each.of_part("b") for each in (UNBUILT, *UNREACHED))))
    cases = list(ElementTree.fromstring(text).iter("testcase"))
    assert len(cases) == 8
    assert [case.get("name") for case in cases if case.find("failure") is None] == [
        "a: build",
        "a: correctness: one",
        "b: practice: three",
    ]


def test_junit_says_how_far_from_its_limit_a_check_passed():
    """system-out contains the points, the distance from the limit, and the figures of the speed."""
    fast = SPEED.model_copy(update={"message": "it runs at 98 % of the model solution's speed; full points need 70 %."})
    said = ElementTree.fromstring(junit(result(fast))).find(".//system-out").text
    assert said.startswith("[[PROPERTY|points=40]]\n[[PROPERTY|max_points=40]]\nit runs at 98 % of")
    assert "1.8 x the naive kernel's speed" in said


def test_no_text_in_junit_can_be_taken_for_a_property():
    """Readers take double brackets for properties. A correction's comment cannot contain them, also if it has three."""
    corrected = replace(result(SPEED), correction=Correction(points=1, comment="[[[PROPERTY|points=9]] [[x"))
    said = ElementTree.fromstring(junit(corrected)).findall(".//system-out")[-1].text
    *own, words = said.split("\n", 2)
    assert own == ["[[PROPERTY|points=1]]", "[[PROPERTY|max_points=0]]"]
    assert "[[" not in words
    assert "[ [ [PROPERTY|points=9]" in words


def test_a_failures_message_also_stands_first_in_its_text():
    """A failure's text begins with its message, because some readers show only one of them."""
    failures = ElementTree.fromstring(junit(MIXED)).iter("failure")
    for failure, reason, lead in zip(
        failures, (Reason.WRONG_OUTPUT, Reason.TOO_SLOW), ("Start here: ", ""), strict=True
    ):
        assert failure.get("type") == reason
        assert failure.get("message").startswith(f"{lead}{reason}: ")
        assert failure.text.replace("\n", " ").startswith(failure.get("message").replace("\n", " "))


def test_findings_stand_between_the_message_and_the_detail():
    """Findings come between the message and the detail. Their lines are cut at the limit of learning platforms."""
    racing = failed("sanitizer: two", message="they race.", findings=(RACE, RACE), detail="the detail.")
    failure = next(ElementTree.fromstring(junit(result(racing))).iter("failure"))
    assert failure.get("message") == "Start here: WRONG_OUTPUT: they race."
    message, sentence, line, *_, detail = failure.text.splitlines()
    assert (message, sentence, detail) == (failure.get("message"), RACE.message, "the detail.")
    assert line == "    17 | sum += As[ly][k] * Bs[k][lx];"
    assert failure.text.count(RACE.help) == 2
    many = racing.model_copy(update={"findings": (RACE,) * 100})
    failure = next(ElementTree.fromstring(junit(result(many))).iter("failure"))
    assert len(failure.text) < 20_000
    assert failure.text.endswith("(cut here; the JSON report has the rest)")


def test_long_texts_are_cut_with_a_note():
    """A long text is cut with a note, because a reader would cut it without one."""
    failure = next(ElementTree.fromstring(junit(MIXED)).iter("failure"))
    assert len(failure.text) < 20_000
    assert failure.text.endswith("(cut here; the JSON report has the rest)")


def test_a_fault_of_ours_is_an_error_and_no_grade(tmp_path):
    """A fault of grader is one case with an error, which states that the student is not to blame."""
    path = tmp_path / "report.xml"
    path.write_text(junit(UNGRADED), encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(path))
    (case,) = suite
    (error,) = case.result
    assert isinstance(error, Error)
    assert "not the student's fault: there is no OpenCL device." in error.message
    assert (suite.tests, suite.errors, suite.failures) == (1, 1, 0)


def test_json_holds_everything_and_reads_back():
    """The JSON report contains the complete record according to its published schema, and reads back equal."""
    for outcome, record in ((result(BUILD, SLOW), Result), (UNGRADED, Ungraded)):
        assert record.model_validate_json(REPORTS["json"](outcome)) == outcome
    fields = json.loads(REPORTS["json"](result(BUILD, SLOW)))
    assert fields["schema_version"] == "grader-result/3"
    assert set(fields) == set(result_schema()["properties"]) - {"deduction"}, "which is there where it is late"


def lines(*checks, width=80, color=False):
    return render(result(*checks), width=width, color=color).splitlines()


def full(*checks, width=80, color=False):
    return render_in_full(result(*checks), width=width, color=color).splitlines()


def told_in(text):
    """Return the words of a report, without its line breaks."""
    return " ".join(" ".join(text).split())


def test_a_passed_result_is_a_few_lines():
    """Passed cases share one row. The row of the performance check contains the speed."""
    assert lines(BUILD, check("correctness: a"), check("correctness: b"), SPEED) == [
        "Coalesced transposition  coalsTransp",
        "kernels.cl",
        "",
        "passed  build",
        "passed  correctness: both cases                                          10 / 10",
        "passed  performance: cpu (height 1), 7.21 GB/s, 100 % of the model       40 / 40",
        "",
        "        total                                                            50 / 50",
        "seed 7, 3.2 s, Test Device",
    ]


def test_a_long_row_is_folded_before_its_points():
    """There are two blanks before the points, and a number stays with its unit."""
    speed = SPEED.model_copy(update={"name": "performance: cpu (n 320, iterations 20)"})
    points = "40 / 40"
    for width in range(60, 90):
        rows = lines(BUILD, speed, width=width)
        told = [
            row.removesuffix(points) for row in rows if "cpu" in row or (row.startswith(" " * 8) and "total" not in row)
        ]
        assert told[0].endswith("  ")
        text = " ".join(row[8:].strip() for row in told)
        assert text == "performance: cpu (n 320, iterations 20), 7.21 GB/s, 100 % of the model"
        assert not any(row.endswith(("7.21", "100")) or row[8:].startswith("%") for row in map(str.rstrip, told))


def test_a_perfect_report_of_one_kernel_has_at_most_12_lines():
    """A right submission has one row for each kind of check, however many checks there are, so its report fits on a
    screen.
    """
    cases = [check(f"correctness: case {number} (n {number})") for number in range(20)]
    practice = [check(f"practice: {number}", Kind.PRACTICE, points=0, max_points=0) for number in range(5)]
    memory = [check(f"memory: {number}", Kind.MEMORY, message="the limit is 48.") for number in range(7)]
    told = lines(BUILD, *cases, *practice, check("sanitizer (n 7)", Kind.SANITIZER), *memory, SPEED)
    assert len(told) <= 12
    assert [line.split(":")[0] for line in told if line.startswith("passed")] == [
        "passed  build",
        "passed  correctness",
        "passed  practice",
        *[line.split(":")[0] for line in told if "sanitizer" in line],
        "passed  memory",
        "passed  performance",
    ]


def test_the_full_report_has_the_figures_of_speed():
    """The full report shows the intervals, the speed-up and the bandwidth below the performance check."""
    assert full(BUILD, SPEED)[-5:] == [
        "passed  performance: cpu (height 1)                                      40 / 40",
        "        7.21 GB/s (7.1 to 7.3)",
        "        100 % of the model solution's speed (99 to 102)",
        "        1.8 x the naive kernel's speed",
        "        20 % of the copy bandwidth, which is 35.4 GB/s",
    ]
    assert "whole program: 3.5 ms, 0.13 x the naive program's speed" in told_in(full(SLOW))


def test_spills_stand_under_the_speed():
    """The full report mentions spilled registers below the speed, even if the kernel is fast. Values in registers are
    not mentioned.
    """
    for each in (SPEED, SLOW):
        said = told_in(full(each.model_copy(update={"usage": (SPILLING,)})))
        assert SPILLED in said
        assert "8.25 KiB" not in said
        assert "keeps" not in told_in(full(each.model_copy(update={"usage": (Usage(kernel="k", registers=40),)})))


def test_an_issue_has_message_lines_help_and_cost():
    """An issue has a number, a level, a reason, a line, an excerpt with carets, the next step and the lost points. The
    rows of its checks refer to the number.
    """
    racing = failed("sanitizer (n 7)", Reason.DATA_RACE, RACE.message, help=RACE.help, findings=(RACE,)).model_copy(
        update={"kind": Kind.SANITIZER}
    )
    outcome = result(BUILD, failed("correctness: one (n 1)"), racing, source=SOURCE)
    assert render(outcome, width=80, color=False).splitlines()[3:] == [
        " 1. error[DATA_RACE]: line 13 writes As[0][7] while line 17 may still be reading",
        "    it: there is no barrier between them.",
        "    --> kernels.cl:13",
        "    17 | sum += As[ly][k] * Bs[k][lx];",
        "       |        ^^^^^^^^^ work-item (3, 0) of group (1, 0) reads As[0][7]",
        "    13 | As[ly][lx] = (gy < heightA && t + lx < widthA) ? A[gy*widthA + t + lx]…",
        "       | ^^^^^^^^^^",
        "       |   work-item (7, 0) of group (1, 0) writes As[0][7], one iteration of",
        "       |   the loop later",
        "    help: Usually a barrier(CLK_LOCAL_MEM_FENCE) is missing at the end of the",
        "          loop over the tiles.",
        "    cost: 10 points (sanitizer; correctness: one)",
        "",
        "passed  build",
        "failed  correctness: one (n 1): see 1                                      0 / 5",
        "failed  sanitizer (n 7): see 1                                             0 / 5",
        "",
        "        total                                                             0 / 10",
        "seed 7, 3.2 s, Test Device",
    ]


def test_two_events_in_one_line_have_carets_and_dashes():
    """The first access in a line is underlined with carets, the second with dashes. Each is followed by its event."""
    text = render(example(), width=80, color=False)
    assert (
        "    13 | scratch[lid] += scratch[lid + s];\n"
        "       | ^^^^^^^^^^^^ work-item 1 of group 0 writes `scratch`\n"
        "       |                 ---------------- work-item 0 of group 0 reads `scratch`\n"
    ) in text


def test_an_issue_says_if_it_is_wrong_slow_or_practice():
    """Issues about wasted time or memory have the level "slow", and those of practice cases "practice". All others are
    errors.
    """
    practice = failed("practice: odd (n 3)", max_points=0).model_copy(update={"kind": Kind.PRACTICE})
    told = [line for line in lines(BUILD, failed("correctness: a"), SLOW, practice) if line.startswith(" ")]
    assert [line[4:].split(":")[0] for line in told if line[:4] in {" 1. ", " 2. ", " 3. "}] == [
        "error[WRONG_OUTPUT]",
        "slow[TOO_SLOW]",
        "practice[WRONG_OUTPUT]",
    ]


def test_only_the_first_issues_are_told_in_full():
    """The first issues are shown with their lines, help and cost. Each of the others is shown as one sentence."""
    wrong = [
        failed(f"correctness: case {i}", message=f"error {i} in line 1.", cause=f"cause {i}", help=f"do {i}.")
        for i in range(ISSUES_IN_FULL + 3)
    ]
    text = lines(BUILD, *wrong)
    assert sum(line.startswith("    --> kernels.cl:1") for line in text) == ISSUES_IN_FULL
    assert sum(line.startswith("    cost: 5 points") for line in text) == ISSUES_IN_FULL
    assert sum(line.startswith("    help: Do ") for line in text) == ISSUES_IN_FULL
    last = text.index(f" {ISSUES_IN_FULL + 1}. error[WRONG_OUTPUT]: error {ISSUES_IN_FULL} in line 1.")
    assert text[last - 1 : last + 4] == [
        "",
        *(f" {i + 1}. error[WRONG_OUTPUT]: error {i} in line 1." for i in range(ISSUES_IN_FULL, ISSUES_IN_FULL + 3)),
        "",
    ]
    assert "failed correctness: 0 of 8 cases: see 1, 2, 3, 4, 5, 6, 7 and 8" in told_in(text)


def test_one_lost_point_is_a_point():
    """A cost of one point is given in the singular."""
    assert "    cost: 1 point (correctness: a)" in lines(failed("correctness: a", max_points=1))
    assert "    cost: 2.5 points (correctness: a)" in lines(failed("correctness: a", max_points=2.5))


def test_cases_of_one_kind_share_a_row_with_one_verdict():
    """Cases share a row that counts the right ones, and refers to the issue of the others."""
    wrong = [failed(f"correctness: case {i} (n {i})", message=f"error {i}.", detail="by far") for i in range(5)]
    text = lines(BUILD, check("correctness: a"), *wrong, SLOW)
    assert "partly  correctness: 1 of 6 cases: see 1                                  5 / 30" in text
    assert [line for line in text if "error" in line] == [" 1. error[WRONG_OUTPUT]: error 0."]
    assert "    cost: 25 points (correctness: case 0, case 2, case 3, 2 more)" in text
    assert next(line for line in text if line.startswith("partly  performance")).endswith("20 / 40")
    assert " 2. slow[TOO_SLOW]: it runs at 63 % of the model solution's speed; full points" in text


def test_the_full_report_contains_every_message():
    """In the full report, each check has a row with its points, reason, message, help, findings and detail."""
    wrong = [
        failed(f"correctness: case {i} (n {i})", message=f"error {i}.", help=f"do {i}.", detail=f"by {i}")
        for i in range(5)
    ]
    outcome = (BUILD, check("correctness: a", message="by a hair."), *wrong, *UNREACHED, SLOW)
    text = told_in(full(*outcome))
    for each in outcome:
        assert each.message in text
        assert each.help in text
        assert each.detail in text
    assert "failed correctness: case 3 (n 3) 0 / 5 WRONG_OUTPUT error 3. do 3. by 3" in text
    brief = told_in(lines(*outcome))
    assert text.startswith(brief)
    assert "error 3." not in brief


@pytest.mark.parametrize("name", GRADED)
def test_the_full_report_of_each_mistake_contains_every_message(name):
    """The full report of each kind of mistake contains every message, help, event and log."""
    text = told_in(render_in_full(GRADED[name], width=200, color=False).splitlines())
    for each in GRADED[name].checks:
        events = [place.words for finding in each.findings for place in finding.places]
        sentences = [words for finding in each.findings for words in (finding.message, finding.help)]
        for words in (each.message, each.help, each.detail, *events, *sentences):
            assert " ".join(showable(words).split()) in text


def test_what_was_not_run_is_one_line():
    """Twelve checks that did not run for the same reason share one line, with the first sentence of the reason."""
    skipped = [
        failed(f"correctness: {i}", reason=Reason.NOT_RUN, message="the build failed. Fix it.") for i in range(12)
    ]
    text = lines(*skipped)
    assert told_in(text).count("the build failed.") == 1
    assert "skipped correctness: 12 checks                                            0 / 60" in text
    assert "        the build failed." in text


def test_what_was_not_run_stands_apart_from_what_failed():
    """Checks that did not run are listed as skipped, apart from failed ones, with the reason and the lost points.

    The number of passed cases is compared with the number of cases that ran.
    """
    left = {"reason": Reason.NOT_RUN, "message": "skipped: earlier cases timed out."}
    slow = failed("correctness: b", reason=Reason.TIME_LIMIT, message="still running after 10 s.")
    cases = [check("correctness: a"), check("correctness: d"), failed("correctness: c", **left)]
    untimed = failed("performance: cpu (n 9)", kind=Kind.PERFORMANCE, max_points=40, **left)
    text = lines(BUILD, failed("correctness: e", **left), slow, *cases, untimed)
    start = text.index("passed  build")
    assert text[start - 3 : start + 8] == [
        " 1. error[TIME_LIMIT]: still running after 10 s.",
        "    cost: 55 points (correctness: b)",
        "",
        "passed  build",
        "partly  correctness: 2 of 3 cases: see 1                                 10 / 15",
        "skipped correctness: 2 checks                                             0 / 10",
        "        skipped: earlier cases timed out.",
        "skipped performance: cpu (n 9)                                            0 / 40",
        "        skipped: earlier cases timed out.",
        "",
        "        total                                                            10 / 65",
    ]


def test_a_row_has_the_points_of_all_checks_of_its_kind_that_ran():
    """Passed and failed checks of a kind share a row with the number and the points of both. Checks that were not run
    or are withheld have their own rows, and do not change the verdict of the first row.
    """
    memory = [check(f"memory: {i}", Kind.MEMORY, points=4, max_points=4) for i in range(2)]
    lost = failed("memory: banks", kind=Kind.MEMORY, reason=Reason.EXTRA_TRAFFIC, max_points=20)
    unrun = failed("memory: reads", kind=Kind.MEMORY, reason=Reason.NOT_RUN, max_points=20)
    text = lines(BUILD, *memory, lost, unrun)
    assert "partly  memory: 2 of 3 checks: see 1                                      8 / 28" in text
    assert "skipped memory: reads                                                     0 / 20" in text
    hidden = check("memory: reads", Kind.MEMORY, Verdict.SKIPPED, 0, 20, reason=Reason.HIDDEN, message="later.")
    text = lines(*memory, hidden)
    assert "passed  memory: both checks                                                8 / 8" in text
    assert "hidden  memory: reads                                                     ? / 20" in text


def test_a_speed_that_does_not_count_yet_is_still_told():
    """A speed that was measured before a hidden case failed is still printed, with its interval in the full report."""
    forfeited = replace(SPEED, verdict=Verdict.FAILED, points=0.0, reason=Reason.NOT_RUN, message="does not count yet.")
    text = lines(BUILD, forfeited)
    assert text[4].startswith("skipped performance: cpu (height 1), 7.21 GB/s, 100 % of the model")
    assert text[5] == "        does not count yet."
    assert full(BUILD, forfeited)[-5:-3] == ["        NOT_RUN  does not count yet.", "        7.21 GB/s (7.1 to 7.3)"]


def test_what_follows_from_a_failed_build_is_one_row():
    """After a failed build, all other checks share one row with their lost points, so that the total adds up."""
    assert lines(UNBUILT, *UNREACHED)[3:] == [
        " 1. error[BUILD_ERROR]: line 5: what?",
        "    cost: 100 points (build)",
        "",
        "failed  build: see 1",
        f"skipped {ONE_LINE}          0 / 100",
        "        skipped: fix the build first.",
        "",
        "        total                                                            0 / 100",
        "seed 7, 3.2 s, Test Device",
    ]


def test_a_failed_build_shows_its_log_or_its_line():
    """The brief report shows the first lines of the compiler's log, and the full report shows all of them. If there is
    no log, the source line is shown.
    """
    log = "\n".join(f"error {number}" for number in range(LOG_LINES + 30))
    logged = replace(UNBUILT, message="line 1: what?", detail=log)
    text = lines(logged, *UNREACHED)
    place = text.index("    --> kernels.cl:1")
    assert text[place + 1] == "    error 0"
    assert text[place + LOG_LINES : place + LOG_LINES + 2] == [
        f"    error {LOG_LINES - 1}",
        "    (30 more lines with --verbose)",
    ]
    assert f"error {LOG_LINES + 29}" in told_in(full(logged))
    assert "more line" not in told_in(lines(replace(logged, detail="error 0")))
    repeated = "kernels.cl:1: error: what?\n__kernel void coalsTransp() {\n^"
    assert "     1 | __kernel void coalsTransp() {" in lines(replace(logged, message="line 1: what?", detail=repeated))
    declared = f"expected: {'real *A, ' * 20}uint n"
    assert declared in told_in(lines(replace(logged, detail=declared)))
    forbidden = lines(replace(UNBUILT, reason=Reason.FORBIDDEN, message="line 1 has #include."))
    assert "     1 | __kernel void coalsTransp() {" in forbidden


def test_a_check_that_passed_says_how_far_it_is_from_its_limit():
    """In the full report, the message of a passed check about its limit is below its row. In the brief report, passed
    checks share a row.
    """
    reads = check("memory: words read", Kind.MEMORY, message="it reads 40 words of global memory; the limit is 48.")
    banks = check("memory: banks", Kind.MEMORY, message="no conflicts; the limit is 2.")
    assert full(BUILD, reads, banks)[-4:] == [
        "passed  memory: words read                                                 5 / 5",
        "        it reads 40 words of global memory; the limit is 48.",
        "passed  memory: banks                                                      5 / 5",
        "        no conflicts; the limit is 2.",
    ]
    assert lines(BUILD, reads, banks)[4].startswith("passed  memory: both checks")
    assert "the limit" not in told_in(lines(BUILD, reads, banks))


def test_findings_stand_under_their_check():
    """In the full report, a check lists all its findings with message, source lines, events, help and the number of
    occurrences.
    """
    racing = failed("sanitizer: two", message="they race.", findings=(RACE,) * 5)
    text = "\n".join(full(racing))
    assert "        WRONG_OUTPUT  they race.\n        line 13 writes As[0][7] while" in text
    assert (
        "          17 | sum += As[ly][k] * Bs[k][lx];\n"
        "               work-item (3, 0) of group (1, 0) reads As[0][7]\n"
        "          13 | As[ly][lx] = (gy < heightA && t + lx < widthA) ? A[gy*widthA + t…\n"
    ) in text
    assert text.count(" 17 | ") == 5
    assert text.count("Seen 4,096 times.") == 5


def test_a_finding_that_the_check_has_told_is_not_told_twice():
    """A finding's sentence and help are not repeated if the check has already given them."""
    racing = failed("sanitizer: two", message=RACE.message, help=RACE.help, findings=(RACE,))
    text = told_in(lines(racing))
    assert (text.count(RACE.message), text.count(RACE.help)) == (1, 1)
    text = told_in(full(racing))
    assert (text.count(RACE.message), text.count(RACE.help)) == (2, 2)


@pytest.mark.parametrize("draw", [render, render_in_full])
@pytest.mark.parametrize("width", [80, 60])
def test_nothing_is_wider_than_the_terminal(draw, width):
    """No line is wider than the terminal, even with long names, messages, logs, file names and source lines."""
    source = f"{'x' * 300}\n{'y' * 30} = As[1] + {'z' * 90} + As[2];\n"
    place = RACE.places[0].model_copy(update={"line": 2, "words": f"{'work-item ' * 20}reads As"})
    far = RACE.model_copy(update={"message": "line 2 races.", "places": (place,)})
    outcome = result(
        failed("build", kind=Kind.BUILD, message="line 1: what?", detail="log " * 90).of_part("a"),
        *(each.of_part("b") for each in (BUILD, SLOW)),
        failed("correctness: " + "long " * 30, message="words " * 40, help="help " * 40, cause="own").of_part("b"),
        failed("sanitizer (n 7)", message="line 2 races.", findings=(far, RACE)).of_part("b"),
        source=source,
        submission=f"{'folder' * 20}/{'k' * 100}.cl",
    )
    for each in (outcome, *GRADED.values(), example()):
        assert max(map(len, draw(each, width=width, color=False).splitlines())) <= width


def test_colour_is_for_terminals_only():
    """Plain text has no colours, and terminals get them. Colours do not change the words."""
    for draw in (render, render_in_full):
        for each in GRADED.values():
            plain, coloured = (draw(each, width=80, color=color) for color in (False, True))
            assert "\x1b" not in plain
            assert "\x1b[" in coloured
            assert [line.rstrip() for line in COLOUR.sub("", coloured).splitlines()] == plain.splitlines()


def test_errors_are_red_and_wasted_time_is_yellow():
    """The level of an issue is red if the kernel is wrong, and yellow if it is slow."""
    text = "\n".join(lines(BUILD, failed("correctness: a"), SLOW, color=True))
    assert "\x1b[1;31merror[WRONG_OUTPUT]" in text
    assert "\x1b[1;33mslow[TOO_SLOW]" in text


def test_control_characters_of_a_submission_do_not_reach_the_terminal():
    """Control characters from kernel names or compiler messages do not reach the terminal."""
    nasty = NASTY.replace("\ud83d", "")
    checks = [
        failed("build", kind=Kind.BUILD, message=f"line 1: {nasty}", help=nasty, detail="\x1b[2J\x07"),
        failed("correctness: x", message=nasty, detail="\x1b[2J\x07"),
    ]
    outcome = result(*checks, source="\x1b[2J int \x07 a;\n", submission="a\x1b.cl")
    for draw in (render, render_in_full):
        assert not set(draw(outcome, width=80, color=False)) & {"\x00", "\x1b", "\x07"}


def drawn(*cells, **more):
    """Return an error map with these cells."""
    return ErrorMap(**{"buffer": "B", "shape": (53, 90), "block": (16, 16), "cells": cells, **more})


def test_a_map_that_tells_something_is_shown_in_full():
    """The full report shows an informative error map below the reason. A map with a single kind of cell is left out,
    and the brief report does not show maps.
    """
    checks = [
        failed("correctness: a (n 1)", error_map=drawn("#")),
        failed("correctness: b (n 2)", error_map=drawn("..#", "oo+")),
    ]
    text = "\n".join(full(*checks))
    legend = "        B in cells of 16 x 16:  . right  + some wrong  # wrong  o not written"
    assert f"it is wrong.\n{legend}\n        ..#\n        oo+" in text
    assert text.count("in cells of") == 1
    assert "in cells of" not in "\n".join(lines(*checks))


def test_the_widest_map_fits_the_terminal():
    """The widest map, and the longest legend, fit into 80 columns."""
    widest = drawn(*(20 * (40 * "o",)), buffer="Btr", block=(512, 16))
    for line in full(failed("correctness: a", error_map=widest.model_copy(update={"cells": (*widest.cells, ".+#o")}))):
        assert len(line) <= 80
    assert any(line.endswith("o not written") for line in full(failed("a", error_map=drawn(".+#o", buffer="Btr"))))


def test_each_cause_is_an_issue_and_the_commonest_comes_first():
    """Each cause is shown once, the most frequent first. Failures without a known cause share an issue."""
    checks = [
        failed("correctness: a (n 1)", message="no cause."),
        failed("correctness: b (n 2)", message="rare.", cause="rare"),
        failed("correctness: c (n 3)", message="common at 3.", cause="common"),
        failed("correctness: d (n 4)", message="common at 4.", cause="common"),
    ]
    text = [line for line in lines(*checks) if line.startswith((" 1. ", " 2. ", " 3. ", "    cost"))]
    assert text == [
        " 1. error[WRONG_OUTPUT]: common at 3.",
        "    cost: 10 points (correctness: c, d)",
        " 2. error[WRONG_OUTPUT]: rare.",
        "    cost: 5 points (correctness: b)",
        " 3. error[WRONG_OUTPUT]: no cause.",
        "    cost: 5 points (correctness: a)",
    ]


def test_junit_draws_the_map_below_the_failure():
    """The error map is in a failure's text, but not in its message."""
    (failure,) = ElementTree.fromstring(junit(result(failed("a", detail="by far", error_map=drawn(".#"))))).iter(
        "failure"
    )
    assert failure.text.endswith("by far\nB in cells of 16 x 16:  . right  # wrong\n.#")
    assert "cells" not in failure.get("message")


WATCHED = (unchecked(), unchecked("memory: banks", Kind.MEMORY, 10), unchecked("memory: traffic", Kind.MEMORY, 10))


def test_what_was_not_checked_keeps_its_points_and_stands_under_the_total():
    """Unchecked points are shown in their rows, below the total and in the line of a list, so that the points are not
    misjudged.
    """
    outcome = result(BUILD, check("correctness: a", points=28, max_points=28), *WATCHED, SPEED)
    told = render(outcome, width=80, color=False).splitlines()
    start = told.index("open    sanitizer (height 1)                                              0 / 12")
    assert told[start + 1 : start + 4] == [
        "        the simulator is not installed: install it.",
        "open    memory: banks, traffic                                            0 / 20",
        "        the simulator is not installed: install it.",
    ]
    assert told[-3:-1] == [
        "        total                                                           68 / 100",
        "        68 of 100; 32 not checked here: the simulator is missing",
    ]
    assert summary("ada", outcome).split("  ")[-1] == "32 not checked here: the simulator is missing"
    wrong = result(BUILD, failed("correctness: a"), *WATCHED)
    assert summary("ada", wrong).endswith("WRONG_OUTPUT; 32 not checked here: the simulator is missing")


def test_a_speed_that_the_courses_machine_decides_on_is_shown():
    """If the course's machine decides about a speed, the local figures are still printed. The whole message is shown,
    because it contains one of them.
    """
    message = "not here. Here it is 1.8 times as fast."
    there = SPEED.model_copy(
        update={"verdict": Verdict.SKIPPED, "points": 0.0, "reason": Reason.DECIDED_ELSEWHERE, "message": message}
    )
    text = "\n".join(lines(BUILD, there))
    assert "open    performance: cpu (height 1), 7.21 GB/s, 100 % of the model " in text
    assert f"        {message}\n" in text
    assert "        0 of 40; 40 are decided on the course's machine\n" in text
    assert "        7.21 GB/s (7.1 to 7.3)" in full(BUILD, there)


def test_junit_skips_what_was_not_checked_and_says_its_worth():
    """A skipped case has the reason, the points and the remedy both in its message and in its text.

    Older readers show only one of them.
    """
    skipped = list(ElementTree.fromstring(junit(result(BUILD, *WATCHED))).iter("skipped"))
    said = "worth {} points: the simulator is not installed: install it."
    assert [each.get("message") for each in skipped] == [f"NO_SIMULATOR, {said.format(n)}" for n in (12, 10, 10)]
    assert [each.text for each in skipped] == [each.get("message") for each in skipped]
    cases = ElementTree.fromstring(junit(result(WATCHED[0]))).iter("testcase")
    assert [case.findtext("system-out") for case in cases] == ["[[PROPERTY|points=0]]\n[[PROPERTY|max_points=12]]"]


def test_what_draws_figures_obeys_no_file_of_the_working_directory(tmp_path):
    """matplotlib does not read a matplotlibrc in the working directory.

    The directory may be a student's repository, and such a file can make matplotlib run code.
    """
    (tmp_path / "matplotlibrc").write_text("font.size: 99\n")
    loading = "from grader import reports; reports._load_what_draws()"
    program = f"{loading}; import matplotlib; print(matplotlib.rcParams['font.size'])"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 99


@pytest.mark.parametrize("name", ["json", "junit", "html", "terminal", "in full", "gradescope", "explanation"])
def test_what_is_missing_by_our_fault_is_told_everywhere(name):
    """If a part is missing because of a fault of grader, every report names the part and states that the grade is not
    affected.

    The JUnit file stays valid for the strictest reader.
    """
    fault = Fault(lost="the explanation")
    lacking = result(BUILD, failed("correctness: one", faults=(fault,)), failed("correctness: two", faults=(fault,)))
    report = {
        **REPORTS,
        "terminal": lambda it: render(it, width=200, color=False),
        "in full": lambda it: render_in_full(it, width=200, color=False),
        "explanation": lambda it: explanation.render(Explained(title="x", checks=it.checks), width=200, color=False),
    }[name](lacking)
    assert (fault.lost if name == "json" else fault.sentence) in report
    if name == "junit":
        XUNIT.validate(ElementTree.fromstring(report))


def test_a_page_that_cannot_be_made_is_a_bare_one(monkeypatch):
    """If a page cannot be made, a bare page with the points and the escaped reasons replaces it."""
    monkeypatch.setattr(page_module, "workspace", lambda *_: 1 / 0)
    made = page(MIXED)
    assert [fault.lost for fault in made.faults] == ["the page"]
    assert "5 of" in made.text
    assert "&lt;b&gt;" in made.text
    assert "<b>" not in made.text
    assert page(UNGRADED).faults == ()


def test_a_figure_that_cannot_be_drawn_costs_only_itself(monkeypatch):
    """If a figure cannot be drawn, a sentence replaces it, and the rest of the page is unchanged."""
    monkeypatch.setattr(page_module.figures, "timings", lambda *_: 1 / 0)
    made = page(result(BUILD, SPEED))
    assert [fault.lost for fault in made.faults] == ["a figure"]
    assert made.faults[0].sentence in made.text
    assert made.text.count("<svg") == 1


def test_an_overview_that_cannot_be_made_is_a_bare_one(monkeypatch):
    """If an overview cannot be made, a bare list of students and points replaces it."""
    monkeypatch.setattr(overview_module, "render_overview", lambda *_: 1 / 0)
    row = StudentRow(student=Student(label="ada", name="Ada"), assignment="small", grade=grade_of(MIXED))
    book = Gradebook(shape="x", assignments=("small",), titles={}, maxima={}, skeletons={}, parts={}, rows=(row,))
    made = overview_page(book, {("ada", "small"): "students/ada/small.html"})
    assert [fault.lost for fault in made.faults] == ["the overview"]
    assert "ada, small: 25 of 50 students/ada/small.html" in made.text
