"""course.py: the table of all students and the page of an assignment."""

import re

import pytest
from services import graded, post, visible

from grader.reports.statistics import QUARTILES_FROM
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.submissions.queue import claim, give_up


@pytest.fixture
def staff(service):
    return service.browser("staff")


def test_the_table_shows_whom_the_address_asks_for(service, staff):
    """The table shows the students that match the filter in the address, and the form shows this filter."""
    service.graded(service.hand_in(), graded(service.course, passed=False))
    everybody = staff.get("/course/points").text
    assert ">Ada</a>" in everybody
    assert ">Ben</a>" in everybody
    page = staff.get("/course/points?find=ad&show=partly&assignment=small&sort=most+points").text
    assert ">Ada</a>" in page
    assert ">Ben</a>" not in page
    for words in ('value="ad"', "<option selected>partly", "<option selected>small", "<option selected>most points"):
        assert words in page
    assert "No student matches" in staff.get("/course/points?find=x").text
    assert staff.get("/course/points?show=nonsense").status_code == 404


def test_people_of_one_name_are_told_apart_by_their_keys(service, staff):
    """People who share a name are shown with their keys in the table, the questions, the faults and the changes of a
    regrading. A unique name is shown without the key.
    """
    with service.database.writing() as session:
        session.get_one(PersonRow, service.ben).name = "Ada"
    service.person("cleo", CourseRole.STUDENT)
    attempt = service.graded(service.hand_in())
    post(service.browser("ada"), f"{service.page_of(attempt)}/request", "/", text="Why?")
    order = post(staff, "/course/regrade", "/course", assignment="small", which="all", matching="").headers["location"]
    service.graded(attempt, graded(service.course, passed=False))
    service.hand_in(person=service.ben)
    with service.database.writing() as session:
        give_up(session, claim(session, "one", service.now), "no device", service.now)
    page = staff.get("/course/points").text
    assert all(f">{words}</a>" in page for words in ("Ada (ada)", "Ada (ben)", "Cleo"))
    assert ">Ada (ada), small, attempt 1</a>" in staff.get("/course/requests").text
    assert ">Ada (ben), small, attempt 1</a>" in staff.get("/course/system").text
    assert ">Ada (ada), attempt 1</a>" in staff.get(order).text


def test_the_page_says_in_plain_words_what_it_does(staff):
    """The page explains that its table updates itself, and which attempts a regrading selects."""
    page = staff.get("/course/points").text
    assert "The table updates itself, and the address keeps your filter." in page
    page = staff.get("/course/assignments/small").text
    assert "<label>Attempts of each student <select" in page
    assert "Only those that failed a check with this name or reason (optional) <input" in page


def test_people_with_numbers_are_in_the_order_of_the_numbers(service, staff):
    """The tables of points and of people, and the students with one cause, are sorted by the numbers in names."""
    names = ["Número 1", "Número 2", "Número 10"]
    for number, name in enumerate(reversed(names)):
        person = service.person(f"n{number}", CourseRole.STUDENT)
        with service.database.writing() as session:
            session.get_one(PersonRow, person).name = name
        service.graded(service.hand_in(person=person), graded(service.course, passed=False))
    for page in ("/course/points", "/course/people"):
        assert re.findall(r"Número \d+", visible(staff.get(page))) == names
    causes = staff.get("/course/assignments/small").text
    assert re.findall(r">(Número \d+)</a>", causes) == names


def test_what_is_searched_for_is_text(staff):
    """The text of a search is escaped, so that it cannot add markup."""
    assert "&lt;b&gt;" in staff.get("/course/points", params={"find": "<b>"}).text


def test_an_assignment_in_numbers(service, staff):
    """The page of an assignment shows the distribution of points, the causes of failures with links to their attempts,
    and the counts for each case.
    """
    failed = service.graded(service.hand_in(), graded(service.course, passed=False))
    service.graded(service.hand_in(person=service.ben))
    page = staff.get("/course/assignments/small").text
    assert "2 students: 2 graded, 1 passed every check" in page
    causes, cases = (page.partition(f">{heading}<")[2] for heading in ("Why checks failed", "Case by case"))
    assert f'href="{service.page_of(failed)}">Ada</a>' in causes
    assert "WRONG_OUTPUT" in causes
    assert cases.count('data-name="failed">1<') == 1


@pytest.mark.whole
def test_a_few_students_are_single_points_and_many_are_quartiles(service, staff):
    """Quartiles of a handful of students say little, so the page lists their points instead."""
    service.graded(service.hand_in(), graded(service.course, passed=False))
    service.graded(service.hand_in(person=service.ben))
    page = staff.get("/course/assignments/small").text
    assert "Per cent of the points, for each student: 66.67, 100." in page
    assert "median" not in page
    for number in range(QUARTILES_FROM - 2):
        service.graded(service.hand_in(person=service.person(f"s{number}", CourseRole.STUDENT)))
    page = staff.get("/course/assignments/small").text
    assert "the median is 100 %" in page
    assert "for each student" not in page
    assert f'<th scope="row">100 % or more</th><td>{QUARTILES_FROM - 1}</td>' in page


def test_points_by_hand_are_no_failed_check(service, staff):
    """A student with points by hand and no graded attempt has failed no check, and is counted as graded by hand."""
    page = f"/course/people/{service.ada}/assignments/small"
    post(staff, f"{page}/decision", page, points="7", comment="oral exam")
    numbers = staff.get("/course/assignments/small").text
    assert "2 students: 1 graded, 1 of them by hand without a graded attempt, 0 passed every check" in numbers
    assert "Failed checks" not in numbers
    service.graded(service.hand_in(person=service.ben), graded(service.course, passed=False))
    failing = staff.get("/course/assignments/small").text.partition("Failed checks</h2>")[2]
    assert '<th scope="row">build</th>' not in failing
    assert 'data-name="failed">1 <span class="quiet">(100 %)' in failing


def test_an_assignment_of_which_nothing_is_graded(service, staff):
    """An assignment without graded attempts also has a page of numbers."""
    service.hand_in()
    page = staff.get("/course/assignments/small").text
    assert "0 graded" in page
    assert "1 not graded yet" in page
    assert "Nothing has been graded yet" in page
