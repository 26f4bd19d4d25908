"""views.py: the status of a student at an assignment says what counts, what is left, and what handing in would cost."""

import re

import pytest
from final_grades import DUE, handed_in, opened
from open_service import driving, errors
from open_service import opened as opened_in_browser
from services import Service, graded, post

from grader.service.course.groups import history
from grader.service.db.tables.submissions import AttemptRow
from grader.service.grades.overview import course_table
from grader.service.grades.views import StatusRequest, deduction_of, faulted, next_of, points_chart, statuses_of
from grader.service.grades.visibility import STUDENT_ACCESS
from grader.service.submissions.queue import give_up


@pytest.fixture
def service(tmp_path):
    """Return a service for an assignment with two attempts, of which the best counts. It was due at noon."""
    made = opened(tmp_path, f"{DUE}late: {{percent: 10}}\nattempts: {{most: 2}}\ncounts: best\n")
    yield made
    made.database.close()


def status(service, person):
    with service.database.reading() as session:
        asked = StatusRequest(person_id=person, access=STUDENT_ACCESS, now=service.now)
        (found,) = statuses_of(session, service.app_state.cache.all(), asked)
        return found


def test_a_status_follows_the_attempts_of_a_student(service):
    """The best attempt counts. Each attempt uses up one of two, and a late one would cost points."""
    first = status(service, service.ada)
    assert (first.left, first.refusal, first.counting, first.max_points) == (2, "", None, None)
    assert first.hand_in_cost(service.now) == "on time; 2 of 2 attempts left"
    best = handed_in(service, 12.0)
    service.passes(hours=1)
    second = status(service, service.ada)
    assert (second.counting.id, second.max_points, second.may_gain, second.late) == (best, 15, True, True)
    assert second.hand_in_cost(service.now) == "1 day late: 10 % off; 1 of 2 attempts left"
    handed_in(service, 12.0)
    last = status(service, service.ada)
    assert [(each.number, last.is_late(each), last.deduction(each)) for each in last.attempts] == [
        (2, True, "10.8 = 12 less 10 % for 1 day late"),
        (1, False, ""),
    ]
    assert (last.counting.id, last.left, last.may_gain) == (best, 0, False)
    assert "used all of your 2 attempts" in last.refusal
    assert status(service, service.ben).attempts == ()


def test_the_deduction_of_each_late_attempt_is_explained(service):
    """The page of a late attempt explains its deduction even if another attempt counts. The page of a trial run
    does not.
    """
    numbers = [handed_in(service, 12.0)]
    service.passes(hours=1)
    numbers += [handed_in(service, 9.0), handed_in(service, 9.0, person=service.staff)]
    with service.database.reading() as session:
        words = [
            deduction_of(session, service.app_state.cache.all(), session.get_one(AttemptRow, each), STUDENT_ACCESS)
            for each in numbers
        ]
    late = "8.1 = 9 less 10 % for 1 day late. The report shows the points before this deduction."
    assert words == ["", late, ""]


def test_the_table_has_each_student_with_what_counts(service):
    """The table has a line for each student and none for staff, with the attempt that counts, if there is one."""
    number = handed_in(service, 12.0)
    handed_in(service, 3.0, person=service.staff)
    page = f"/course/people/{service.ben}/assignments/small"
    post(service.browser("staff"), f"{page}/decision", page, points="7", comment="so")
    with service.database.reading() as session:
        table = course_table(session, service.app_state.cache.all())
    lines = [(each.person.key, each.grades["small"].points, each.counting["small"]) for each in table.lines]
    assert [(key, points, attempt and attempt.id) for key, points, attempt in lines] == [
        ("ada", 12, number),
        ("ben", 7, None),
    ]


