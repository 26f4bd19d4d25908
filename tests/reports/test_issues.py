"""issues.py: each cause becomes one issue at its line, in the order in which it should be read, with a stable
fingerprint.
"""

import re

import pytest
from faulty_results import GRADED, MISSING_CHECK, NOT_RUN, OUTSIDE, PRACTICE, UNBUILT, WASTEFUL, WRONG, found, wrong
from picture import example
from samples import BUILD, RACE, SOURCE, failed, result

from grader.course.rubric import Kind
from grader.reports.issues import issues_of, lines_of, numbers_of, told_once
from grader.results.check import ONE_LINE, UNSTEADY
from grader.results.verdicts import Reason

LINE = re.compile(r"\bline (\d+)")

LATER = {name: outcome for name, outcome in GRADED.items() if outcome.source}


def issues(name):
    return issues_of(GRADED[name])


def brief(found):
    return [(each.reason, each.line) for each in found]


@pytest.mark.parametrize("name", ["right", "hidden", "unchecked"])
def test_a_submission_without_a_failed_check_has_no_issue(name):
    """Passed, hidden and open checks do not become issues."""
    assert issues(name) == ()


def test_cases_with_one_cause_share_an_issue_that_names_them():
    """Cases that fail in the same line become one issue, with the message of the first case. A case that fails in
    another line becomes another issue.
    """
    here, there = issues("wrong output")
    assert brief([here, there]) == [(Reason.WRONG_OUTPUT, 17), (Reason.WRONG_OUTPUT, 21)]
    assert here.message.startswith("C[0] is wrong: got 1.5.")
    assert (here.seen_in, there.seen_in) == ("correctness: one, ragged", "correctness: large")
    assert here.text == f"{here.message} Seen in correctness: one, ragged."


def test_wrong_cases_with_different_causes_are_different_issues():
    """Two known causes in one line become two issues."""
    made = issues_of(result(BUILD, wrong("one", 1, cause="a sign"), wrong("two", 2, cause="a row"), source=SOURCE))
    assert [each.line for each in made] == [17, 17]
    assert made[0].fingerprint != made[1].fingerprint


def test_wrong_cases_with_one_line_and_cause_are_one_issue_whatever_their_reason():
    """If a search has found the wrong line, a case whose array was not written and a case with wrong results are one
    issue.
    """
    nothing = wrong("two", 2, cause=ONE_LINE).model_copy(update={"reason": Reason.NOT_WRITTEN, "help": "b"})
    (told,) = issues_of(result(BUILD, wrong("one", 1, cause=ONE_LINE), nothing, source=SOURCE))
    assert told.seen_in == "correctness: one, two"


def test_a_line_whose_correction_is_enough_is_one_issue_with_all_findings():
    """If a search has proved that one line is wrong, the findings and the wrong cases that it explains are one issue,
    whose message is not followed by the lines of the other findings.
    """
    seen = found(OUTSIDE, RACE).model_copy(update={"cause": ONE_LINE})
    (told,) = issues_of(result(BUILD, seen, wrong("one", 1, cause=ONE_LINE), source=SOURCE))
    assert (told.message, told.seen_in) == (seen.message, "sanitizer; correctness: one")


def test_results_that_change_from_launch_to_launch_belong_to_the_race():
    """Cases whose results change are a consequence of a race or of an unset value. Without such a finding, they are a
    separate issue.
    """
    changing = wrong("one", 1, cause=UNSTEADY)
    racing = failed("sanitizer (n 7)", kind=Kind.SANITIZER, findings=(RACE,), message=RACE.message)
    (made,) = issues_of(result(BUILD, changing, racing, source=SOURCE))
    assert made.seen_in == "sanitizer; correctness: one"
    (alone,) = issues_of(result(BUILD, changing, source=SOURCE))
    assert alone.seen_in == "correctness: one"


def test_an_issue_names_a_few_checks_of_each_kind():
    """An issue lists the first three cases, and counts the others."""
    (made,) = issues_of(result(BUILD, *(wrong(f"{number}", number) for number in range(5)), source=SOURCE))
    assert made.seen_in == "correctness: 0, 1, 2, 2 more"
    assert len(made.checks) == 5


def test_findings_come_before_wrong_results_and_consequences_are_no_issues():
    """The race comes first, although its check comes later. The timing that was not run does not become an issue."""
    odd = wrong("odd", 9, cause="a sign")
    race, other = issues_of(result(BUILD, odd, found(RACE), NOT_RUN, source=SOURCE))
    assert (race.number, race.reason, race.line, race.places) == (1, Reason.DATA_RACE, 13, RACE.places)
    assert (race.message, race.help) == (f"at height 3, {RACE.message}", RACE.help)
    assert race.evidence == ("seen 4,096 times",)
    assert (other.number, other.reason) == (2, Reason.WRONG_OUTPUT)


