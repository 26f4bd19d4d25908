"""retiming.py: what is measured again, and that nothing else changes by it."""

import copy

import pytest
from courses import KERNEL, course_of
from hiding import CASES, FIELDS
from suites import quick

from grader.common.record import replace
from grader.course.submissions.submission import parse_submission
from grader.grading import retiming
from grader.grading.grade import grade_coursework
from grader.grading.retiming import time_again
from grader.grading.timing.intervals import FEWEST
from grader.results.result import Kind, Reason, Verdict

SOURCE = KERNEL + KERNEL.replace("add", "plus")


@pytest.fixture
def suite(tmp_path):
    """Two kernels, of which every speed is good enough."""
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
def noisy(monkeypatch, still_kernel):  # noqa: ARG001 - what works beside one side is no question here
    """A function that says of each measurement how the machine is; it is quiet after these."""

    def noisy(*verdicts):
        found = iter(verdicts)
        monkeypatch.setattr("grader.grading.timing.measurement.enough", lambda rounds, *_: len(rounds) == FEWEST)
        monkeypatch.setattr("grader.grading.timing.measurement.too_noisy", lambda *_: next(found, "quiet") == "noisy")
        # It may be busy all the same, and what it delays would look like a submission that lies about its times.
        monkeypatch.setattr("grader.grading.timing.performance.implausible", lambda *_: None)

    return noisy


def test_only_the_parts_whose_speed_is_not_known_are_timed_again(suite, environment, noisy, monkeypatch):
    """Without a case, and on new inputs. Of the others everything stays, to the last figure."""
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
    """As it was, but for what was measured of the noise."""
    noisy("noisy", "quiet", "noisy")
    submission = parse_submission("kernels.cl", SOURCE.encode())
    before = grade_coursework(suite, submission, 7, quick(environment), lambda _: None)
    after = time_again(suite, submission, before, quick(environment), lambda _: None)
    assert (after.points, after.unchecked) == (before.points, before.unchecked)
    assert [left.reason for left in after.unchecked] == [Reason.NOT_MEASURED]


@pytest.mark.whole
def test_rounds_that_did_not_count_are_made_again(suite, environment, noisy):
    """As those of a noisy machine: what counts is measured by new ones alone."""
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


def test_a_part_that_is_not_timed_stays_as_it_is(suite, environment, noisy, monkeypatch):
    """Its last check is of something else."""
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
