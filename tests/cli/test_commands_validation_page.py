"""validation_page.py: the text that `grader validate` prints in each section. The measurements are made up."""

import re
from io import StringIO

import pytest
import yaml
from drafts import course_in, spoil
from rich.console import Console
from samples import BUILD, PROFILE, check, failed, performance, result

from grader.authoring.extent import FULL, LEFT_OUT, QUICK
from grader.authoring.rewards import Earned, Rewards
from grader.authoring.selftest import Claim, OwnResults
from grader.authoring.validation import Examined, Judged
from grader.cli import validation_page as validating
from grader.cli.validation_page import Page, Sources, print_validation
from grader.common.errors import SolutionError
from grader.course.catalogue import merged
from grader.course.rubric import Kind
from grader.grading.checks.correctness import unrun_cases
from grader.results.metrics import Interval

WIDTH = 80


def exactly(value):
    return Interval(median=value, low=value, high=value)


def timed(fraction, naive=0.25):
    """Return the result of a right submission of this speed. The baseline has `naive` of the model solution's speed."""
    figures = performance(fraction_of_reference=exactly(fraction), speed_up_over_baseline=exactly(fraction / naive))
    speed = check("performance: cpu (n 1000000)", kind=Kind.PERFORMANCE, performance=figures)
    return result(BUILD, speed, profiles={"": PROFILE})


UNTIMED = LEFT_OUT.mark(check("performance: cpu (n 1000000)", kind=Kind.PERFORMANCE))
"""The performance check in a quick validation."""


def skeleton_of(assignment):
    """Return the result of the skeleton, which fails each case."""
    cases = unrun_cases(assignment, assignment.correctness.cases)
    return result(BUILD, *(failed(each.name, kind=each.kind, message="nothing was written.") for each in cases))


HOLDS = Claim(claim="the model solution passes every check", holds=True, seen="100 of 100 points")


@pytest.fixture
def printed(drafted, monkeypatch, environment):
    """Return a function that validates the draft with made-up results and returns the text and the number of faults."""

    def validate(model=None, baseline=PROFILE, statements=(HOLDS,), differences=None, **others):
        graded, avoiding = others.get("graded", 0.9), others.get("avoiding", ())

        def examine(assignment, *_):
            own = None if model is None else OwnResults(model=model, skeleton=skeleton_of(assignment))
            return Examined(assignment=assignment, statements=statements, own=own, baseline=baseline)

        def judge(golden, *_):
            if isinstance(graded, Exception):
                raise graded
            told = (differences or {}).get(golden.name, ())
            return Judged(golden=golden, result=timed(graded), differences=told)

        def rewards(assignment, *_):
            return Rewards(assignment=assignment, avoiding=avoiding, slips=(), trivial=())

        monkeypatch.setattr(validating, "examine", examine)
        monkeypatch.setattr(validating, "rewards", rewards)
        monkeypatch.setattr(validating, "judge", judge)
        page = Page(console=Console(file=StringIO(), width=WIDTH, highlight=False))
        submissions = drafted / "tests" / "submissions"
        sources = Sources(
            course=course_in(drafted),
            submissions=submissions,
            environment=environment,
            extent=others.get("extent", FULL),
        )
        print_validation("scaling", sources, page)
        return page.console.file.getvalue(), page.broken

    return validate


def sections(text):
    """Return the titles of the sections in order."""
    return re.findall(r"^scaling: (.*?) -+$", text, re.MULTILINE)


def joined_lines(text):
    """Return the text with line breaks replaced by spaces."""
    return " ".join(text.split())


ALL = [
    "the files",
    "the kernels and the oracle",
    "what the points reward",
    "golden submissions",
    "what may be asked",
    "what students see",
]


def test_a_draft_that_holds_is_told_in_six_sections(printed):
    """A valid draft prints six sections without a fault. The last shows the contract and the skeleton's report."""
    text, broken = printed(timed(1.0))
    assert broken == 0
    assert sections(text) == ALL
    assert "BROKEN" not in text
    assert "holds   assignment.yaml can be used (1 kernel, 100 points)" in text
    assert "holds   the model solution passes every check (100 of 100 points)" in text
    assert "2 of 2 submissions get the verdicts that they must" in text
    assert "Scale an array and add another (scaling), 100 points" in text
    assert "nothing was written." in text


@pytest.mark.whole
def test_a_stale_handout_is_broken_with_its_line(printed, drafted):
    """An outdated fact in the handout is a fault. The page shows its line and both values."""
    spoil(drafted, "assignments/scaling/README.md", "`GROUP` = 64", "`GROUP` = 32")
    text, broken = printed(timed(1.0))
    assert broken == 1
    said = "README.md, line 20, agrees with assignment.yaml (it says GROUP = 32; assignment.yaml has 64)"
    assert f"BROKEN {said}" in joined_lines(text)


