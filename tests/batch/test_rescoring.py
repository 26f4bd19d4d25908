"""rescoring.py: new thresholds are applied to stored measurements without running a kernel."""

from dataclasses import replace

import pytest
from project import ROOT

from grader.batch.rescoring import lacks_measurements, rescore, up_to_date
from grader.course.criteria import Band
from grader.course.rubric import Kind
from grader.course.submissions.submission import Task, read_submission
from grader.grading.checks.requirements import FORFEITED, forfeit
from grader.grading.grade import grade_submission
from grader.grading.rules import TimingRules
from grader.results.verdicts import Reason, Verdict


@pytest.fixture(scope="module")
def measured(transposition, environment):
    """Results of real gradings with short timing, keyed by the name of the submission."""
    quick = replace(environment, timing=TimingRules(warm_up_seconds=0, min_pairs=9, max_pairs=9, noise_limit=100))
    folder = ROOT / "tests" / "submissions" / "coalsTransp"
    return {
        name: grade_submission(
            Task(assignment=transposition, submission=read_submission(folder / name), seed=7), quick, lambda _: None
        )
        for name in ("course-style-lmem", "uncoalesced", "no-barrier", "sizes-swapped-in-signature")
    }


def of(result, kind):
    return [check for check in result.checks if check.kind is kind]


def test_the_same_assignment_scores_the_same(measured, transposition):
    """Rescoring with an unchanged assignment does not change a right, wasteful, wrong or unbuildable result."""
    for name, result in measured.items():
        assert rescore(result, transposition) == result, name


def test_a_lower_threshold_of_speed_passes_what_has_failed(measured, transposition):
    """A stored speed passes if the threshold is 0.001 of the model solution's speed, and fails if it is 1,000 times
    that speed.
    """
    right = measured["course-style-lmem"]
    goal = transposition.performance.classes["cpu"]
    for fraction, verdict in ((0.001, Verdict.PASSED), (1000.0, Verdict.FAILED)):
        bands = (Band(fraction=fraction, points=33.0),)
        asked = transposition.performance.model_copy(
            update={"classes": {"cpu": goal.model_copy(update={"bands": bands})}}
        )
        anew = rescore(right, transposition.model_copy(update={"performance": asked}))
        (speed,) = of(anew, Kind.PERFORMANCE)
        assert speed.verdict is verdict
        assert speed.points == (33.0 if verdict is Verdict.PASSED else 0.0)
        assert speed.max_points == 33.0
        assert anew.points == sum(check.points for check in anew.checks)
        assert speed.performance == of(right, Kind.PERFORMANCE)[0].performance


def test_a_wider_limit_of_memory_passes_what_has_failed(measured, transposition):
    """Stored counts pass under a wider limit. A check that the assignment renames gets its new name."""
    wasteful = measured["uncoalesced"]
    if not wasteful.profiles:
        pytest.skip("no simulator: nothing was counted")
    assert any(check.verdict is Verdict.FAILED for check in of(wasteful, Kind.MEMORY))
    checks = tuple(
        check.model_copy(update={"at_most": 1e9, "points": 3.0, "name": f"new {check.name}"})
        for check in transposition.memory.checks
    )
    memory = transposition.memory.model_copy(update={"checks": checks})
    anew = rescore(wasteful, transposition.model_copy(update={"memory": memory}))
    assert {(check.verdict, check.points, check.max_points) for check in of(anew, Kind.MEMORY)} == {
        (Verdict.PASSED, 3.0, 3.0)
    }
    assert all(check.name.startswith("memory: new ") for check in of(anew, Kind.MEMORY))


def test_points_of_cases_and_sanitizer_follow_the_assignment(measured, transposition):
    """Passed cases earn the new points of the assignment, and a failed check still earns zero."""
    correctness = transposition.correctness.model_copy(update={"points": 120.0})
    sanitizer = transposition.sanitizer.model_copy(update={"points": 1.0})
    changed = transposition.model_copy(update={"correctness": correctness, "sanitizer": sanitizer})
    for result in measured.values():
        anew = rescore(result, changed)
        for old, new in zip(of(result, Kind.CORRECTNESS), of(anew, Kind.CORRECTNESS), strict=True):
            assert new.verdict is old.verdict
            assert new.points == (10.0 if old.verdict is Verdict.PASSED else 0.0)
            assert new.max_points == 10.0
        assert {check.max_points for check in of(anew, Kind.SANITIZER)} <= {1.0, 0.0}


def test_what_was_implausible_stays_so(measured, transposition):
    """An implausible speed fails regardless of the threshold."""
    right = measured["course-style-lmem"]
    (speed,) = of(right, Kind.PERFORMANCE)
    fraud = speed.model_copy(
        update={
            "verdict": Verdict.FAILED,
            "points": 0.0,
            "reason": Reason.IMPLAUSIBLE,
            "message": "faster than a copy.",
        }
    )
    suspicious = right.model_copy(update={"checks": (*right.checks[:-1], fraud)})
    assert of(rescore(suspicious, transposition), Kind.PERFORMANCE) == [fraud]


def test_a_result_says_which_assignment_scored_it(measured, transposition):
    """A rescored result has the hash of the assignment's current version."""
    old = measured["no-barrier"]
    stale = old.model_copy(update={"provenance": old.provenance.model_copy(update={"assignment_sha256": "old"})})
    assert rescore(stale, transposition).provenance.assignment_sha256 == transposition.sha256


