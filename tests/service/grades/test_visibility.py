"""visibility.py: students see nothing hidden or held back, and people who teach see what is held back."""

import pytest
from hidden_parts import failing, hiding_course, right
from services import Service

from grader.grading.progress import Decided
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.grades.publication import hold_back
from grader.service.grades.visibility import (
    STAFF_ACCESS,
    STUDENT_ACCESS,
    SeenResult,
    checks_of,
    points_change,
)
from grader.service.station.storage import ready
from grader.service.submissions.progress import ChecksInBrief, keep_note, note_of


@pytest.fixture
def service(tmp_path):
    """Return a service with a hidden case."""
    made = Service(tmp_path, course=hiding_course(tmp_path / "course", "case"))
    yield made
    made.database.close()


def graded_twice(service):
    """Return an attempt that passes the hidden case and one that fails it, after all cases have run."""
    assignment = service.course.load("small")
    outcomes = ready(right(assignment), assignment), ready(failing(right(assignment), 2), assignment)
    return [service.graded(service.hand_in(), each) for each in outcomes]


def seen(service, access, attempt):
    with service.database.reading() as session:
        return access.result(session.get_one(AttemptRow, attempt))


def test_nobody_sees_a_hidden_outcome_before_its_release(service):
    """The results of two attempts that differ only in a hidden case look the same to students and staff."""
    passes, fails = graded_twice(service)
    for access in (STUDENT_ACCESS, STAFF_ACCESS):
        result = seen(service, access, passes)
        assert result == seen(service, access, fails)
        assert result.hidden_points == 5
        assert [each.shown_verdict for each in result.checks.checks].count("hidden") == 1


def test_a_result_that_is_held_back_is_seen_only_by_staff(service):
    """While results are held back, students have no result, no checks and no notes. Staff have all of them."""
    with service.database.writing() as session:
        hold_back(session, "small", "staff", service.now)
    attempt = service.hand_in()
    claimed = service.claim()
    note = note_of(Decided(check=right(service.course.load("small")).checks[0]))
    with service.database.writing() as session:
        keep_note(session, claimed, note, service.now)
    service.finish(claimed)
    assert seen(service, STUDENT_ACCESS, attempt) is None
    assert seen(service, STAFF_ACCESS, attempt).points == 19
    assert len(seen(service, STAFF_ACCESS, attempt).checks.checks) > 1
    with service.database.reading() as session:
        grading = session.get_one(GradingRow, claimed.grading_id)
        assert STUDENT_ACCESS.notes(session, grading, 0) == ()
        assert [each.check for _, each in STAFF_ACCESS.notes(session, grading, 0)] == [note.check]
        assert checks_of(grading).checks == ()


def test_a_change_of_points_is_told_only_if_both_are_seen():
    """The change from an earlier attempt is empty unless the reader may see the points of both attempts."""
    old, new, unseen = (
        None
        if points is None
        else SeenResult(points=points, max_points=15, hidden_points=0, checks=ChecksInBrief(checks=()))
        for points in (10.0, 15.0, None)
    )
    assert points_change(old, new) == "15, was 10: +5"
    assert [points_change(unseen, new), points_change(old, unseen), points_change(None, None)] == [""] * 3
