"""sections.py: the text that `grader validate` prints in each section. The measurements are made up. The skeleton's
report shows what students may see.
"""

import re

import pytest
import yaml
from drafts import spoil
from samples import BUILD, PROFILE, check, failed, result
from validations import HOLDS, WIDTH, joined_lines, timed

from grader.authoring.extent import ABOUT_SPEED, LEFT_OUT, NOISY, QUICK
from grader.authoring.rewards import Earned
from grader.authoring.selftest import Claim
from grader.common.errors import SolutionError
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.grading.explain.problem import Problem
from grader.results.verdicts import Reason, Verdict

FALSE = Claim(claim="the model solution passes every check", holds=False, seen="a check fails")

UNTIMED = LEFT_OUT.mark(check("performance: cpu (n 1000000)", kind=Kind.PERFORMANCE))
"""The performance check in a quick validation."""


def sections(text):
    """Return the titles of the sections in order."""
    return re.findall(r"^scaling: (.*?) -+$", text, re.MULTILINE)


ALL = [
    "the files",
    "the kernels and the oracle",
    "what the points reward",
    "golden submissions",
    "proposed thresholds",
    "what students see",
]


def test_a_draft_that_holds_is_told_in_six_sections(printed):
    """A valid draft prints six sections without a fault. The last shows the contract and the skeleton's report."""
    text, faults = printed(timed(1.0))
    assert faults == 0
    assert sections(text) == ALL
    assert "FALSE" not in text
    assert "true    assignment.yaml can be used (1 kernel, 100 points)" in text
    assert "true    the model solution passes every check (100 of 100 points)" in text
    assert "2 of 2 submissions get the verdicts in their expected.yaml" in text
    assert "Scale an array and add another (scaling), 100 points" in text
    assert "nothing was written." in text


@pytest.mark.whole
def test_a_stale_handout_is_reported_with_its_line(printed, drafted):
    """An outdated fact in the handout is a fault. The page shows its line and both values."""
    spoil(drafted, "assignments/scaling/README.md", "`GROUP` = 64", "`GROUP` = 32")
    text, faults = printed(timed(1.0))
    assert faults == 1
    said = "README.md, line 20, agrees with assignment.yaml (it says GROUP = 32; assignment.yaml has 64)"
    assert f"FALSE {said}" in joined_lines(text)


@pytest.mark.whole
def test_a_quick_validation_says_what_was_not_checked(printed):
    """A quick validation adds a section with the open questions about speed, and does not propose any speed goals."""
    depends = Earned(name="the baseline", result=result(BUILD, check("case", max_points=5), UNTIMED), extent=QUICK)
    text, faults = printed(result(BUILD, UNTIMED, profiles={"": PROFILE}), extent=QUICK, avoiding=(depends,))
    assert faults == 0
    assert sections(text) == [*ALL, "what was not checked"]
    said = joined_lines(text.partition("what was not checked")[2])
    assert all(question in said for question in QUICK.unchecked)
    assert "the baseline: does it earn too many or too few points" in said
    assert "Nothing was timed." in said
    assert "To answer them, validate again without --quick." in said
    assert "avoiding the exercise earns" not in joined_lines(text)
    assert "Nothing was timed, so no goals for speed are proposed." in joined_lines(text)
    assert [line for line in text.splitlines() if len(line.rstrip()) > WIDTH] == []


def test_on_a_noisy_machine_the_page_says_what_to_do(printed):
    """If the machine is too noisy, all other sections are printed. The last section lists the open questions and says
    what to do.
    """
    text, faults = printed(result(BUILD, UNTIMED, profiles={"": PROFILE}), machine=NOISY)
    assert faults == 0
    assert sections(text) == [*ALL, "what was not checked"]
    said = joined_lines(text.partition("what was not checked")[2])
    assert "This machine was too noisy to time kernels: all 3 attempts failed. These questions are open:" in said
    assert all(question in said for question in ABOUT_SPEED)
    assert "stop other programs and validate again. To validate without timing, add --quick." in said


