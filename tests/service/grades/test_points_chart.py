"""points_chart.py and times.js: students see a chart of their points by attempt, and dates in their own time zone."""

import re

import pytest
from open_service import driving, errors, opened
from services import Service, graded

from grader.service.grades.points_chart import points_chart
from grader.service.submissions.history import history


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
    with opened(tmp_path, policies=policies) as service, driving(browser, service, "ada") as driven:
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
