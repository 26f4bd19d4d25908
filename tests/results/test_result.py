"""result.py: a check that was not made never counts as passed, and is reported with its reason and points."""

import json

import pytest
from pydantic import ValidationError
from samples import BUILD, RACE, SLOW, SPEED, check, failed, result, unchecked

from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.rubric import AskedCheck, Kind
from grader.reports import REPORTS
from grader.results.check import Unchecked, full_marks
from grader.results.findings import Place
from grader.results.gradebook import grade_of
from grader.results.result import Result
from grader.results.verdicts import NOT_MADE, Reason, Verdict

HERE, NOISY, ELSEWHERE = Reason.NO_SIMULATOR, Reason.NOT_MEASURED, Reason.DECIDED_ELSEWHERE
DISTURBED = Reason.INTERFERENCE
TIMED_ELSEWHERE = unchecked("performance: cpu (height 1)", Kind.PERFORMANCE, 40, ELSEWHERE, "it is timed there.")
WATCHED = (unchecked(), unchecked("memory: banks", Kind.MEMORY, 20))
HIDDEN = unchecked("correctness: secret", Kind.CORRECTNESS, 0, Reason.HIDDEN, "hidden.")


def seen(outcome):
    """Return a result's counts of passed, failed and unchecked checks, after comparing them with its brief grade."""
    brief = grade_of(outcome)
    assert (outcome.passed, outcome.failed, outcome.unchecked) == (brief.passed, brief.failed, brief.unchecked)
    return outcome.passed, outcome.failed, outcome.unchecked


@pytest.mark.parametrize("reason", [None, *(reason for reason in Reason if reason not in NOT_MADE)])
def test_a_skipped_check_says_why_it_was_not_made(reason):
    """A skipped check must have a reason that allows skipping. Without one, the result would not explain the missing
    points.
    """
    with pytest.raises(ValidationError, match="must have a reason in NOT_MADE if it is skipped"):
        check("sanitizer", kind=Kind.SANITIZER, verdict=Verdict.SKIPPED, reason=reason)


@pytest.mark.parametrize("reason", sorted(NOT_MADE))
@pytest.mark.parametrize("verdict", [Verdict.PASSED, Verdict.PARTIAL, Verdict.FAILED])
def test_a_check_that_was_made_has_no_such_reason(verdict, reason):
    """A check that was made cannot have a reason for skipping, because its verdict is about the student's code."""
    with pytest.raises(ValidationError, match="must have a reason in NOT_MADE if it is skipped"):
        check("sanitizer", kind=Kind.SANITIZER, verdict=verdict, reason=reason)


def test_what_was_not_checked_is_in_the_total_by_reason():
    """Unmade checks count in the maximum and are summed by reason. Here, 45 of 5 + 40 + 12 + 20 = 77 points are
    reached.
    """
    outcome = result(BUILD, check("correctness: one"), *WATCHED, SPEED)
    assert (outcome.points, outcome.max_points) == (45, 77)
    assert seen(outcome) == (False, False, (Unchecked(reason=HERE, checks=2, points=32),))
    both = result(BUILD, TIMED_ELSEWHERE, *WATCHED)
    assert [(left.reason, left.points) for left in both.unchecked] == [(HERE, 32), (ELSEWHERE, 40)]
    for why in (NOISY, DISTURBED):
        untimed = unchecked("performance: cpu (height 1)", Kind.PERFORMANCE, 40, why)
        outcome = result(BUILD, check("correctness: one"), untimed)
        assert (outcome.points, outcome.max_points) == (5, 45)
        assert seen(outcome) == (False, False, (Unchecked(reason=why, checks=1, points=40),))


def test_a_check_for_no_points_that_was_not_made_is_not_overlooked():
    """A result has not passed if a check worth 0 points was not made, even if all other checks passed."""
    outcome = result(BUILD, check("correctness: one"), unchecked(points=0))
    assert seen(outcome) == (False, False, (Unchecked(reason=HERE, checks=1, points=0),))


def test_a_hidden_check_was_made():
    """A hidden check counts as made: no work is left to do, and the visible result must not reveal the outcome."""
    assert seen(result(BUILD, check("correctness: one"), HIDDEN)) == (True, False, ())


