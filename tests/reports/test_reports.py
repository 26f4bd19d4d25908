"""reports/: learning platforms, programs and people get valid and readable reports."""

import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import xmlschema
from junitparser import Error, Failure, JUnitXml
from samples import BUILD, RACE, SLOW, SPEED, SPILLED, SPILLING, UNGRADED, check, failed, result, unchecked
from xunit import XUNIT

from grader.authoring.schema import result_schema
from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.course.submissions.handin import Student
from grader.reports import REPORTS, explanation, overview_page, page
from grader.reports.html import overview as overview_module
from grader.reports.html import page as page_module
from grader.reports.terminal import render, summary
from grader.results.check import ErrorMap, Reason, Verdict
from grader.results.explanation import Explained
from grader.results.gradebook import Gradebook, StudentRow, grade_of
from grader.results.metrics import Usage
from grader.results.result import Result, Ungraded

NASTY = 'a<b> & "c" \x00\x1b[31m ]]> \ud83d \uffff é'
MIXED = result(BUILD, check("correctness: one"), failed("correctness: two", message=NASTY, detail="x" * 30_000), SLOW)
OUTCOMES = [result(BUILD, check("correctness: one"), SPEED), MIXED, UNGRADED]


def junit(outcome):
    return REPORTS["junit"](outcome)


@pytest.mark.parametrize("outcome", OUTCOMES, ids=["passed", "mixed", "ungraded"])
def test_junit_passes_the_strict_schema(outcome):
    """The strictest reader accepts the JUnit file: no unknown attribute, long text, odd time or equal names."""
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
    """The schema refuses each spoilt file: test_junit_passes_the_strict_schema can fail.

    Each file has one known trap of the readers.
    """
    text = junit(MIXED)
    spoilt = spoil(text)
    assert spoilt != text
    with pytest.raises(xmlschema.XMLSchemaException):
        XUNIT.validate(ElementTree.fromstring(spoilt))


def test_junit_is_read_back_by_another_library_with_the_same_counts(tmp_path):
    """junitparser reads as many cases, failures and seconds as the result has."""
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
    """The simulator's finding comes before the wrong results that follow from it, in its own words."""
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
    """The line is a property in system-out, because the strictest readers refuse attributes.

    A sentence's line precedes those of findings.
    """
    checks = [failed("a", message="line 26 is wrong."), failed("b", findings=(RACE,)), failed("c")]
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
    """After a failed build, all other checks are one skipped case with their points.

    Readers that count passed cases find none.
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
    """In a suite with another passing kernel, each check stays a failure.

    Otherwise a kernel that does not build would raise the share of passed cases.
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
    """system-out gives the points, the distance from the limit, and the figures of speed."""
    fast = SPEED.model_copy(update={"message": "it runs at 98 % of the model solution's speed; full points need 70 %."})
    said = ElementTree.fromstring(junit(result(fast))).find(".//system-out").text
    assert said.startswith("[[PROPERTY|points=40]]\n[[PROPERTY|max_points=40]]\nit runs at 98 % of")
    assert "1.8 x the naive kernel's speed" in said


def test_a_failures_message_also_stands_first_in_its_text():
    """A failure's text starts with its message, because some readers show only one of them."""
    failures = ElementTree.fromstring(junit(MIXED)).iter("failure")
    for failure, reason, lead in zip(
        failures, (Reason.WRONG_OUTPUT, Reason.TOO_SLOW), ("Start here: ", ""), strict=True
    ):
        assert failure.get("type") == reason
        assert failure.get("message").startswith(f"{lead}{reason}: ")
        assert failure.text.replace("\n", " ").startswith(failure.get("message").replace("\n", " "))


def test_findings_stand_between_the_message_and_the_detail():
    """Findings come between the message and the detail. A learning platform shows their lines up to its limit."""
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
    """A fault of the grader is one case with an error, which says that it is not the student's fault."""
    path = tmp_path / "report.xml"
    path.write_text(junit(UNGRADED), encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(path))
    (case,) = suite
    (error,) = case.result
    assert isinstance(error, Error)
    assert "not the student's fault: there is no OpenCL device." in error.message
    assert (suite.tests, suite.errors, suite.failures) == (1, 1, 0)