@pytest.mark.whole
def test_a_quick_validation_says_what_was_not_checked(printed):
    """A quick validation adds a section with the open questions about speed, and does not propose any speed goals."""
    depends = Earned(name="the baseline", result=result(BUILD, check("case", max_points=5), UNTIMED))
    text, broken = printed(result(BUILD, UNTIMED, profiles={"": PROFILE}), extent=QUICK, avoiding=(depends,))
    assert broken == 0
    assert sections(text) == [*ALL, "what was not checked"]
    said = joined_lines(text.partition("what was not checked")[2])
    assert all(question in said for question in QUICK.unchecked)
    assert "the baseline: does it earn too many or too few points" in said
    assert "run `grader validate scaling` without --quick" in said
    assert "the baseline: avoiding the exercise" not in joined_lines(text)
    assert "Nothing was timed, so no goals for speed are proposed." in joined_lines(text)
    assert [line for line in text.splitlines() if len(line.rstrip()) > WIDTH] == []


def test_the_last_line_says_if_speed_was_not_checked():
    """The last line counts the broken statements, and says if speed was not checked."""
    console = Console(file=StringIO())
    assert Page(console=console).verdict == "all of it holds"
    assert Page(console=console, unchecked=["?"]).verdict == "all of it holds, but speed was not checked"
    assert Page(console=console, broken=2, unchecked=["?"]).verdict == "2 statements BROKEN, but speed was not checked"


@pytest.mark.whole
def test_no_line_is_wider_than_a_terminal_of_80_columns(printed):
    """No line is wider than a terminal with 80 columns."""
    text, _ = printed(timed(1.0))
    assert [line for line in text.splitlines() if len(line.rstrip()) > WIDTH] == []


@pytest.mark.whole
def test_what_is_proposed_can_be_pasted_into_the_file(printed, drafted):
    """Each proposal is YAML with the nesting that the file needs, and the assignment loads after pasting it."""
    text, _ = printed(timed(1.0))
    blocks = re.findall(r"Proposed:\s*\n\n((?:[a-z ].*\n)+)", text)
    found = [yaml.safe_load(block) for block in blocks]
    path = drafted / "assignments" / "scaling" / "assignment.yaml"
    fields = yaml.safe_load(path.read_text())
    assert found[0]["performance"]["classes"]["cpu"] == {
        "baseline": "fails",
        "bands": [{"fraction": 0.5, "points": 20}, {"fraction": 0.37, "points": 10}],
    }
    assert found[1]["memory"]["checks"] == [
        {
            "name": "coalesced accesses",
            "measure": "coalescing",
            "at_most": 11.37,
            "points": 42,
            "teaches": "Neighbouring work-items access neighbouring words.",
        }
    ]
    for each in found:
        fields = merged(fields, each)
    path.write_text(yaml.safe_dump(fields))
    goal = course_in(drafted).load("scaling").performance.classes["cpu"]
    assert [band.fraction for band in goal.bands] == [0.5, 0.37]


def test_figures_stand_beside_what_is_asked(printed):
    """Each goal is printed next to the speeds of the model solution, the baseline and the right submissions.

    Each memory limit is printed next to the counts of the model solution and the baseline.
    """
    text, _ = printed(timed(1.02))
    assert re.search(r"the model solution, again\s+1\.02", text)
    assert re.search(r"the baseline\s+0\.25", text)
    assert re.search(r"adds-in-place\s+0\.90", text)
    assert "old-y-left-out" not in text
    assert re.search(r"coalesced accesses\s+10\.3333\s+10\.3333\s+1\.1\s+11\.37", text)
    assert "The goal for a gpu needs such a device" in joined_lines(text)
    assert "A student kit can decide about speed if you add `yardstick: 4.1`." in joined_lines(text)


@pytest.mark.whole
def test_a_yardstick_that_is_far_off_is_remarked(printed, drafted):
    """A yardstick far from the measured one is remarked upon, but is not a fault."""
    spoil(drafted, "assignments/scaling/assignment.yaml", "    cpu:\n", "    cpu:\n      yardstick: 9\n")
    text, broken = printed(timed(1.0))
    assert broken == 0
    assert "remark The yardstick is 9, but 4 was measured: student kits are too strict about speed." in joined_lines(
        text
    )


