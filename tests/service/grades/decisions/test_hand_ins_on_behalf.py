"""hand_ins_on_behalf.py, and its routes in web/routes/staff/: an instructor hands in a file on behalf of a student."""

import re

import pytest
from services import SOURCE, Service, field, graded, parts, upload

PAGE = "/course/people/{}/assignments/small"
DUE = "timezone: Europe/Berlin\ndue: 2026-11-23T14:00\nlate: refused\nattempts: {most: 1}\ncounts: last\n"
"""Policies with a due date one hour after the service's noon."""


@pytest.fixture
def service(tmp_path):
    made = Service(tmp_path, policies=DUE)
    yield made
    made.database.close()


def enter(service, data=SOURCE, person=None, **fields):
    staff, page = service.browser("staff"), PAGE.format(person or service.ada)
    shown = staff.get(f"{page}/hand-in")
    hidden = {name: field(shown, name) for name in ("form_token", "form_key")}
    fields = {**hidden, "arrived": "", "reason": "came by mail", **fields}
    return staff.post(f"{page}/attempts", files=parts(**fields, file=("mine.cl", data)))


def stored(service, said):
    """Return the student's page of the attempt and its record in the API."""
    path = said.headers["location"]
    bearer = {"authorization": f"Bearer {service.token(service.ada, 'read')}"}
    told = service.browser().get(f"/api/v1{path}", headers=bearer).json()
    return service.browser("ada").get(path).text, told


def test_a_file_that_came_by_mail_is_an_attempt_in_time(service):
    """A mailed file becomes an attempt with the time of arrival that the instructor states, even if the assignment has
    closed. Its page shows who handed it in, and the audit trail has the reason.
    """
    service.passes(hours=3)
    assert "closed" in upload(service.browser("ada")).text
    page, told = stored(service, enter(service, arrived="2026-11-23T13:30"))
    assert "Received <time" in page
    assert "Mon 23 Nov 2026, 13:30 CET" in page
    assert "<b>late</b>" not in page
    assert re.search("Handed in by staff for Ada, <time[^>]*>Mon 23 Nov 2026, 16:00 CET</time>: came by mail", page)
    assert (told["late"], told["handed_in_by"], told["state"]) == (False, "staff", "waiting")
    assert "<small>by staff</small>" in service.browser("ada").get("/assignments/small").text
    trail = service.browser("staff").get("/course/audit").text
    assert "ada, small, attempt 1: handed in for ada, arrived 2026-11-23 13:30 CET; reason: came by mail" in trail


def test_without_a_time_it_arrives_now_and_may_be_late(service):
    """Without a stated time, the file arrives now and may be late. A closed assignment does not stop an instructor."""
    service.passes(hours=3)
    page, told = stored(service, enter(service))
    assert "Mon 23 Nov 2026, 16:00 CET" in page
    assert "<b>late</b>" in page
    assert told["late"]


@pytest.mark.whole
def test_limits_stop_a_student_and_no_instructor(service):
    """The limit of attempts stops a student but not an instructor. Attempts from an instructor are never superseded."""
    assert enter(service).status_code == 303
    assert "used all of your 1 attempt" in upload(service.browser("ada"), SOURCE * 2).text
    for number in range(1, 9):
        assert enter(service, SOURCE + b"\n" * number).status_code == 303
    assert [service.state(number) for number in range(1, 10)] == ["waiting"] * 9


def test_the_last_attempt_is_the_last_to_arrive(service):
    """The last attempt is the one that arrived last, even if an earlier one was stored later."""
    service.passes(minutes=50)
    first = service.graded(service.hand_in(), graded(service.course))
    earlier = enter(service, SOURCE * 2, arrived="2026-11-23T13:20")
    service.finish(service.claim(), graded(service.course, passed=False))
    page = service.browser("ada").get("/assignments/small").text
    counts = re.search(r'<a href="(/attempts/[^"]*)">Attempt \d</a> <b>counts</b>', page)[1]
    assert counts == service.page_of(first) != earlier.headers["location"]


@pytest.mark.whole
def test_a_second_click_stores_nothing(service):
    """If a form is sent twice with one file, only one attempt is stored. With another file, it makes
    another attempt.
    """
    said = [enter(service, data, form_key="one").headers["location"] for data in (SOURCE, SOURCE, SOURCE * 2)]
    assert said[0] == said[1] != said[2]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"reason": " "}, "The reason is empty."),
        ({"arrived": "2026-11-23T13:01"}, "in the future; it is now 2026-11-23 13:00 CET"),
        ({"arrived": "yesterday"}, "The time of arrival cannot be read"),
        ({"data": b"PK\x03\x04"}, "zip"),
        ({"data": b""}, "empty"),
        ({"form_key": ""}, "does not belong to this assignment"),
    ],
)
def test_what_cannot_be_an_attempt_is_refused(service, fields, words):
    """An invalid file, time, reason or form key is refused, and nothing is stored."""
    said = enter(service, **fields)
    assert (said.status_code, words in said.text) == (409 if "form_key" in fields else 422, True)
    assert "No attempts yet." in service.browser("ada").get("/assignments/small").text


@pytest.mark.whole
def test_the_members_of_a_group_share_it(tmp_path):
    """A file that an instructor hands in counts for all members of the student's group."""
    service = Service(tmp_path, policies="groups: 2\nattempts: {most: 20}\n")
    roster = b"key,name,group\nada,Ada,one\nben,Ben,one\n"
    staff = service.browser("staff")
    token = field(staff.get("/course/people"), "form_token")
    staff.post("/course/people/roster", files=parts(form_token=token, file=("r.csv", roster)))
    path = enter(service).headers["location"]
    assert "Handed in by staff" in service.browser("ben").get(path).text
    service.database.close()


def test_assistants_and_trial_runs_have_no_form(service):
    """Assistants do not have this form, because they cannot change grades. Staff do not have it for themselves, because
    they can simply hand in.
    """
    service.person("tom", "assistant")
    assert "Hand in for" not in service.browser("tom").get(PAGE.format(service.ada)).text
    staff = service.browser("staff")
    assert "Hand in for Ada" in staff.get(PAGE.format(service.ada)).text
    assert "Hand in for" not in staff.get(PAGE.format(service.staff)).text
    assert "not a student" in staff.get(f"{PAGE.format(service.staff)}/hand-in").text
