"""course_extensions.py: extensions for many students at once, the list of all extensions, and their withdrawal."""

import re

import pytest
from courses import course_of
from markupsafe import escape
from services import Service, field, parts, post, upload

from grader.service.db.tables.people import PersonRow

PAGE = "/course/extensions"
DUE = "timezone: Europe/Berlin\ndue: 2026-11-23T14:00\nlate: refused\nattempts: {most: 1}\ncounts: last before due\n"
"""Policies with a due date one hour after the service's noon."""


@pytest.fixture
def service(tmp_path):
    course_of(tmp_path / "course", name="other")
    course = course_of(tmp_path / "course")
    made = Service(tmp_path, course=course, policies=DUE)
    yield made
    made.database.close()


def give(service, students="ada\nBen", assignment="small", **fields):
    fields = {"students": students, "assignment": assignment, "attempts": "", "reason": "power cut", **fields}
    return post(service.browser("staff"), PAGE, PAGE, **fields)


def listed(service, query=""):
    """Return the rows of the list as text."""
    table = re.search("<tbody>(.*?)</tbody>", service.browser("staff").get(PAGE + query).text, re.DOTALL)[1]
    return [" ".join(re.sub("<[^>]*>", " ", row).split()) for row in re.findall("<tr>(.*?)</tr>", table, re.DOTALL)]


def test_many_students_get_more_time_at_several_assignments(service):
    """Students listed by key or name get more time for each chosen assignment. Each extension has a row in the list and
    a line in the audit trail.
    """
    staff = service.browser("staff")
    token = re.search('name="form_token" value="([^"]*)"', staff.get(PAGE).text)[1]
    fields = {"form_token": token, "students": "ADA\r\n\r\nBen\r\nada", "extra": "2 h", "reason": "power cut"}
    said = staff.post(
        PAGE,
        files=[*((name, (None, value)) for name, value in fields.items())]
        + [("assignment", (None, each)) for each in ("small", "other")],
    )
    assert said.headers["location"] == f"{PAGE}?given=4&kept=0"
    assert "4 extensions given." in staff.get(said.headers["location"]).text
    assert len(listed(service)) == 4
    assert all("Mon 23 Nov 2026, 16:00 CET" in line and "power cut" in line for line in listed(service))
    service.passes(hours=2)
    assert upload(service.browser("ada")).status_code == 303
    assert upload(service.browser("ben"), page="/assignments/other").status_code == 303
    trail = staff.get("/course/audit").text
    for key in ("ada", "ben"):
        for name in ("small", "other"):
            assert f"{key}, {name}: extension nothing -&gt; due 2026-11-23 16:00 CET; reason: power cut" in trail


@pytest.mark.whole
def test_the_list_is_filtered_by_student_and_assignment(service):
    """The list can be filtered by student, by assignment or by both."""
    give(service, "ada\nben", attempts="1")
    give(service, "ada", assignment="other", attempts="2")
    assert [line.split()[0] for line in listed(service)] == ["Ada", "Ben", "Ada"]
    assert len(listed(service, "?find=ada")) == 2
    assert len(listed(service, "?assignment=small")) == 2
    assert len(listed(service, "?find=ada&assignment=other")) == 1
    assert listed(service, "?find=nobody") == ["No extension matches."]


def test_the_list_has_pages(service, monkeypatch):
    """A long list is split into pages, and the link to the next page keeps the filter."""
    monkeypatch.setattr("grader.service.grades.decisions.course_extensions.LINES_PER_PAGE", 1)
    give(service, attempts="1")
    first = service.browser("staff").get(f"{PAGE}?assignment=small").text
    following = re.search(r'href="(/course/extensions\?[^"]*before=\d+)"', first)[1].replace("&amp;", "&")
    assert "assignment=small" in following
    assert listed(service, following.removeprefix(PAGE)) != listed(service)


def test_nobody_loses_time_or_attempts(service):
    """A second extension never takes time or attempts away. If it adds nothing, it is counted but not stored."""
    give(service, "ada", until="2026-11-25T14:00")
    assert give(service, until="2026-11-24T14:00").headers["location"].endswith("given=1&kept=1")
    assert give(service, "ada", until="2026-11-24T14:00", attempts="2").headers["location"].endswith("given=1&kept=0")
    (line,) = listed(service, "?find=ada")
    assert "Wed 25 Nov 2026, 14:00 CET 2" in line


def test_a_second_extension_keeps_the_reason_of_the_first(service):
    """A second extension keeps the reason of the first in the list, on the student's page and in the audit trail. A
    repeated reason appears only once.
    """
    give(service, "ada", until="2026-11-25T14:00", reason="ill")
    give(service, "ada", attempts="1", reason="power cut")
    give(service, "ada", attempts="2", reason="ill")
    (line,) = listed(service)
    assert "Wed 25 Nov 2026, 14:00 CET 2 ill; power cut (staff" in line
    assert "2 extra attempts: ill; power cut" in service.browser("ada").get("/assignments/small").text
    trail = service.browser("staff").get("/course/audit").text
    assert "due 2026-11-25 14:00 CET and 1 extra attempt; reason: ill; power cut" in trail