@pytest.mark.whole
def test_a_submission_on_a_noisy_machine_is_an_open_question(printed):
    """If only golden submissions could not be timed, the page asks only about them, and still proposes goals."""
    text, faults = printed(timed(1.0), at_submissions=NOISY)
    assert faults == 0
    said = joined_lines(text.partition("what was not checked")[2])
    assert "- adds-in-place: does it earn the expected points for speed?" in said
    assert not any(question in said for question in ABOUT_SPEED)
    assert "baseline: fails" in text


def test_a_file_that_cannot_be_used_is_all_that_is_told(printed, drafted):
    """If a file is invalid, only one section is printed, with its path, the field and how to fix it."""
    spoil(drafted, "assignments/scaling/assignment.yaml", "sanitizer:", "sanitiser:")
    text, faults = printed(timed(1.0))
    assert faults == 1
    assert sections(text) == ["the files"]
    assert "FALSE" in text
    assert "sanitiser: unknown key; did you mean sanitizer?" in joined_lines(text)


NOT_COMPARED = (
    "The points were not compared, because the model solution does not pass every check. "
    "First fix the problems marked FALSE above."
)


NOT_GRADED = (
    "No submission was graded, because the oracle and the model solution must run first. "
    "First fix the problems marked FALSE above."
)


def test_false_statements_are_counted_and_what_rests_on_them_is_not_told(printed):
    """If the assignment's own files do not run, golden submissions are not graded and their figures are missing."""
    fault = Claim(
        claim="the oracle, the model solution and the baseline can be run", holds=False, seen="oracle.py: failed"
    )
    text, faults = printed(None, statements=(HOLDS, fault))
    assert faults == 1
    assert sections(text) == ALL
    said = joined_lines(text)
    assert "FALSE the oracle, the model solution and the baseline can be run (oracle.py: failed)" in said
    assert NOT_GRADED in said
    assert "Nothing was timed" in said
    assert NOT_COMPARED in said
    assert "No accesses were counted, because the oracle and the model solution must run first." in said
    assert "The report of the skeleton" not in said


WRONG_MODEL = result(BUILD, failed("small", message="8 of 8 elements of y are wrong."))


def test_points_are_not_compared_with_those_of_a_wrong_model_solution(printed):
    """If the model solution is wrong, no kernel is graded for a comparison of points, and one line says so. Without
    this, copies of the model solution with a slip get the wrong advice to move points.
    """
    text, _ = printed(WRONG_MODEL, statements=(FALSE,), avoiding=(Earned(name="the baseline", result=WRONG_MODEL),))
    points = joined_lines(text.partition("what the points reward")[2].partition("scaling: golden")[0])
    assert points.strip("- ") == f"unknown {NOT_COMPARED}"
    said = "No accesses were counted, because the model solution fails. First fix the problems marked FALSE above."
    assert said in joined_lines(text)


@pytest.mark.parametrize(
    "model",
    [
        result(replace(BUILD, verdict=Verdict.FAILED, reason=Reason.BUILD_ERROR)),
        result(BUILD, replace(failed("small"), reason=Reason.TIME_LIMIT)),
    ],
    ids=["does not build", "does not end"],
)
def test_no_submission_is_compared_with_a_model_solution_that_does_not_run(printed, model):
    """If the model solution does not build or does not end, no golden submission is graded, since each would wait for
    the same failure and describe it again.
    """
    text, faults = printed(model, statements=(FALSE,), graded=SolutionError("the kernel was still running"))
    assert faults == 1
    assert NOT_GRADED in joined_lines(text)
    assert "the kernel was still running" not in joined_lines(text)