def test_a_failure_is_one_whatever_else_is_open():
    """A failed or partly passed check makes the result failed, even if other checks were not made. Practice cases do
    not.
    """
    for lost in (failed("correctness: one"), SLOW):
        passed, has_failed, left = seen(result(BUILD, lost, *WATCHED))
        assert (passed, has_failed, len(left)) == (False, True, 1)
    assert seen(result(BUILD, failed("practice: one", kind=Kind.PRACTICE, max_points=0))) == (True, False, ())


def test_a_check_that_was_not_made_is_never_the_first_to_read():
    """An unmade or hidden check is never the first cause, because it does not give the student anything to fix."""
    assert result(BUILD, *WATCHED, TIMED_ELSEWHERE, HIDDEN).first_cause is None
    wrong = failed("correctness: one")
    assert result(BUILD, *WATCHED, wrong).first_cause == wrong


def test_what_is_unreached_follows_from_a_failed_build():
    """Checks are unreached if their kernel did not build. Checks that were not run because of wrong output are not
    unreached.
    """
    unrun = failed("correctness: one", reason=Reason.NOT_RUN)
    unbuilt = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR)
    assert result(BUILD, unrun).unreached == ()
    parts = (unbuilt.of_part("a"), unrun.of_part("a"), BUILD.of_part("b"), unrun.of_part("b"))
    assert result(*parts).unreached == (unrun.of_part("a"),)
    assert [mark.name for mark in grade_of(result(*parts)).unreached] == ["a: correctness: one"]


def test_the_first_to_read_has_several_of_everything():
    """The first cause is preferably a case without a size of 1, because such a case shows little. A known cause takes
    precedence over an unknown one.
    """
    tiny, small = failed("correctness: one row (height 1, width 9)"), failed("correctness: few (height 11, width 9)")
    assert result(BUILD, tiny, small).first_cause == small
    assert result(BUILD, tiny).first_cause == tiny
    known = replace(tiny, cause="the sign is wrong")
    assert result(BUILD, small, known).first_cause == known


def test_of_several_causes_the_costliest_comes_first():
    """The cause that has lost the most points comes first. An array that was not written also counts as a cause, even
    if a cheap case has a known cause.
    """
    cheap = failed("correctness: offsets alone", cause="no offset is added", max_points=3)
    dear = [failed(f"correctness: {name}", reason=Reason.NOT_WRITTEN, max_points=2) for name in ("few", "many")]
    assert result(BUILD, cheap, *dear).failures == (*dear, cheap)
    assert result(BUILD, *dear[:1], cheap).failures == (cheap, *dear[:1])
    wrong = failed("correctness: large", max_points=9)
    assert result(BUILD, *dear, wrong).failures == (wrong, *dear)
    assert result(BUILD, *dear, wrong, cheap).failures == (*dear, cheap, wrong)


def test_failures_are_in_the_order_in_which_they_should_be_read():
    """If kernels have lost equally many points, their failures are listed in the order of the kernels. Findings come
    first within a kernel, and consequences are left out.
    """
    wrong, unrun = failed("correctness: one"), failed("memory: one", reason=Reason.NOT_RUN)
    race = failed("sanitizer", kind=Kind.SANITIZER, reason=Reason.DATA_RACE)
    checks = [each.of_part(part) for part in ("a", "b") for each in (BUILD, wrong, race, unrun, *WATCHED)]
    assert [each.name for each in result(*checks).failures] == [
        f"{part}: {name}" for part in ("a", "b") for name in ("sanitizer", "correctness: one")
    ]


def test_wrong_results_come_before_missing_kernels_and_both_before_waste():
    """Wrong results come first, then missing kernels, then wasted time and memory, regardless of their points."""
    wasteful = failed("memory: one", kind=Kind.MEMORY, max_points=50).of_part("a")
    missing = failed("build", kind=Kind.BUILD, reason=Reason.KERNEL_MISSING, max_points=70).of_part("b")
    unbuilt = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, max_points=1).of_part("c")
    slow, wrong = SLOW.of_part("d"), failed("correctness: one").of_part("d")
    outcome = result(wasteful, missing, unbuilt, slow, wrong)
    assert outcome.failures == (wrong, unbuilt, missing, wasteful, slow)
    assert [mark.name for mark in grade_of(outcome).failures] == [each.name for each in outcome.failures]


