"""retiming.py: a speed that could not be measured is measured again, and no other check changes."""

import copy

import pytest
from courses import KERNEL, course_of
from hidden_parts import CASES, FIELDS
from suites import quick

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.course.submissions.submission import parse_submission
from grader.grading import retiming
from grader.grading.grade import grade_coursework
from grader.grading.retiming import time_again
from grader.grading.timing.intervals import FEWEST
from grader.results.verdicts import Reason, Verdict

SOURCE = KERNEL + KERNEL.replace("add", "plus")


@pytest.fixture
def suite(tmp_path):
    """A suite of two kernels in which any speed earns all points."""
    fields = copy.deepcopy({name: value for name, value in FIELDS.items() if name not in {"sanitizer", "memory"}})
    (launch,) = fields.pop("launches")
    del fields["kernel"]
    fields["correctness"]["cases"] = CASES[:1]
    fields["parts"] = [
        {"kernel": "add", "launches": [launch]},
        {"kernel": "plus", "launches": [{**launch, "kernel": "plus"}]},
    ]
    return course_of(tmp_path, fields, SOURCE).load("small")


@pytest.fixture
def noisy(monkeypatch, still_kernel):  # noqa: ARG001 - the operating system's own work does not matter here
    """Return a function that makes each of the next measurements noisy or quiet. All measurements after them are
    quiet.
    """

    def noisy(*verdicts):
        found = iter(verdicts)
        monkeypatch.setattr("grader.grading.timing.measurement.enough", lambda rounds, *_: len(rounds) == FEWEST)
        monkeypatch.setattr("grader.grading.timing.measurement.too_noisy", lambda *_: next(found, "quiet") == "noisy")
        # The machine may still be busy. Then the few rounds are delayed, or show too little of the second clock.
        monkeypatch.setattr("grader.grading.timing.measurement.is_held_up", lambda *_: False)
        monkeypatch.setattr("grader.grading.timing.measurement.is_blind", lambda *_: False)
        monkeypatch.setattr("grader.grading.timing.performance.implausible", lambda *_: None)

    return noisy


def test_only_the_parts_whose_speed_is_not_known_are_timed_again(suite, environment, noisy, monkeypatch):
    """Only the parts whose speed is unknown are timed again, without their cases and with new inputs. All other checks
    stay exactly the same.
    """
    noisy("noisy", "quiet")
    submission, asked = parse_submission("kernels.cl", SOURCE.encode()), []
    before = grade_coursework(suite, submission, 7, quick(environment), lambda _: None)
    grade = retiming.grade_submission
    monkeypatch.setattr(retiming, "grade_submission", lambda task, *rest: (asked.append(task), grade(task, *rest))[1])
    after = time_again(suite, submission, before, quick(environment), lambda _: None)
    changed = [(one, other) for one, other in zip(before.checks, after.checks, strict=True) if one != other]
    assert [(one.part, one.reason, other.reason, other.points) for one, other in changed] == [
        ("add", Reason.NOT_MEASURED, None, 5)
    ]
    (task,) = asked
    assert (task.assignment.kernel, task.assignment.correctness.cases, task.seed == 7) == ("add", (), False)
    assert (after.points, after.max_points) == (before.points + 5, before.max_points)
    assert (after.provenance, after.seconds) == (before.provenance, before.seconds)


@pytest.mark.whole
def test_a_machine_that_is_noisy_again_leaves_it_open(suite, environment, noisy):
    """If the machine is noisy again, the speed stays open, and the points do not change."""
    noisy("noisy", "quiet", "noisy")
    submission = parse_submission("kernels.cl", SOURCE.encode())
    before = grade_coursework(suite, submission, 7, quick(environment), lambda _: None)
    after = time_again(suite, submission, before, quick(environment), lambda _: None)
    assert (after.points, after.unchecked) == (before.points, before.unchecked)
    assert [left.reason for left in after.unchecked] == [Reason.NOT_MEASURED]


@pytest.mark.whole
def test_rounds_that_did_not_count_are_made_again(suite, environment, noisy):
    """A speed that is open because of interference is measured again, just as one that is open because of noise. The
    earlier rounds do not count.
    """
    noisy("quiet", "quiet", "quiet")
    submission = parse_submission("kernels.cl", SOURCE.encode())
    whole = grade_coursework(suite, submission, 7, quick(environment), lambda _: None)
    open_one = {"verdict": Verdict.SKIPPED, "reason": Reason.INTERFERENCE, "points": 0.0, "performance": None}
    checks = [
        replace(each, **open_one) if (each.part, each.kind) == ("add", Kind.PERFORMANCE) else each
        for each in whole.checks
    ]
    before = replace(whole, checks=tuple(checks), points=sum(each.points for each in checks))
    assert [(left.reason, left.checks) for left in before.unchecked] == [(Reason.INTERFERENCE, 1)]
    after = time_again(suite, submission, before, quick(environment), lambda _: None)
    assert (after.points, after.unchecked) == (whole.points, ())


@pytest.mark.whole  # the first test also times one part again
def test_a_part_that_is_not_timed_stays_as_it_is(suite, environment, noisy, monkeypatch):
    """A part without a speed check is not timed again."""
    untimed = replace(suite, parts=(replace(suite.parts[0], performance=None), suite.parts[1]))
    noisy("noisy", "quiet")
    submission, asked = parse_submission("kernels.cl", SOURCE.encode()), []
    before = grade_coursework(untimed, submission, 7, quick(environment), lambda _: None)
    grade = retiming.grade_submission
    monkeypatch.setattr(retiming, "grade_submission", lambda task, *rest: (asked.append(task), grade(task, *rest))[1])
    after = time_again(untimed, submission, before, quick(environment), lambda _: None)
    changed = [(one.part, one.kind) for one, other in zip(before.checks, after.checks, strict=True) if one != other]
    assert changed == [("plus", Kind.PERFORMANCE)]
    assert [task.assignment.part for task in asked] == ["plus"]