def test_each_finding_is_an_issue():
    """Two findings of one check become two issues with their own messages."""
    outside, race = issues("out of bounds")
    assert brief([outside, race]) == [(Reason.OUT_OF_BOUNDS, 13), (Reason.DATA_RACE, 13)]
    assert race.text == f"{RACE.message} {RACE.help} Seen in sanitizer."


def test_findings_with_the_same_help_are_one_issue_with_all_lines():
    """Findings with the same reason and the same help count as one mistake. The issue lists the other lines in their
    order.
    """
    first, second, third = (
        OUTSIDE.model_copy(update={"message": f"line {line} reads outside `A`.", "places": ()}) for line in (13, 21, 17)
    )
    (one,) = issues_of(result(BUILD, found(first, second), source=SOURCE))
    assert one.message == "at height 3, line 13 reads outside `A`. The same happens in line 21."
    (one,) = issues_of(result(BUILD, found(first, second, third), source=SOURCE))
    assert one.message.endswith(" reads outside `A`. The same happens in lines 17 and 21.")
    racing = second.model_copy(update={"reason": Reason.DATA_RACE})
    assert len(issues_of(result(BUILD, found(first, racing), source=SOURCE))) == 2
    helpless = (each.model_copy(update={"help": ""}) for each in (first, second))
    assert len(issues_of(result(BUILD, found(*helpless), source=SOURCE))) == 2


def test_a_check_whose_message_is_about_no_finding_is_an_issue_before_its_findings():
    """If the message of a check differs from its findings' messages, the check becomes an issue, too. Without a line in
    its message, the issue has no line.
    """
    check = found(OUTSIDE).model_copy(update={"message": "it ran too long.", "reason": Reason.TIME_LIMIT})
    assert brief(issues_of(result(BUILD, check, source=SOURCE))) == [
        (Reason.TIME_LIMIT, None),
        (Reason.OUT_OF_BOUNDS, 13),
    ]


def test_a_case_of_unknown_cause_joins_the_finding_of_its_kernel():
    """If only the simulator knows the cause of a case, the case counts as a consequence of the first finding in its
    kernel, even if it mentions another line. In another kernel, it becomes another issue.
    """
    (race,) = issues("race")
    assert race.seen_in == "sanitizer; correctness: one, ragged, large"
    case = failed("correctness: one (n 1)", Reason.OUT_OF_BOUNDS, "it wrote outside A.")
    (one,) = issues_of(result(BUILD, case, found(OUTSIDE), source=SOURCE))
    assert (one.line, one.seen_in) == (13, "sanitizer; correctness: one")
    first, _ = issues_of(result(BUILD, case, found(OUTSIDE, RACE), source=SOURCE))
    assert first.seen_in == "sanitizer; correctness: one"
    both = issues_of(result(case.of_part("a"), found(OUTSIDE).of_part("b"), source=SOURCE))
    assert [(each.part, each.line) for each in both] == [("a", None), ("b", 13)]


def test_a_case_with_a_cause_of_its_own_does_not_join_a_finding():
    """A case whose cause is known becomes a separate issue, next to the finding."""
    known, unknown = wrong("one", 1, cause="a sign"), wrong("two", 2)
    race, sign = issues_of(result(BUILD, known, unknown, found(RACE), source=SOURCE))
    assert (race.seen_in, sign.seen_in) == ("sanitizer; correctness: two", "correctness: one")


def test_the_cost_of_a_check_is_told_once():
    """If two issues explain a check, its points count as the cost of the first one, so that all costs add up to the
    lost points.
    """
    outside, race = issues("out of bounds")
    assert outside.checks == race.checks
    assert (outside.lost, race.lost) == (5, 0)
    for name in ("race", "wrong output", "memory", "suite", "too slow"):
        assert sum(each.lost for each in issues(name)) == GRADED[name].max_points - GRADED[name].points


