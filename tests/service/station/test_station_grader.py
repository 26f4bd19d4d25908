"""grader.py: a station asks its backend for the right kind of work for each claim, and returns the outcome to be
stored.
"""

import dataclasses
from types import SimpleNamespace

import pytest
from clusters import FACILITIES
from hidden_parts import hiding_course, right

from grader.batch.station import MissingSpeeds, PendingCases, ShownChecks, VisibleGrading, WholeGrading
from grader.common.record import replace
from grader.course.rubric import Correctness, Kind, Memory, Sanitizer, SpeedGoals
from grader.grading.explain.problem import PENDING
from grader.grading.progress import Decided
from grader.results.check import Check
from grader.results.result import Result, Ungraded
from grader.results.verdicts import Reason, Verdict
from grader.service.db.session import Database
from grader.service.station.grader import SLOT, Judge, Pace, service_seed
from grader.service.submissions.claims import ClaimedGrading, PendingResult
from grader.service.submissions.queue import CHANGED, MOVED

HIDDEN = "correctness: ragged (n 1000)"


class Answering:
    """Backend that returns these answers in order and reports one step for each."""

    settings_json = "{}"
    facilities = FACILITIES
    devices = 1

    def __init__(self, *answers):
        self._answers, self.asked = list(answers), []

    def grade(self, job, progress):
        self.asked.append(job.work)
        progress("building")
        return self._answers.pop(0)


@pytest.fixture
def course(tmp_path):
    return hiding_course(tmp_path, "case")


def changed(result, name, **changes):
    checks = tuple(replace(each, **changes) if each.name == name else each for each in result.checks)
    return replace(result, checks=checks, points=sum(each.points for each in checks))


def pending(course):
    skipped = {"verdict": Verdict.SKIPPED, "points": 0.0, "reason": Reason.PENDING, "message": PENDING.message}
    whole = right(course.load("small"))
    made = replace(whole.provenance, grader=FACILITIES.grader, device=FACILITIES.device)
    return changed(replace(whole, provenance=made), HIDDEN, **skipped)


def claim(course, *, hides=True, result=None, measured=None):
    known = None
    if result is not None:
        measured = measured or course.load("small").measured_sha256
        known = PendingResult(result=result.model_dump_json(), measured_sha256=measured, scored_sha256=None)
    return ClaimedGrading(
        grading_id=1,
        station="one",
        turn=1,
        assignment="small",
        data=b"",
        sha256="0" * 64,
        hides=hides,
        pending=known,
    )


def grade(course, backend, claimed):
    """Return the outcome of a claim and the events that were reported."""
    events = []
    return Judge(course, backend, 1, "cpu").grade(claimed, events.append), events


def test_what_is_hidden_is_left_pending(course):
    """Hidden checks stay pending while students may not know them. Otherwise, the grading runs all checks."""
    backend = Answering(pending(course), right(course.load("small")))
    outcome, events = grade(course, backend, claim(course))
    assert (outcome.is_pending, events) == (True, ["building"])
    outcome, _ = grade(course, backend, claim(course, hides=False))
    assert outcome.is_pending is False
    assert backend.asked == [VisibleGrading(), WholeGrading()]


def test_a_dry_run_makes_no_hidden_check(course):
    """For a dry run, the backend runs only the visible checks, even after the release of the hidden ones. The stored
    result has no part that students cannot see.
    """
    backend = Answering(*[right(course.load("small"))] * 2)
    for hides in (True, False):
        outcome, events = grade(course, backend, dataclasses.replace(claim(course, hides=hides), is_dry_run=True))
        assert (outcome.is_pending, outcome.full_page, events) == (False, None, ["building"])
    assert backend.asked == [ShownChecks(), ShownChecks()]


def test_pending_cases_are_run_for_the_stored_result_without_a_word(course):
    """Pending cases complete the stored result. They report no steps, because students would see them."""
    backend = Answering(right(course.load("small")))
    outcome, events = grade(course, backend, claim(course, result=pending(course)))
    assert (outcome.is_pending, outcome.points, events) == (False, right(course.load("small")).points, [])
    (asked,) = backend.asked
    assert isinstance(asked, PendingCases)
    assert isinstance(asked.result, Result)
    assert [check.name for check in asked.result.checks if check.reason is Reason.PENDING] == [HIDDEN]


def test_an_assignment_that_has_changed_meanwhile_is_not_mixed_with_the_old_one(course):
    """If the assignment has changed, pending cases are not run. The fault asks an instructor to regrade the attempt."""
    backend = Answering()
    outcome, _ = grade(course, backend, claim(course, result=pending(course), measured="another"))
    assert isinstance(outcome, Ungraded)
    assert (outcome.fault, backend.asked) == (CHANGED, [])