def test_memory_checks_that_were_skipped_follow_the_assignment(measured, transposition):
    """Without a simulator, the memory checks of the new assignment are skipped and have their new maximum points."""
    whole = measured["course-style-lmem"]
    told = {"verdict": Verdict.SKIPPED, "points": 0.0, "reason": Reason.NO_SIMULATOR, "message": "it is missing."}
    checks = tuple(check.model_copy(update=told) if check.kind is Kind.MEMORY else check for check in whole.checks)
    memory = transposition.memory.model_copy(
        update={"checks": (transposition.memory.checks[0].model_copy(update={"points": 7}),)}
    )
    anew = rescore(
        whole.model_copy(update={"checks": checks, "profiles": {}}), transposition.model_copy(update={"memory": memory})
    )
    (skipped,) = of(anew, Kind.MEMORY)
    assert skipped.name == f"memory: {memory.checks[0].name}"
    assert (skipped.verdict, skipped.message, skipped.max_points) == (Verdict.SKIPPED, "it is missing.", 7)
    assert [(left.reason, left.checks, left.points) for left in anew.unchecked] == [(Reason.NO_SIMULATOR, 1, 7)]
    assert anew.max_points == whole.max_points - sum(check.max_points for check in of(whole, Kind.MEMORY)) + 7


def test_a_speed_that_is_decided_elsewhere_is_not_decided_by_rescoring(measured, transposition):
    """A speed that is decided on another machine stays open, and its maximum follows the assignment."""
    whole = measured["course-style-lmem"]
    *checks, timed = whole.checks
    told = {"verdict": Verdict.SKIPPED, "points": 0.0, "max_points": 1.0, "reason": Reason.DECIDED_ELSEWHERE}
    (there,) = of(
        rescore(whole.model_copy(update={"checks": (*checks, timed.model_copy(update=told))}), transposition),
        Kind.PERFORMANCE,
    )
    assert there.performance == timed.performance
    assert (there.verdict, there.reason) == (Verdict.SKIPPED, Reason.DECIDED_ELSEWHERE)
    assert (there.points, there.max_points) == (0, timed.max_points)


def test_a_speed_that_was_not_measured_stays_open(measured, transposition):
    """A speed that was not measured stays open under every threshold, and its maximum follows the assignment."""
    whole = measured["course-style-lmem"]
    *checks, timed = whole.checks
    told = {"verdict": Verdict.SKIPPED, "points": 0.0, "max_points": 1.0, "reason": Reason.NOT_MEASURED}
    noisy = timed.model_copy(update={**told, "message": "too noisy.", "performance": None})
    anew = rescore(whole.model_copy(update={"checks": (*checks, noisy)}), transposition)
    (still,) = of(anew, Kind.PERFORMANCE)
    assert still == noisy.model_copy(update={"max_points": timed.max_points})
    assert [(left.reason, left.points) for left in anew.unchecked] == [(Reason.NOT_MEASURED, timed.max_points)]


def hiding(transposition, case):
    """Return the assignment with the given case hidden."""
    asked = transposition.correctness
    cases = tuple(each.model_copy(update={"hidden": each.name == case}) for each in asked.cases)
    return transposition.model_copy(update={"correctness": asked.model_copy(update={"cases": cases})})


def test_a_result_that_a_hidden_case_has_cost_other_points_has_them_again(measured, transposition):
    """If a hidden case failed in an older result, rescoring restores the points for speed and for a clean run.

    Older graders took these points away with a sentence that revealed the hidden outcome to students.
    """
    whole = measured["course-style-lmem"]
    case = transposition.correctness.cases[0].name
    hidden = hiding(transposition, case)
    fault = {"verdict": Verdict.FAILED, "points": 0.0, "reason": Reason.WRONG_OUTPUT}
    wrong = tuple(
        each.model_copy(update=fault) if case in each.name and each.kind is Kind.CORRECTNESS else each
        for each in whole.checks
    )
    provenance = whole.provenance.model_copy(update={"assignment_sha256": hidden.sha256})
    old = whole.model_copy(update={"checks": forfeit(transposition, wrong), "provenance": provenance})
    assert len([each for each in old.checks if each.message == FORFEITED.message]) == 2
    anew = up_to_date(old, hidden)
    assert anew.checks == wrong
    assert anew.points == sum(each.points for each in wrong)
    assert up_to_date(anew, hidden) is anew
    assert not lacks_measurements(old, hidden)


def test_what_a_case_kept_from_being_measured_is_lacking_when_it_is_hidden(measured, transposition):
    """If the only failed case becomes hidden, a speed must be measured, but not for a file that does not build."""
    whole = measured["no-barrier"]
    failed = [each for each in of(whole, Kind.CORRECTNESS) if each.verdict is Verdict.FAILED]
    one = next(each for each in transposition.correctness.cases if each.name in failed[0].name)
    right = tuple(
        each.model_copy(update={"verdict": Verdict.PASSED, "reason": None}) if each in failed[1:] else each
        for each in whole.checks
    )
    alone = whole.model_copy(update={"checks": right})
    assert lacks_measurements(alone, hiding(transposition, one.name))
    assert not lacks_measurements(alone, transposition)
    assert not lacks_measurements(measured["sizes-swapped-in-signature"], hiding(transposition, one.name))