@pytest.mark.whole
def test_what_asks_for_more_than_is_proposed_is_marked(printed, drafted):
    """A goal above the proposed one, or a check that the baseline passes too, is remarked upon, but is not a fault."""
    spoil(drafted, "assignments/scaling/assignment.yaml", "fraction: 0.01", "fraction: 0.7")
    spoil(drafted, "assignments/scaling/README.md", "1 % of", "70 % of")
    text, broken = printed(timed(1.0))
    assert broken == 0
    said = joined_lines(text)
    assert "asks more full points require 0.7, but 0.5 is proposed." in said
    assert "asks more coalesced accesses: at most 1.1." in said
    assert "remark coalesced accesses: the baseline passes" in said


@pytest.mark.whole
def test_a_count_that_could_not_be_made_is_a_question_mark(printed):
    """A missing count is printed as a question mark, for example if the baseline does not run in the simulator."""
    text, _ = printed(timed(1.0), baseline=None)
    assert re.search(r"coalesced accesses\s+10\.3333\s+\?\s+1\.1\s+11\.37", text)


def test_a_file_that_cannot_be_used_is_all_that_is_told(printed, drafted):
    """If a file is invalid, only one section is printed, with its path, the field and how to fix it."""
    spoil(drafted, "assignments/scaling/assignment.yaml", "sanitizer:", "sanitiser:")
    text, broken = printed(timed(1.0))
    assert broken == 1
    assert sections(text) == ["the files"]
    assert "BROKEN" in text
    assert "sanitiser: Extra inputs are not permitted; remove it, or correct its spelling." in joined_lines(text)


def test_what_is_broken_is_counted_and_what_rests_on_it_is_not_told(printed):
    """If the assignment's own files do not run, golden submissions are not graded and their figures are missing."""
    fault = Claim(claim="our own files can be run", holds=False, seen="oracle.py: failed")
    text, broken = printed(None, statements=(HOLDS, fault))
    assert broken == 1
    assert sections(text) == ALL
    assert "BROKEN  our own files can be run (oracle.py: failed)" in text
    said = joined_lines(text)
    assert "No submission was graded. First fix what is broken above." in said
    assert "Nothing was timed" in said
    assert "No accesses were counted" in said
    assert "The report of the skeleton" not in said


@pytest.mark.whole
def test_each_difference_of_a_golden_submission_is_broken(printed):
    """Each golden submission with an unexpected verdict is listed with the expected one. The others share one line."""
    told = {"old-y-left-out": ("tall: CRASH, must be WRONG_OUTPUT", "sanitizer: passes, must be NOT_RUN")}
    text, broken = printed(timed(1.0), differences=told)
    assert broken == 2
    said = joined_lines(text)
    assert "1 of 2 submissions get the verdicts that they must" in said
    assert "BROKEN old-y-left-out gets the verdicts that it must (tall: CRASH, must be WRONG_OUTPUT)" in said


@pytest.mark.whole
def test_a_corpus_that_cannot_be_graded_is_broken(printed, drafted):
    """The corpus has a fault if one of its files is invalid, which is found before any run, or if grading fails."""
    text, broken = printed(timed(1.0), graded=SolutionError("oracle.py: failed"))
    assert broken == 1
    assert "BROKEN they can be graded (oracle.py: failed)" in joined_lines(text)
    spoil(drafted, "tests/submissions/scaling/adds-in-place/expected.yaml", "finding:", "findings:")
    text, broken = printed(timed(1.0))
    assert broken == 1
    assert "findings: Extra inputs are not permitted" in joined_lines(text)


def test_without_golden_submissions_there_is_a_remark(printed, drafted):
    """If there are no golden submissions, a remark says where to put them."""
    (drafted / "tests").rename(drafted / "elsewhere")
    text, broken = printed(timed(1.0))
    assert broken == 0
    said = joined_lines(text)
    assert "remark No submissions in" in said
    assert "Only the model solution was measured" in said


def test_students_do_not_see_what_is_hidden(printed, drafted):
    """The skeleton's report hides the outcome of hidden checks, as it does for students."""
    path = "assignments/scaling/assignment.yaml"
    spoil(drafted, path, "sizes: {n: 1}}", "sizes: {n: 1}, hidden: true}")
    text, _ = printed(timed(1.0))
    _, _, report = text.partition("The report of the skeleton:")
    assert re.search(r"hidden\s+correctness: one element \(n 1\)", report)


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
    text, broken = printed(timed(1.0))
    assert broken == 0
    for name in ("first", "second"):
        assert f"holds   {name}: the model solution passes every check" in text
        assert re.search(rf"^{name}:$", text, re.MULTILINE)
    first, second = text.partition("\nsecond:\n")[::2]
    assert "adds-in-place" not in first.partition("\nfirst:\n")[2]
    assert re.search(r"adds-in-place\s+0\.90", second)