def test_a_cause_costs_the_points_of_all_checks_that_were_not_run_because_of_it():
    """Checks that were not run cost the first cause of their kernel their points. A check that requires another one
    waits for the cause of that check, even if that check was not counted itself.
    """
    loop = failed("correctness: one", Reason.TIME_LIMIT, "line 13 never ends.")
    unrun = [failed(f"correctness: {name}", Reason.NOT_RUN, "skipped: earlier cases timed out.") for name in "ab"]
    (only,) = issues_of(result(BUILD, loop, *unrun, NOT_RUN, source=SOURCE))
    assert (only.lost, only.seen_in) == (15 + NOT_RUN.max_points, "correctness: one")
    steps, words = (
        failed(f"memory: {name}", Reason.EXTRA_TRAFFIC, f"line {line} is slow.", kind=Kind.MEMORY)
        for name, line in (("few steps", 13), ("few words", 17))
    )
    banks = failed("memory: banks", Reason.NOT_RUN, 'not counted: when "few words" passes.', kind=Kind.MEMORY)
    speed = failed("performance: cpu", Reason.NOT_RUN, 'not counted: when "banks" passes.', kind=Kind.PERFORMANCE)
    first, second = issues_of(result(BUILD, steps, words, banks, speed, source=SOURCE))
    assert [each.name for each in first.checks] == [steps.name]
    assert [each.name for each in second.checks] == [words.name, banks.name, speed.name]


def test_a_file_that_does_not_build_costs_the_points_of_all_its_kernels():
    """The build of a suite fails once, and the first kernel reports it. The checks of the other kernels wait for it."""
    unbuilt = failed("build", Reason.NOT_RUN, "the file does not build.", kind=Kind.BUILD)
    others = (each.of_part("b") for each in (unbuilt, NOT_RUN))
    (first,) = issues_of(result(UNBUILT.of_part("a"), NOT_RUN.of_part("a"), *others))
    assert (first.reason, first.part) == (Reason.BUILD_ERROR, ""), "the line may be in another kernel"
    assert first.lost == UNBUILT.max_points + unbuilt.max_points + 2 * NOT_RUN.max_points


def test_a_failed_build_costs_the_points_of_all_checks_behind_it():
    """The issue of a failed build explains all checks of its kernel that could not run, but does not list them. A check
    of another kernel that was built has another cause.
    """
    (unbuilt,) = issues("build error")
    assert unbuilt.lost == GRADED["build error"].max_points
    assert [check.kind for check in unbuilt.checks] == [Kind.BUILD, Kind.PERFORMANCE]
    assert unbuilt.seen_in == "build"
    (first,) = issues_of(
        result(*(each.of_part("a") for each in (UNBUILT, NOT_RUN)), *(each.of_part("b") for each in (BUILD, NOT_RUN)))
    )
    assert {check.part for check in first.checks} == {"a"}


def test_the_points_of_an_open_check_are_not_lost():
    """A check that is still to be made does not cost points, and no issue explains it."""
    made = issues_of(result(BUILD, *WRONG[:1], MISSING_CHECK, source=SOURCE))
    assert [each.lost for each in made] == [5]


def test_a_check_has_the_numbers_of_its_issues():
    """Each failed check refers to the numbers of the issues that explain it. A passed check has no numbers."""
    numbers = numbers_of(issues("out of bounds"))
    assert numbers == {"sanitizer (height 3)": (1, 2)}
    assert numbers_of(issues("right")) == {}


def test_different_checks_of_memory_are_different_issues():
    """Memory checks with the same reason and line stay separate issues, because each has its own limit."""
    assert [each.text.partition("Seen")[2] for each in issues("memory")] == [
        " in memory: every word read once.",
        " in memory: one word written.",
    ]


def test_a_line_that_uses_memory_badly_is_one_issue():
    """Two memory checks with the same reason, line and help are one mistake. Another line or help makes it two."""
    one, other = (each.model_copy(update={"help": "Read words once."}) for each in WASTEFUL)
    (told,) = issues_of(result(BUILD, one, other, source=SOURCE))
    assert told.seen_in == "memory: every word read once, one word written"
    for change in ({"help": "Write once."}, {"message": "line 18 writes too many words."}):
        assert len(issues_of(result(BUILD, one, other.model_copy(update=change), source=SOURCE))) == 2


def test_failed_practice_is_an_issue_after_all_that_count():
    """Practice cases come last, even if they fail first."""
    assert brief(issues("practice")) == [(Reason.WRONG_OUTPUT, 4)]
    made = issues_of(result(BUILD, PRACTICE.of_part("a"), *(each.of_part("b") for each in WASTEFUL), source=SOURCE))
    assert [each.line for each in made] == [17, 17, 4]