def test_hidden_cases_do_not_run_with_another_grader(course):
    """Pending cases are not run by another version of grader or on another device, because the result names only one of
    each. An instructor must have the attempt graded again.
    """
    backend = Answering()
    old = replace(pending(course), provenance=replace(pending(course).provenance, grader="0.0"))
    outcome, _ = grade(course, backend, claim(course, result=old))
    assert isinstance(outcome, Ungraded)
    assert (outcome.fault, backend.asked) == (MOVED, [])


def test_a_speed_that_noise_hides_is_measured_again_before_the_student_sees_it(course):
    """If noise hides the speed, it is measured again before the student sees the result. The hidden case
    stays pending.
    """
    name = next(check.name for check in pending(course).checks if check.kind is Kind.PERFORMANCE)
    noisy = changed(pending(course), name, verdict=Verdict.SKIPPED, points=0.0, reason=Reason.NOT_MEASURED)
    backend = Answering(noisy, pending(course))
    outcome, _ = grade(course, backend, claim(course))
    assert outcome.is_pending
    assert backend.asked == [VisibleGrading(), MissingSpeeds(result=noisy)]


@pytest.mark.parametrize("hidden", ["sanitizer", "performance"])
def test_a_grading_with_a_hidden_sanitizer_or_speed_ends_with_its_slot(tmp_path, monkeypatch, hidden):
    """A grading with a hidden sanitizer or speed check ends at the end of a time slot, because explaining a failure
    takes extra time.
    """
    course, slept = hiding_course(tmp_path, hidden), []
    monkeypatch.setattr("grader.service.station.grader.pause", slept.append)
    grade(course, Answering(right(course.load("small"))), claim(course))
    assert [0 < seconds <= SLOT for seconds in slept] == [True]


def test_the_seed_is_made_once(service):
    """The first process that asks for the seed creates it. It survives a restart."""
    first = service_seed(service.database)
    assert first == service_seed(Database(service.database.url)) != 0


def decided(kind):
    return Decided(check=Check(name="it", kind=kind, verdict=Verdict.PASSED, points=1, max_points=1, seconds=0.1))


def part(*, sanitizer=False, speed=False):
    hidden = {Sanitizer: sanitizer, SpeedGoals: speed, Memory: True, Correctness: True}
    sections = [SimpleNamespace(time_tells=each.time_tells, hides=(hides,)) for each, hides in hidden.items()]
    return SimpleNamespace(sections=sections)


def ended(hiding, *, takes):
    """Return the number of reported events, and the seconds from the last one to the end of a grading whose hidden part
    takes this long.
    """
    times, told, now = [], [], [100.0]

    def sleep(seconds):
        now[0] += seconds

    def tell(event):
        told.append(event)
        times.append(now[0])

    pace = Pace(coursework=SimpleNamespace(parts=(hiding,)), progress=tell, clock=lambda: now[0], sleep=sleep)
    for event in ("building", decided(Kind.CORRECTNESS), "watching", decided(Kind.MEMORY)):
        now[0] += 0.3
        pace.note(event)
    now[0] += takes
    pace.wait()
    return len(told), now[0] - times[-1]


@pytest.mark.parametrize("hiding", [part(sanitizer=True), part(speed=True)])
def test_a_grading_ends_at_the_same_time_whatever_is_hidden(hiding):
    """A grading with a hidden part ends at the end of a time slot, so that the time of an explanation stays hidden.
    Events after a hidden check are not reported.
    """
    ends = [ended(hiding, takes=takes) for takes in (1.0, 2.0, 3.0)]
    assert [count for count, _ in ends] == [1] * 3
    assert [seconds for _, seconds in ends] == pytest.approx([SLOT] * 3)
    assert ended(hiding, takes=SLOT + 1)[1] == pytest.approx(2 * SLOT)


@pytest.mark.parametrize("hiding", [part(sanitizer=True), part(speed=True)])
def test_a_grading_without_events_ends_a_whole_number_of_slots_after_its_beginning(hiding):
    """A grading without reported events, as on a cluster, ends a whole number of slots after its start."""
    now, slept = [100.0], []
    pace = Pace(coursework=SimpleNamespace(parts=(hiding,)), progress=print, clock=lambda: now[0], sleep=slept.append)
    now[0] += SLOT + 1
    pace.wait()
    assert slept == pytest.approx([SLOT - 1])


def test_where_nothing_is_hidden_nobody_waits():
    """A grading without hidden parts reports every event and does not wait at its end."""
    assert ended(part(), takes=1.0) == (4, pytest.approx(1.0))