def test_json_holds_everything_and_reads_back():
    """The JSON report is the complete record by its published schema and reads back equal."""
    for outcome, record in ((result(BUILD, SLOW), Result), (UNGRADED, Ungraded)):
        assert record.model_validate_json(REPORTS["json"](outcome)) == outcome
    fields = json.loads(REPORTS["json"](result(BUILD, SLOW)))
    assert fields["schema_version"] == "grader-result/3"
    assert set(fields) == set(result_schema()["properties"]) - {"deduction"}, "which is there where it is late"


def lines(*checks, width=80, color=False):
    return render(result(*checks), width=width, color=color).splitlines()


def test_a_passed_result_is_a_few_lines():
    """Passed cases share one row, and the figures of speed are below its check."""
    assert lines(BUILD, check("correctness: a"), check("correctness: b"), SPEED) == [
        "Coalesced transposition  coalsTransp",
        "kernels.cl",
        "",
        "passed build",
        "passed correctness: all 2 cases                                          10 / 10",
        "passed performance: cpu (height 1)                                       40 / 40",
        "       7.21 GB/s (7.1 to 7.3)",
        "       100 % of the model solution's speed (99 to 102)",
        "       1.8 x the naive kernel's speed",
        "       20 % of the copy bandwidth, which is 35.4 GB/s",
        "",
        "       total                                                             50 / 50",
        "seed 7, 3.2 s, Test Device",
    ]


def test_spills_stand_under_the_speed():
    """Spilled registers are reported below the speed, also of a fast kernel. Values in registers are not mentioned."""
    for each in (SPEED, SLOW):
        said = " ".join(" ".join(lines(each.model_copy(update={"usage": (SPILLING,)}))).split())
        assert SPILLED in said
        assert "8.25 KiB" not in said
        assert "keeps" not in " ".join(lines(each.model_copy(update={"usage": (Usage(kernel="k", registers=40),)})))


def test_failures_stand_with_their_reason_below():
    """The first failure of a reason is printed in full, and the rest by name, because they usually share a cause."""
    wrong = [failed(f"correctness: case {i} (n {i})", message=f"error {i}.", detail="by far") for i in range(5)]
    text = "\n".join(lines(BUILD, check("correctness: a"), *wrong, SLOW))
    assert "FAILED correctness: case 0 (n 0)" in text
    assert "       WRONG_OUTPUT  error 1.\n       by far" in text
    assert "error 2." not in text
    assert "FAILED correctness: 3 more                                                0 / 15" in text
    assert "WRONG_OUTPUT  case 2, case 3, case 4" in text
    assert "partly performance: cpu (height 1)                                       20 / 40" in text
    assert "whole program: 3.5 ms, 0.13 x the naive program's speed" in text


def test_what_was_not_run_is_one_line():
    """Twelve checks that did not run for one reason share one line."""
    skipped = [failed(f"correctness: {i}", reason=Reason.NOT_RUN, message="the build failed.") for i in range(12)]
    text = "\n".join(lines(*skipped))
    assert text.count("the build failed.") == 1
    assert "skip   correctness: 12 checks                                             0 / 60" in text


def test_what_was_not_run_stands_apart_from_what_failed():
    """Checks that did not run are listed as skipped, apart from failed ones, with the reason and the lost points.

    Passed cases are counted against all cases.
    """
    left = {"reason": Reason.NOT_RUN, "message": "skipped: earlier cases timed out."}
    slow = failed("correctness: b", reason=Reason.TIME_LIMIT, message="still running after 10 s.")
    cases = [check("correctness: a"), check("correctness: d"), failed("correctness: c", **left)]
    untimed = failed("performance: cpu (n 9)", kind=Kind.PERFORMANCE, max_points=40, **left)
    text = lines(BUILD, failed("correctness: e", **left), slow, *cases, untimed)[4:]
    assert text[:9] == [
        "passed correctness: 2 of 5 cases                                         10 / 10",
        "FAILED correctness: b                                                      0 / 5",
        "       TIME_LIMIT  still running after 10 s.",
        "skip   correctness: 2 checks                                              0 / 10",
        "       NOT_RUN  skipped: earlier cases timed out.",
        "skip   performance: cpu (n 9)                                             0 / 40",
        "       NOT_RUN  skipped: earlier cases timed out.",
        "",
        "       total                                                             10 / 65",
    ]
    assert "passed correctness: 2 of 3 cases" in "\n".join(lines(*cases))