def test_of_equally_urgent_kernels_the_costliest_comes_first():
    """The kernel that has lost the most points comes first. Undecided points are not lost, but points of checks that
    were not run are.
    """
    wrong, unrun = failed("correctness: one"), failed("memory: one", kind=Kind.MEMORY, reason=Reason.NOT_RUN)
    cheap = [each.of_part("a") for each in (wrong, unchecked(points=40))]
    dear = [each.of_part("b") for each in (wrong, unrun)]
    assert [each.part for each in result(*cheap, *dear).failures] == ["b", "a"]
    assert [each.lost for each in (*cheap, *dear)] == [5, 0, 5, 5]
    assert SLOW.lost == 20


def test_the_json_says_what_was_not_checked_and_reads_back():
    """The JSON report lists the unchecked points. A reader of the file recomputes them from the checks, so they always
    agree.
    """
    outcome = result(BUILD, *WATCHED, TIMED_ELSEWHERE)
    fields = json.loads(REPORTS["json"](outcome))
    assert fields["unchecked"] == [
        {"reason": "NO_SIMULATOR", "checks": 2, "points": 32.0},
        {"reason": "DECIDED_ELSEWHERE", "checks": 1, "points": 40.0},
    ]
    fields["unchecked"] = []
    assert Result.model_validate_json(json.dumps(fields)) == outcome
    assert len(Result.model_validate(fields).unchecked) == 2


@pytest.mark.parametrize("part", ["", "turned twice"])
@pytest.mark.parametrize(
    ("given", "name", "title"),
    [
        ((Kind.BUILD,), "build", "build"),
        ((Kind.SANITIZER, "", {"n": 3}), "sanitizer (n 3)", "sanitizer"),
        ((Kind.MEMORY, "words read"), "memory: words read", "memory: words read"),
        ((Kind.PRACTICE, "one: or two", {"n": 3, "m": 4}), "practice: one: or two (n 3, m 4)", "practice: one: or two"),
        ((Kind.CORRECTNESS, "odd (prime)", {"n": 3}), "correctness: odd (prime) (n 3)", "correctness: odd (prime)"),
        (
            (Kind.PERFORMANCE, "cpu", {"real": "float", "n": 9}),
            "performance: cpu (real float, n 9)",
            "performance: cpu",
        ),
    ],
)
def test_a_name_has_the_pieces_that_it_was_made_of(given, name, title, part):
    """The name of a check consists of its title, label and sizes, with the part in front if it belongs to a suite."""
    kind, label, sizes = (*given, *("", {})[len(given) - 1 :])
    made = full_marks(AskedCheck(kind=kind, points=2.0, label=label, sizes=sizes))
    told = made.of_part(part)
    assert (made.name, told.name) == (name, f"{part}: {name}" if part else name)
    assert (told.own_name, told.title, told.label) == (name, title, label)
    assert told.sizes == ", ".join(f"{each} {size}" for each, size in sizes.items())
    assert told.of_part("") == made


def test_a_check_and_a_finding_know_their_lines():
    """Checks and findings list the lines that their messages mention. The places of a finding count as well."""
    words = "line 7, column 3: see lines 9, 12 and 14. outlines 5 of 6 lines."
    assert failed("correctness: one", message=words).lines == (7, 9, 12, 14)
    assert failed("correctness: one", message=words).first_line == 7
    assert failed("correctness: one", findings=(RACE,)).first_line == 13
    assert failed("correctness: one").first_line is None
    assert RACE.model_copy(update={"message": "line 3.", "places": (Place(line=8, text="", words=""),)}).lines == (3, 8)


def test_faults_stand_in_the_json_only_where_there_are_any():
    """The JSON report lists each fault of checks and findings once, and has no fault field if there are no faults."""
    fault = Fault(lost="the explanation", traceback="Traceback: no")
    unexplained = failed("sanitizer", findings=(replace(RACE, fault=fault),), faults=(fault,))
    lacking = result(BUILD, unexplained, failed("correctness: one", faults=(fault,)))
    again = Result.model_validate_json(REPORTS["json"](lacking))
    assert again.faults == (fault,)
    assert (again.points, again.failed) == (lacking.points, True)
    assert "fault" not in REPORTS["json"](result(BUILD, failed("sanitizer", findings=(RACE,))))


def test_the_check_of_speed_is_found_by_its_kind():
    """The performance check is found by its kind, at any position. Without one, the property is None."""
    assert result(SPEED, BUILD).performance_check == SPEED
    assert result(BUILD, check("memory: reads", kind=Kind.MEMORY)).performance_check is None