def test_issues_of_a_suite_name_the_kernel():
    """Equal causes in two kernels become two issues, each with the name of its kernel. The race comes first, because it
    makes results wrong.
    """
    made = issues("suite")
    assert [(each.reason, each.part) for each in made] == [
        (Reason.DATA_RACE, "second"),
        (Reason.TOO_SLOW, "second"),
        (Reason.TOO_SLOW, "first"),
    ]
    assert made[1].text.endswith(" Seen in second: performance: cpu.")
    assert made[2].text.endswith(" Seen in first: performance: cpu.")
    assert made[1].fingerprint != made[2].fingerprint


@pytest.mark.parametrize("name", GRADED)
def test_the_first_issue_is_the_first_cause(name):
    """If a check that counts failed, the first issue has the same reason as the first cause."""
    first = GRADED[name].first_cause
    if first is not None:
        assert issues(name)[0].reason is first.reason


@pytest.mark.parametrize("name", GRADED)
def test_every_line_is_in_the_file(name):
    """All lines and places of issues exist in the file, even if a message mentions lines that do not."""
    length = len(lines_of(GRADED[name]))
    for each in issues(name):
        assert all(1 <= line <= length for line in each.marked_lines)
        assert set(each.marked_lines) == {*filter(None, [each.line]), *(place.line for place in each.places)}


@pytest.mark.parametrize("name", LATER)
@pytest.mark.parametrize("change", ["at the end", "at the beginning"])
def test_a_comment_changes_no_fingerprint(name, change):
    """Fingerprints do not change if a comment is added at the end, or at the beginning, where it moves all lines."""
    before = LATER[name]
    after = {
        "at the end": before.model_copy(update={"source": f"{before.source}// a note\n"}),
        "at the beginning": _moved(before),
    }[change]
    assert [each.fingerprint for each in issues_of(after)] == [each.fingerprint for each in issues_of(before)]


def _moved(outcome):
    """Return the result of the same file with a comment at its beginning."""

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
    """Fingerprints depend neither on values nor on which cases failed."""
    before = issues_of(result(BUILD, *WRONG, source=SOURCE))
    after = issues_of(result(BUILD, wrong("ragged", -7), wrong("other", 9, line=21), source=SOURCE))
    assert [each.fingerprint for each in before] == [each.fingerprint for each in after]


def test_equal_lines_have_different_fingerprints():
    """Two findings in lines with equal texts have different fingerprints."""
    source = "int a;\nx = A[i];\nx = A[i];\n"
    findings = (
        OUTSIDE.model_copy(update={"message": f"line {line} reads outside `A`.", "help": f"help {line}"})
        for line in (2, 3)
    )
    first, second = issues_of(result(BUILD, found(*findings), source=source))
    assert (first.line, second.line) == (2, 3)
    assert first.fingerprint != second.fingerprint


def test_the_issue_of_a_real_grading_is_its_race():
    """The stored grading of a reduction with a race has this race as its only issue, which explains all wrong cases."""
    (race,) = issues_of(example())
    assert (race.reason, race.line, race.lost) == (Reason.DATA_RACE, 13, 55.5)
    ran = {check.name for check in race.checks if check.reason is not Reason.NOT_RUN}
    assert ran == {check.name for check in example().failures}


def test_a_check_refers_to_the_check_that_tells_its_cause():
    """Only the check that should be read first explains the cause. The others refer to it, and keep their own message
    as evidence. Checks that passed or were not run stay unchanged.
    """
    whole = GRADED["race"]
    told = {check.name: check for check in told_once(whole).checks}
    for issue in issues_of(whole):
        first, *others = (each for each in issue.checks if each.reason is not Reason.NOT_RUN)
        assert told[first.name] == first
        for other in others:
            if other.name not in {each.checks[0].name for each in issues_of(whole)}:
                assert told[other.name].message.startswith(f"same cause as {first.name}: ")
                assert other.message in told[other.name].detail
    explained = {check.name for issue in issues_of(whole) for check in issue.checks}
    assert all(told[check.name] == check for check in whole.checks if check.name not in explained)


def test_a_case_with_the_line_and_the_help_of_a_finding_is_not_told_again():
    """A case that fails for another reason, but in the same line and with the same help as a finding, belongs to the
    finding's issue.
    """
    line = OUTSIDE.lines[0]
    case = failed("correctness: one (n 1)", message=f"line {line} has no guard.", help=OUTSIDE.help)
    finding = found(OUTSIDE).model_copy(update={"help": OUTSIDE.help})
    (issue,) = issues_of(result(BUILD, case, finding, source=SOURCE))
    assert [check.name for check in issue.checks] == [finding.name, case.name]
    other = case.model_copy(update={"help": "Another step.", "cause": "another"})
    assert len(issues_of(result(BUILD, other, finding, source=SOURCE))) == 2