def test_a_speed_that_does_not_count_yet_is_still_told():
    """A speed measured before a hidden case failed is still printed."""
    forfeited = replace(SPEED, verdict=Verdict.FAILED, points=0.0, reason=Reason.NOT_RUN, message="does not count yet.")
    text = lines(BUILD, forfeited)
    assert text[4].startswith("skip   performance: cpu (height 1)")
    assert text[5:7] == ["       NOT_RUN  does not count yet.", "       7.21 GB/s (7.1 to 7.3)"]


def test_what_follows_from_a_failed_build_is_one_row():
    """After a failed build, all other checks share one row with their lost points, so the total adds up."""
    text = lines(UNBUILT, *UNREACHED)
    assert text[3:] == [
        "FAILED build",
        "       BUILD_ERROR  line 5: what?",
        f"skip   {ONE_LINE}           0 / 100",
        "       NOT_RUN  skipped: fix the build first.",
        "",
        "       total                                                             0 / 100",
        "seed 7, 3.2 s, Test Device",
    ]


def test_a_check_that_passed_says_how_far_it_is_from_its_limit():
    """A passed check gives its distance from the limit below its row. In a common row, its name comes first."""
    reads = check("memory: words read", Kind.MEMORY, message="it reads 40 words of global memory; the limit is 48.")
    text = lines(BUILD, reads)
    assert text[5] == "       it reads 40 words of global memory; the limit is 48."
    text = lines(BUILD, reads, check("memory: banks", Kind.MEMORY, message="no conflicts; the limit is 2."))
    assert text[4].startswith("passed memory: all 2 checks")
    assert text[5:8] == [
        "       words read: it reads 40 words of global memory; the limit is 48.",
        "       banks: no conflicts; the limit is 2.",
        "",
    ]


def test_findings_stand_under_their_check():
    """A check prints up to three findings with sentence, source lines, events and cause, and the number of the rest."""
    racing = failed("sanitizer: two", message="they race.", findings=(RACE,) * 5)
    text = "\n".join(lines(racing))
    assert "       WRONG_OUTPUT  they race.\n       line 13 writes As[0][7] while" in text
    assert (
        "         17 | sum += As[ly][k] * Bs[k][lx];\n"
        "              work-item (3, 0) of group (1, 0) reads As[0][7]\n"
        "         13 | As[ly][lx] = (gy < heightA && t + lx < widthA) ? A[gy*widthA + t …\n"
    ) in text
    assert text.count(" 17 | ") == 3
    assert "(2 more in the other reports)" in text


def test_a_finding_that_the_check_has_told_is_not_told_twice():
    """A finding's sentence is not repeated if the check already has it."""
    text = " ".join(" ".join(lines(failed("sanitizer: two", message=RACE.message, findings=(RACE,)))).split())
    assert text.count(RACE.message) == 1
    assert RACE.help in text


def test_nothing_is_wider_than_the_terminal():
    """No line is wider than a terminal of 80 or 60 columns."""
    for width in (80, 60):
        for line in lines(
            BUILD, failed("correctness: " + "long " * 30, message="words " * 40, findings=(RACE,)), SLOW, width=width
        ):
            assert len(line) <= width


def test_colour_is_for_terminals_only():
    """Plain text has no colours and terminals get them."""
    assert not any("\x1b" in line for line in lines(BUILD, SLOW))
    assert any("\x1b[" in line for line in lines(BUILD, SLOW, color=True))


