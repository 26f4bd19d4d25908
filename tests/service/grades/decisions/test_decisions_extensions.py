"""extensions.py and its pages: an extension takes effect at once, and for one student only."""

import re
from datetime import timedelta

import pytest
from services import NOON, Service, graded, post, upload

PAGE = "/course/people/{}/assignments/small"
DUE = "timezone: Europe/Berlin\ndue: 2026-11-23T14:00\nlate: refused\nattempts: {most: 1}\ncounts: last before due\n"
"""Policies with a due date one hour after the service's noon."""


@pytest.fixture
def service(tmp_path):
    made = Service(tmp_path, policies=DUE)
    yield made
    made.database.close()


def give(service, person, **fields):
    page = PAGE.format(person)
    fields = {"until": "", "attempts": "0", "reason": "ill", **fields}
    return post(service.browser("staff"), f"{page}/extension", page, **fields)


def test_a_later_date_opens_the_assignment_for_that_student_alone(service):
    """With a later date, the student can hand in until then. Another student is still refused."""
    service.passes(hours=2)
    assert "closed" in upload(service.browser("ada")).text
    assert give(service, service.ada, until="2026-11-23T16:00").status_code == 303
    assert upload(service.browser("ada")).status_code == 303
    assert "closed" in upload(service.browser("ben")).text
    service.passes(hours=2)
    assert "closed" in upload(service.browser("ada")).text


@pytest.mark.whole
def test_what_was_late_when_it_came_is_in_time_by_a_later_date(tmp_path):
    """An extension makes a late attempt count as on time on all pages and in all lists, which ignore the
    stored flag.
    """
    service = Service(tmp_path, policies=DUE.replace("refused", "accepted"))
    ada, staff = service.browser("ada"), service.browser("staff")
    service.passes(hours=2)
    attempt = service.graded(service.hand_in(service.app_state.cache.assignment("small").rules), graded(service.course))
    places = [(ada, "/assignments/small"), (ada, service.page_of(attempt)), (staff, "/course/points")]
    assert all(re.search("late</(b|small)>", who.get(where).text) for who, where in places)
    assert ",late" in staff.get("/course/points.csv").text
    give(service, service.ada, until="2026-11-23T16:00")
    assert not any(re.search("late</(b|small)>", who.get(where).text) for who, where in places)
    assert ",late" not in staff.get("/course/points.csv").text.splitlines()[1]
    assert service.attempt(attempt).late
    bearer = {"authorization": f"Bearer {service.token(service.ada, 'read')}"}
    (told,) = service.browser().get("/api/v1/assignments/small/attempts", headers=bearer).json()
    assert told["late"] is False
    service.database.close()


def test_more_attempts_are_for_one_student(service):
    """With one extra attempt, a student can hand in exactly once more. Other students cannot."""
    for key in ("ada", "ben"):
        assert upload(service.browser(key)).status_code == 303
        service.finish(service.claim())
    give(service, service.ada, attempts="1")
    assert "used all of your 1 attempt" in upload(service.browser("ben")).text
    assert upload(service.browser("ada")).status_code == 303
    service.finish(service.claim())
    assert "used all of your 2 attempts" in upload(service.browser("ada")).text


@pytest.mark.whole
def test_the_student_reads_until_when_and_why_and_the_trail_who(service):
    """The student sees the new date and the reason, which is escaped. Other students see neither. The audit trail
    records the extension.
    """
    give(service, service.ada, until="2026-11-24T14:00", attempts="2", reason="ill <b>")
    page = service.browser("ada").get("/assignments/small").text
    assert "Tue 24 Nov 2026, 14:00 CET" in page
    assert "2 extra attempts" in page
    assert "ill &lt;b&gt;" in page
    assert "(extended)" in service.browser("ada").get("/").text
    assert "Extended" not in service.browser("ben").get("/assignments/small").text
    trail = service.browser("staff").get("/course/audit").text
    assert "extension nothing -&gt; due 2026-11-24 14:00 CET and 2 extra attempts; reason: ill" in trail


