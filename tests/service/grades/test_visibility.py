"""visibility.py: students see nothing hidden or held back, and people who teach see what is held back."""

from dataclasses import replace

import pytest
from final_grades import DUE, handed_in, opened
from hidden_parts import failing, hiding_course, right
from large_course import statements
from services import Service, post

from grader.grading.progress import Decided
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.grades.publication import hold_back
from grader.service.grades.visibility import (
    STAFF_ACCESS,
    STUDENT_ACCESS,
    SeenResult,
    checks_of,
    grades_of,
    grades_of_all,
    points_change,
    published_grades_of,
    shown_grades_of_all,
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


@pytest.fixture
def course(tmp_path):
    """Return a service in which Ada and Ben share an attempt, Cleo is late, and Ada's points are changed by hand."""
    made = opened(tmp_path, f"{DUE}groups: 2\nlate: {{percent: 10}}\n", ("small", "second"))
    with made.database.writing() as session:
        for number in (made.ada, made.ben):
            session.get_one(PersonRow, number).team = "7"
    handed_in(made, 12.0)
    made.passes(days=1)
    made.cleo = made.person("cleo", "student")
    handed_in(made, 10.0, person=made.cleo)
    handed_in(made, 7.0, person=made.ben, assignment="second")
    page = f"/course/people/{made.ada}/assignments/small"
    post(made.browser("staff"), f"{page}/decision", page, points="+1", comment="so")
    yield made
    made.database.close()


def grades_seen(course, person):
    """Return a student's grades as the student and as staff read them on the student's pages."""
    with course.database.reading() as session:
        every = course.app_state.cache.all()
        return grades_of(session, every, person), published_grades_of(session, every, person)


def table(course, read):
    with course.database.reading() as session:
        return read(session, course.app_state.cache.all())


def plain(grade):
    """Return a grade without the row of its decision, which belongs to one session, and the grade in words."""
    return replace(grade, decision=None), grade.in_words


def test_the_page_of_a_student_and_the_table_agree(course):
    """Each student has the same grades on all pages, with groups, late days and decisions by hand."""
    everyone, shown = table(course, grades_of_all), table(course, shown_grades_of_all)
    points = {}
    for person in (course.ada, course.ben, course.cleo):
        own, published = grades_seen(course, person)
        assert {name: plain(each) for name, each in own.items()} == {
            name: plain(each) for name, each in published.items()
        }
        for name, grade in own.items():
            others = published[name], everyone[person, name], shown[person, name]
            assert [plain(each) for each in others] == [plain(grade)] * 3
            points[person, name] = grade.points
    assert points == {
        (course.ada, "small"): 13,
        (course.ben, "small"): 12,
        (course.cleo, "small"): 9,
        (course.ada, "second"): 6.3,
        (course.ben, "second"): 6.3,
        (course.cleo, "second"): None,
    }


def test_grades_that_are_held_back_have_points_only_for_staff(course):
    """While results are held back, students have no points, also in the table that platforms get."""
    with course.database.writing() as session:
        hold_back(session, "small", "staff", course.now)
    own, published = grades_seen(course, course.cleo)
    assert (own["small"].points, published["small"].points) == (None, 9)
    assert table(course, shown_grades_of_all)[course.cleo, "small"].points is None
    assert table(course, grades_of_all)[course.cleo, "small"].points == 9


def test_a_course_is_read_with_few_statements(tmp_path):
    """The number of statements does not depend on the number of students and attempts."""
    service = Service(tmp_path)
    service.app_state.cache.all()
    numbers = []
    for more in (1, 6):
        for number in range(more):
            service.graded(service.hand_in(person=service.person(f"s{more}-{number}", "student")))
        with statements(service.database) as read:
            table(service, grades_of_all)
        numbers.append(sum(each.startswith("SELECT") for each in read))
    assert numbers == [5, 5]
    service.database.close()