def test_a_missing_simulator_is_the_reason_for_missing_counts(printed):
    """If the simulator is missing, the section about thresholds says so, and how to install it."""
    missing = "the simulator is missing. Run `grader setup` to install it."
    unwatched = Problem(reason=Reason.NO_SIMULATOR, message=missing).skip(check("coalesced", kind=Kind.MEMORY))
    text, _ = printed(result(BUILD, unwatched), statements=(FALSE,))
    assert f"No accesses were counted: {missing}" in joined_lines(text)


@pytest.mark.whole
def test_each_difference_of_a_golden_submission_is_a_false_statement(printed):
    """Each golden submission with an unexpected verdict is listed with the expected one. The others share one line."""
    told = {"old-y-left-out": ("tall: CRASH, must be WRONG_OUTPUT", "sanitizer: passes, must be NOT_RUN")}
    text, faults = printed(timed(1.0), differences=told)
    assert faults == 2
    said = joined_lines(text)
    assert "1 of 2 submissions get the verdicts in their expected.yaml" in said
    assert "FALSE old-y-left-out gets the verdicts in its expected.yaml (tall: CRASH, must be WRONG_OUTPUT)" in said


@pytest.mark.whole
def test_a_corpus_that_cannot_be_graded_is_a_false_statement(printed, drafted):
    """The corpus has a fault if one of its files is invalid, which is found before any run, or if grading fails."""
    text, faults = printed(timed(1.0), graded=SolutionError("oracle.py: failed"))
    assert faults == 1
    assert "FALSE they can be graded (oracle.py: failed)" in joined_lines(text)
    spoil(drafted, "tests/submissions/scaling/adds-in-place/expected.yaml", "finding:", "findings:")
    text, faults = printed(timed(1.0))
    assert faults == 1
    assert "findings: unknown key" in joined_lines(text)


def test_without_golden_submissions_there_is_a_remark(printed, drafted):
    """If there are no golden submissions, a remark says where to put them."""
    (drafted / "tests").rename(drafted / "elsewhere")
    text, faults = printed(timed(1.0))
    assert faults == 0
    said = joined_lines(text)
    assert "remark No submissions in" in said
    assert "Only the model solution was measured" in said


@pytest.mark.whole
def test_of_a_suite_each_part_is_told_by_its_name(printed, drafted):
    """For a suite, the statements and thresholds are printed for each part, but the skeleton's report only once."""
    path = drafted / "assignments" / "scaling" / "assignment.yaml"
    fields = yaml.safe_load(path.read_text())
    launches, baseline = fields.pop("launches"), fields.pop("baseline")
    del fields["kernel"]
    fields["parts"] = [
        {"kernel": name, "launches": [{**launches[0], "kernel": name}], "baseline": baseline}
        for name in ("first", "second")
    ]
    path.write_text(yaml.safe_dump(fields))
    for name in ("README.md", "kernels.cl"):
        path.with_name(name).write_text("// Write first and second.\n")
    for expected in (drafted / "tests" / "submissions").rglob("expected.yaml"):
        expected.write_text(expected.read_text() + "part: second\n")
    text, faults = printed(timed(1.0))
    assert faults == 0
    for name in ("first", "second"):
        assert f"true    {name}: the model solution passes every check" in text
        assert re.search(rf"^{name}:$", text, re.MULTILINE)
    first, second = text.partition("\nsecond:\n")[::2]
    assert "adds-in-place" not in first.partition("\nfirst:\n")[2]
    assert re.search(r"adds-in-place\s+0\.90", second)


def test_students_do_not_see_what_is_hidden(printed, drafted):
    """The skeleton's report hides the outcome of hidden checks, as it does for students."""
    path = "assignments/scaling/assignment.yaml"
    spoil(drafted, path, "sizes: {n: 1}}", "sizes: {n: 1}, hidden: true}")
    text, _ = printed(timed(1.0))
    _, _, report = text.partition("The report of the skeleton:")
    assert re.search(r"hidden\s+correctness: one element \(n 1\)", report)