def test_an_extension_is_replaced_and_taken_back(service):
    """A new extension replaces the previous one, and an empty form withdraws it. The audit trail keeps every change."""
    give(service, service.ada, attempts="5")
    give(service, service.ada, attempts="2")
    page = service.browser("ada").get("/assignments/small").text
    assert "2 extra attempts" in page
    assert "5 extra attempts" not in page
    give(service, service.ada)
    assert "Extended" not in service.browser("ada").get("/assignments/small").text
    trail = service.browser("staff").get("/course/audit").text
    assert "5 extra attempts -&gt; 2 extra attempts" in trail
    assert "2 extra attempts -&gt; nothing" in trail


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "extends nothing"),
        ({"until": "2026-11-23T14:00"}, "not after the usual due date"),
        ({"until": "tomorrow"}, "not a date with a time"),
        ({"attempts": "-1"}, "up to 100"),
        ({"attempts": "101"}, "up to 100"),
        ({"attempts": "1", "reason": " "}, "The reason is empty."),
        ({"attempts": "1", "reason": "x" * 501}, "500 characters"),
    ],
)
def test_what_extends_nothing_or_cannot_be_read_is_refused(service, fields, words):
    """An extension that is invalid or does not extend anything is refused, and nothing changes."""
    said = give(service, service.ada, **fields)
    assert said.status_code == 422
    assert words in said.text
    assert "extension" not in service.browser("staff").get("/course/audit").text


def test_there_is_no_date_to_extend_where_there_is_none(tmp_path):
    """Without a due date there is no date to extend, and without a limit there are no attempts to add."""
    service = Service(tmp_path, policies="counts: best\n")
    assert "no due date" in give(service, service.ada, until="2026-12-01T14:00").text
    assert "no limit of attempts" in give(service, service.ada, attempts="1").text
    service.database.close()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("policies", "fields", "words"),
    [
        (DUE, ["until", "attempts"], "To withdraw it, clear the date and set the extra attempts to 0."),
        ("due: 2026-12-01T12:00Z\n", ["until"], "To withdraw it, clear the date."),
        ("attempts: {most: 1}\n", ["attempts"], "To withdraw it, set the extra attempts to 0."),
        ("counts: best\n", [], "no due date and no limit of attempts, so there is nothing to extend."),
    ],
    ids=["both", "date", "attempts", "nothing"],
)
def test_the_form_asks_for_what_can_be_extended(tmp_path, policies, fields, words):
    """The form has only the fields that can be extended, and explains how to withdraw an extension. If nothing can be
    extended, there is no form.
    """
    service = Service(tmp_path, policies=policies)
    page = service.browser("staff").get(PAGE.format(service.ada)).text
    assert (re.findall('name="(until|attempts)"', page), words in page) == (fields, True)
    assert ("/extension" in page) is bool(fields)
    assert "To undo a decision, leave the points empty and save." in page
    service.database.close()


def test_an_extension_can_be_withdrawn_when_the_course_has_lost_its_date(tmp_path):
    """If the course removes its due date, an existing extension can still be withdrawn. After that, the form
    disappears.
    """
    service = Service(tmp_path, policies=DUE)
    give(service, service.ada, until="2026-11-24T14:00")
    (service.course.assignments.parent / "course.yaml").write_text("counts: best\n")
    page = service.browser("staff").get(PAGE.format(service.ada)).text
    assert re.findall('name="(until|attempts)"', page) == ["until"]
    assert give(service, service.ada).status_code == 303
    assert "/extension" not in service.browser("staff").get(PAGE.format(service.ada)).text
    service.database.close()


@pytest.mark.whole
def test_a_late_one_supersedes_none_in_time_by_the_dates_of_the_student(tmp_path):
    """A newer attempt supersedes a waiting one if both are on time because of the student's extension."""
    service = Service(tmp_path, policies=DUE.replace("refused", "accepted").replace("most: 1", "most: 9"))
    first = service.hand_in(service.app_state.cache.assignment("small").rules)
    give(service, service.ada, until="2026-11-23T16:00")
    service.now = NOON + timedelta(hours=2)
    assert upload(service.browser("ada")).status_code == 303
    assert service.state(first) == "superseded"
    assert upload(service.browser("ada")).status_code == 303
    service.database.close()
