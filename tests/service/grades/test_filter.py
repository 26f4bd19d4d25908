"""filter.py: the course table shows the selected students in the selected order."""

import pytest
from services import graded, post

from grader.service.grades.filter import CourseFilter, columns_of, lines_of
from grader.service.grades.views import course_table


@pytest.fixture
def table(service):
    """Return a table in which Ada is partly right, Ben passes, Cleo waits, Dora is absent, Eve is excused and Finn
    excluded.
    """
    service.graded(service.hand_in(), graded(service.course, passed=False))
    service.graded(service.hand_in(person=service.ben))
    service.person("dora", "student")
    eve = service.person("eve", "student")
    page = f"/course/people/{eve}/assignments/small"
    post(service.browser("staff"), f"{page}/decision", page, points="excused", comment="ill")
    page = service.page_of(service.graded(service.hand_in(person=service.person("finn", "student"))))
    post(service.browser("staff"), f"/course{page}/exclusion", page, reason="copied")
    service.hand_in(person=service.person("cleo", "student"))
    with service.database.reading() as session:
        return course_table(session, service.app_state.cache.all())


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({}, ["Ada", "Ben", "Cleo", "Dora", "Eve", "Finn"]),
        ({"find": " BE "}, ["Ben"]),
        ({"find": "a d"}, ["Ada", "Dora"]),
        ({"show": "partly"}, ["Ada"]),
        ({"show": "failed"}, []),
        ({"show": "passed"}, ["Ben"]),
        ({"show": "open"}, ["Cleo"]),
        ({"show": "nothing handed in"}, ["Dora"]),
        ({"show": "excused"}, ["Eve"]),
        ({"show": "excluded"}, ["Finn"]),
        ({"show": "late"}, []),
        ({"sort": "most points"}, ["Ben", "Ada", "Cleo", "Dora", "Eve", "Finn"]),
        ({"sort": "fewest points"}, ["Cleo", "Dora", "Eve", "Finn", "Ada", "Ben"]),
        ({"assignment": "small", "show": "passed"}, ["Ben"]),
        ({"assignment": "none", "show": "passed"}, []),
    ],
)
def test_the_lines_are_those_that_are_asked_for(table, wanted, names):
    """The filter returns the matching rows in the selected order."""
    assert [line.person.name for line in lines_of(table, CourseFilter(**wanted))] == names


def test_one_assignment_can_be_looked_at(table):
    """A filter by assignment keeps only the column of this assignment."""
    assert [each.name for each in columns_of(table, CourseFilter(assignment="small"))] == ["small"]
    assert columns_of(table, CourseFilter(assignment="none")) == ()