def test_reasons_that_are_too_long_together_leave_the_new_one(service):
    """If two reasons together exceed the limit of the form, the new reason replaces the old one. The old one stays in
    the audit trail.
    """
    give(service, "ada", attempts="1", reason="a" * 300)
    give(service, "ada", attempts="2", reason="b" * 300)
    (line,) = listed(service)
    assert "a" * 300 not in line
    assert "b" * 300 in line
    trail = service.browser("staff").get("/course/audit").text
    assert f"reason: {'a' * 300}" in trail


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"students": " \n", "attempts": "1"}, "List at least one student"),
        ({"students": "ada\nzoe\nx", "attempts": "1"}, "No student has this key or name: zoe, x."),
        ({"students": "staff", "attempts": "1"}, "No student has this key or name: staff."),
        ({"assignment": ""}, "There is no such page"),
        ({}, "This extends nothing"),
        ({"extra": "0 h"}, "This extends nothing"),
        ({"extra": "soon"}, "small: More time is &#39;soon&#39;; write time such as 2 days, 36 h or 90 min."),
        ({"extra": "1 h", "until": "2026-11-24T14:00"}, "choose one of the two"),
        ({"until": "2026-11-23T13:00"}, "small: 2026-11-23 13:00 CET is not after the usual due date"),
        ({"attempts": "101"}, "up to 100"),
        ({"attempts": "1", "reason": " "}, "The reason is empty."),
    ],
)
def test_what_cannot_be_read_is_refused_as_a_whole(service, fields, words):
    """An invalid form is refused as a whole, with the field or line in the message. No student gets an extension."""
    said = give(service, **fields)
    assert said.status_code in {404, 422}
    assert words in said.text
    assert listed(service) == ["No student has an extension."]


def test_a_refused_form_comes_back_as_it_was_filled_in(service):
    """A refused form is shown again with its values and the reason. It can be corrected and sent from there."""
    staff, students = service.browser("staff"), "Ada\n<b>zoe</b>"
    fields = {"students": students, "assignment": "small", "attempts": "2", "reason": 'a "power" cut'}
    said = post(staff, PAGE, PAGE, extra="2 days", until="", **fields)
    assert said.status_code == 422
    assert '<span class="error" id="students-error">Nothing was stored. No student has this' in said.text
    (attributes,) = re.findall(r'<textarea name="students"([^>]*)>', said.text)
    assert 'aria-invalid="true"' in attributes
    assert 'aria-describedby="students-error"' in attributes
    assert re.search(r"<textarea [^>]*>\n(.*?)</textarea>", said.text, re.DOTALL)[1] == escape(students)
    for name, value in (("attempts", "2"), ("extra", "2 days"), ("reason", escape('a "power" cut'))):
        assert re.search(rf'name="{name}" [^>]*value="{value}"', said.text)
    assert re.findall('name="assignment" value="([^"]*)" checked', said.text) == ["small"]
    again = {"form_token": field(said, "form_token"), **fields, "students": "Ada"}
    assert staff.post(PAGE, files=parts(**again)).headers["location"] == f"{PAGE}?given=1&kept=0"


def test_a_name_of_two_students_is_refused_with_their_keys(service):
    """A name that two students share is refused, and the message gives both keys so that the instructor can choose."""
    with service.database.writing() as session:
        session.get_one(PersonRow, service.ben).name = "Ada"
    assert "ADA (ada or ben)" in give(service, "  ADA ", attempts="1").text


@pytest.mark.whole
def test_one_is_withdrawn_after_a_question_that_says_what_becomes_late(service):
    """Before a withdrawal, the page says how many attempts may become late. The withdrawal restores the usual due date
    and has an entry in the audit trail.
    """
    (service.course.assignments.parent / "course.yaml").write_text(DUE.replace("refused", "accepted"))
    give(service, until="2026-11-23T16:00")
    service.passes(hours=2)
    service.hand_in(service.app_state.cache.assignment("small").rules)
    staff = service.browser("staff")
    asks = re.search(r'aria-label="Withdraw the extension of Ada for small" href="([^"]*)"', staff.get(PAGE).text)[1]
    question = staff.get(asks).text
    assert "Withdraw the extension of Ada for small?" in question
    assert "Ada loses this: due 2026-11-23 16:00 CET." in question
    assert "1 attempt that is on time now may become late." in question
    assert post(staff, asks, asks).headers["location"] == PAGE
    assert [line.split()[0] for line in listed(service)] == ["Ben"]
    assert "<b>late</b>" in service.browser("ada").get("/assignments/small").text
    trail = staff.get("/course/audit").text
    assert "ada, small: extension due 2026-11-23 16:00 CET -&gt; nothing; reason: withdrawn on the list" in trail
    assert staff.get(asks).status_code == 404


def test_an_assistant_reads_the_list_and_changes_nothing(service):
    """An assistant sees the list of extensions without the form and the buttons."""
    service.person("tom", "assistant")
    give(service, attempts="1")
    page = service.browser("tom").get(PAGE).text
    assert "power cut" in page
    assert not re.search('method="post" action="/course|Withdraw', page)