def test_control_characters_of_a_submission_do_not_reach_the_terminal():
    """Control characters from kernel names or compiler messages do not reach the terminal."""
    text = "\n".join(lines(failed("correctness: x", message=NASTY.replace("\ud83d", ""), detail="\x1b[2J\x07")))
    assert not set(text) & {"\x00", "\x1b", "\x07"}


def drawn(*cells, **more):
    """Return an error map of these cells."""
    return ErrorMap(**{"buffer": "B", "shape": (53, 90), "block": (16, 16), "cells": cells, **more})


def test_the_first_failure_whose_map_tells_something_shows_it():
    """The first informative error map is printed once, below its reason. A map with one sign only is left out."""
    checks = [
        failed("correctness: a (n 1)", error_map=drawn("#")),
        failed("correctness: b (n 2)", error_map=drawn("..#", "oo+")),
    ]
    text = "\n".join(lines(*checks))
    legend = "       B in cells of 16 x 16:  . right  + partly wrong  # wrong  o not written"
    assert f"it is wrong.\n{legend}\n       ..#\n       oo+\n" in text
    assert text.count("in cells of") == 1
    assert "in cells of" not in "\n".join(lines(checks[0]))


def test_the_widest_map_fits_the_terminal():
    """The widest map with the longest legend fits in 80 columns."""
    widest = drawn(*(20 * (40 * "o",)), buffer="Btr", block=(512, 16))
    for line in lines(failed("correctness: a", error_map=widest.model_copy(update={"cells": (*widest.cells, ".+#o")}))):
        assert len(line) <= 80
    assert any(line.endswith("o not written") for line in lines(failed("a", error_map=drawn(".+#o", buffer="Btr"))))


def test_one_failure_for_each_cause_is_explained():
    """One failure of each cause is explained, the most common first. Failures without a cause are named only."""
    checks = [
        failed("correctness: a (n 1)", message="no cause."),
        failed("correctness: b (n 2)", message="rare.", cause="rare"),
        failed("correctness: c (n 3)", message="common at 3.", cause="common"),
        failed("correctness: d (n 4)", message="common at 4.", cause="common"),
    ]
    text = "\n".join(lines(*checks))
    assert text.index("common at 3.") < text.index("rare.")
    assert "common at 4." not in text
    assert "WRONG_OUTPUT  a, d" in text


def test_junit_draws_the_map_below_the_failure():
    """The error map is in a failure's text, not in its message."""
    (failure,) = ElementTree.fromstring(junit(result(failed("a", detail="by far", error_map=drawn(".#"))))).iter(
        "failure"
    )
    assert failure.text.endswith("by far\nB in cells of 16 x 16:  . right  # wrong\n.#")
    assert "cells" not in failure.get("message")


WATCHED = (unchecked(), unchecked("memory: banks", Kind.MEMORY, 10), unchecked("memory: traffic", Kind.MEMORY, 10))


def test_what_was_not_checked_keeps_its_points_and_stands_under_the_total():
    """Unchecked points appear in their row, below the total and in a list's line, to avoid a misjudgement."""
    outcome = result(BUILD, check("correctness: a", points=28, max_points=28), *WATCHED, SPEED)
    told = render(outcome, width=80, color=False).splitlines()
    start = told.index("skip   sanitizer (height 1)                                               0 / 12")
    assert told[start + 1 : start + 4] == [
        "       the simulator is not installed: install it.",
        "skip   memory: banks, traffic                                             0 / 20",
        "       the simulator is not installed: install it.",
    ]
    assert told[-3:-1] == [
        "       total                                                            68 / 100",
        "       68 of 100; 32 not checked here: the simulator is missing",
    ]
    assert summary("ada", outcome).split("  ")[-1] == "32 not checked here: the simulator is missing"
    wrong = result(BUILD, failed("correctness: a"), *WATCHED)
    assert summary("ada", wrong).endswith("WRONG_OUTPUT; 32 not checked here: the simulator is missing")


