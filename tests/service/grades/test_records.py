"""records.py: the grade of a student is the same on the student's page and in the table, for the same reader."""

from dataclasses import replace

import pytest
from final_grades import DUE, handed_in, opened
from large_course import statements
from services import Service, post

from grader.service.db.tables.people import PersonRow
from grader.service.grades.publication import hold_back
from grader.service.grades.records import grades_of, grades_of_all, published_grades_of, shown_grades_of_all


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


def seen(course, person):
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
        own, published = seen(course, person)
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
    own, published = seen(course, course.cleo)
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