def test_a_fault_is_listed_until_the_attempt_is_graded_again(service):
    """Gradings that ended with a fault are listed, the latest first, until their attempt is graded again."""

    def listed():
        with service.database.reading() as session:
            return [each.attempt_id for each in faulted(session)]

    attempts = [service.hand_in(person=person) for person in (service.ada, service.ben)]
    for _ in attempts:
        claimed = service.claim()
        with service.database.writing() as session:
            give_up(session, claimed, "no device", service.now)
    assert listed() == attempts[::-1]
    service.regrade(attempts[0])
    assert listed() == attempts[1:]


def test_the_next_assignment_is_the_one_that_is_due_first(tmp_path):
    """A student should work next on the open assignment that is due first and can still gain points. One that is late
    comes last.
    """
    made = opened(tmp_path, "attempts: {most: 20}\n", ("small", "early", "late", "later"))
    dues = {"small": "2026-11-24", "early": "2026-11-25", "late": "2026-11-22", "later": "2026-11-26"}
    for name, day in dues.items():
        path = made.course.assignments / name / "assignment.yaml"
        path.write_text(f"{path.read_text()}\ndue: {day}T12:00:00+00:00\n")
    handed_in(made, 15.0)
    with made.database.reading() as session:
        asked = StatusRequest(person_id=made.ada, access=STUDENT_ACCESS, now=made.now)
        statuses = statuses_of(session, made.app_state.cache.all(), asked)
    by_name = {each.assignment.name: each for each in statuses}
    assert next_of(statuses).assignment.name == "early"
    assert next_of([by_name["late"], by_name["later"]]).assignment.name == "later"
    assert next_of([by_name["small"], by_name["late"]]).assignment.name == "late"
    assert next_of([by_name["small"]]) is None
    made.database.close()


def attempts(service):
    with service.database.reading() as session:
        return history(session, service.ada, "small")


def test_two_results_make_a_figure_of_the_points_that_students_see(service):
    """From two results on, there is a chart of the visible points in the order of attempts. Attempts without a result
    are left out.
    """
    service.graded(service.hand_in(), graded(service.course, passed=False))
    assert points_chart(attempts(service)) is None
    service.hand_in()  # superseded by the next attempt
    service.graded(service.hand_in())
    chart = points_chart(attempts(service))
    assert [(each.number, each.points) for each in chart.points] == [(1, 10), (3, 15)]
    assert (chart.points[0].x, chart.points[1].x) == (chart.left, chart.right)
    assert chart.points[1].y == chart.top < chart.points[0].y < chart.bottom


def test_the_page_has_the_figure_in_words_too(service):
    """The page also describes the chart in words for screen readers."""
    service.graded(service.hand_in(), graded(service.course, passed=False))
    service.graded(service.hand_in())
    page = service.browser("ada").get("/assignments/small").text
    assert re.search(r'role="img" aria-label="Points by attempt, out of 15: 10, 15\.', page)


@pytest.mark.whole
def test_a_date_stands_in_the_readers_own_zone_beside_the_courses(tmp_path, browser):
    """If the reader's time zone differs from the course's, a date is also shown in the reader's."""
    policies = "timezone: Europe/Berlin\ndue: 2026-12-01T23:59\n"
    with opened_in_browser(tmp_path, policies=policies) as service, driving(browser, service, "ada") as driven:
        for zone, words in (("Asia/Tokyo", "Wed 02 Dec, 07:59 your time"), ("Europe/Berlin", None)):
            driven.ask("Emulation.setTimezoneOverride", timezoneId=zone)
            driven.open(f"{service.origin}/assignments/small")
            text = driven.say("document.querySelector('.facts dd').innerText")
            assert "Tue 01 Dec 2026, 23:59 CET" in text
            assert ("your time" in text) is (words is not None)
            # Newer versions of Chromium write a comma after the weekday.
            assert words is None or words in text.replace("Wed,", "Wed")
        assert errors(driven) == []


def test_without_a_date_nothing_is_said(tmp_path):
    """Without a due date, the page does not show a time in either zone."""
    service = Service(tmp_path)
    assert "data-own" not in service.browser("ada").get("/assignments/small").text