def test_a_speed_that_the_courses_machine_decides_on_is_shown():
    """A speed that the course's machine decides is printed with its local figures."""
    there = SPEED.model_copy(
        update={"verdict": Verdict.SKIPPED, "points": 0.0, "reason": Reason.DECIDED_ELSEWHERE, "message": "not here."}
    )
    text = "\n".join(lines(BUILD, there))
    assert "       not here.\n       7.21 GB/s (7.1 to 7.3)\n" in text
    assert "       0 of 40; 40 are decided on the course's machine\n" in text


def test_junit_skips_what_was_not_checked_and_says_its_worth():
    """A skipped case has the reason, the points and the remedy in its message and its text.

    Older readers show only one of them.
    """
    skipped = list(ElementTree.fromstring(junit(result(BUILD, *WATCHED))).iter("skipped"))
    said = "worth {} points: the simulator is not installed: install it."
    assert [each.get("message") for each in skipped] == [f"NO_SIMULATOR, {said.format(n)}" for n in (12, 10, 10)]
    assert [each.text for each in skipped] == [each.get("message") for each in skipped]
    cases = ElementTree.fromstring(junit(result(WATCHED[0]))).iter("testcase")
    assert [case.findtext("system-out") for case in cases] == ["[[PROPERTY|points=0]]\n[[PROPERTY|max_points=12]]"]


def test_what_draws_figures_obeys_no_file_of_the_working_directory(tmp_path):
    """matplotlib ignores a matplotlibrc in the working directory.

    That folder may be a student's repository, and the file can name code.
    """
    (tmp_path / "matplotlibrc").write_text("font.size: 99\n")
    loading = "from grader import reports; reports._load_what_draws()"
    program = f"{loading}; import matplotlib; print(matplotlib.rcParams['font.size'])"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 99


@pytest.mark.parametrize("name", ["json", "junit", "html", "terminal", "gradescope", "explanation"])
def test_what_is_missing_by_our_fault_is_told_everywhere(name):
    """After a fault of the grader, every report names the missing part and says that the grade is not affected.

    The JUnit file stays valid for the strictest reader.
    """
    fault = Fault(lost="the explanation")
    lacking = result(BUILD, failed("correctness: one", faults=(fault,)), failed("correctness: two", faults=(fault,)))
    report = {
        **REPORTS,
        "terminal": lambda it: render(it, width=200, color=False),
        "explanation": lambda it: explanation.render(Explained(title="x", checks=it.checks), width=200, color=False),
    }[name](lacking)
    assert (fault.lost if name == "json" else fault.sentence) in report
    if name == "junit":
        XUNIT.validate(ElementTree.fromstring(report))


def test_a_page_that_cannot_be_made_is_a_bare_one(monkeypatch):
    """A page that fails becomes a bare page with points and escaped reasons."""
    monkeypatch.setattr(page_module, "lines_of", lambda _: 1 / 0)
    made = page(MIXED)
    assert [fault.lost for fault in made.faults] == ["the page"]
    assert "5 of" in made.text
    assert "&lt;b&gt;" in made.text
    assert "<b>" not in made.text
    assert page(UNGRADED).faults == ()


def test_a_figure_that_cannot_be_drawn_costs_only_itself(monkeypatch):
    """A sentence replaces a figure that cannot be drawn, and the rest of the page stays."""
    monkeypatch.setattr(page_module.figures, "timings", lambda *_: 1 / 0)
    made = page(result(BUILD, SPEED))
    assert [fault.lost for fault in made.faults] == ["a figure"]
    assert made.faults[0].sentence in made.text
    assert made.text.count("<svg") == 1


def test_an_overview_that_cannot_be_made_is_a_bare_one(monkeypatch):
    """An overview that fails becomes a bare list of students and points."""
    monkeypatch.setattr(overview_module, "render_overview", lambda *_: 1 / 0)
    row = StudentRow(student=Student(label="ada", name="Ada"), assignment="small", grade=grade_of(MIXED))
    book = Gradebook(shape="x", assignments=("small",), titles={}, maxima={}, skeletons={}, parts={}, rows=(row,))
    made = overview_page(book, {("ada", "small"): "students/ada/small.html"})
    assert [fault.lost for fault in made.faults] == ["the overview"]
    assert "ada, small: 25 of 50 students/ada/small.html" in made.text
