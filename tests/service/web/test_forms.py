"""forms.py: a form with a mistake is shown again with the entered values and a message at the field."""

import re
from html import unescape

import pytest
from services import graded, post
from sign_in_methods import with_passwords

STUDENT = "/course/people/1/assignments/small"

MISTAKES = {
    "a name": ("/tokens", "/tokens", {"name": "", "read": "yes", "days": "7"}, "name", "The name is empty."),
    "permissions": ("/tokens", "/tokens", {"name": "laptop", "days": "7"}, "scopes", "Tick at least one."),
    "days": (
        "/tokens",
        "/tokens",
        {"name": "laptop", "read": "yes", "days": "8"},
        "days",
        "'8' is not a valid lifetime in days",
    ),
    "a key": (
        "/course/people",
        "/course/people",
        {"key": "ADA", "name": "X"},
        "key",
        "The key ADA belongs to Ada (ada).",
    ),
    "a roster": ("/course/people", "/course/people/roster", {"file": ("r.csv", b"who\nx\n")}, "file", "key and name"),
    "no roster": ("/course/people", "/course/people/roster", {}, "file", "No file was chosen."),
    "a changed key": (
        "/course/people/1/edit",
        "/course/people/1/edit",
        {"key": "ben", "name": "Ada", "role": "student"},
        "key",
        "The key ben belongs to Ben (ben).",
    ),
    "an answer": ("/course/requests", "/course/requests/1/answer", {"answer": " "}, "answer", "The answer is empty."),
    "more time": (
        "/course/extensions",
        "/course/extensions",
        {"students": "ada", "assignment": "small", "extra": "soon", "reason": "ill"},
        "extra",
        "'soon'; write time such as 2 days",
    ),
    "a date": (
        STUDENT,
        f"{STUDENT}/extension",
        {"until": "32.13.2026", "attempts": "1", "reason": "ill"},
        "until",
        "'32.13.2026' is not a date with a time; write one such as 2026-12-01T23:59",
    ),
    "a number": (
        STUDENT,
        f"{STUDENT}/extension",
        {"until": "", "attempts": "two", "reason": "ill"},
        "attempts",
        "'two' is not a number of extra attempts; write a whole number up to 100.",
    ),
    "points": (STUDENT, f"{STUDENT}/decision", {"points": "many", "comment": "so"}, "points", "'many' is not a number"),
    "an arrival": (
        f"{STUDENT}/hand-in",
        f"{STUDENT}/attempts",
        {"file": ("kernels.cl", b"kernel"), "arrived": "yesterday", "reason": "mail", "form_key": "one"},
        "arrived",
        "'yesterday' is not a date",
    ),
    "a selection": (
        "/course/assignments/small",
        "/course/regrade",
        {"assignment": "small", "which": "all", "matching": "NO_SUCH_REASON"},
        "matching",
        "",
    ),
    "no sheet": ("/course/exports", "/course/exports", {"kind": "moodle.zip"}, "file", "No file was chosen."),
    "a code": ("/device", "/device", {"code": "XXXX", "answer": "allow"}, "code", ""),
}
"""For each mistake: the page, the address, the fields, the field with the mistake, and words in its message."""

NOT_SHOWN = {"8", "allow", "one"}
"""Values that the page does not show again: a choice that its list does not have, a button, and the form key, which is
new on each page.
"""


@pytest.fixture
def asked(service):
    """Return a service in which Ada has a graded attempt, has asked a question about it, and may hand in
    until a date.
    """
    policies = "timezone: Europe/Berlin\ndue: 2026-12-01T23:59\nattempts: {most: 20}\n"
    (service.course.assignments.parent / "course.yaml").write_text(policies)
    attempt = service.graded(service.hand_in(), graded(service.course, passed=False))
    post(service.browser("ada"), f"{service.page_of(attempt)}/request", text="Why?")
    return service


def tag(page, field):
    """Return the attributes of the field to which an error message belongs."""
    (found,) = re.findall(rf'<(?:input|select|textarea)([^>]* aria-describedby="{field}-error[^>]*)>', page)
    return found


@pytest.mark.sampled
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said_at_its_field_and_the_form_keeps_what_was_entered(asked, name):
    """The answer has status 422, the entered values, and exactly one message, to which the field refers."""
    form, address, fields, wrong, words = MISTAKES[name]
    said = post(asked.browser("staff"), address, form, **fields)
    assert said.status_code == 422
    (message,) = re.findall(r'<span class="error" id="([^"]+)">(.*?)</span>', said.text)
    assert message[0] == f"{wrong}-error"
    assert words in unescape(message[1])
    assert 'aria-invalid="true"' in tag(said.text, wrong)
    for each in {each for each in fields.values() if isinstance(each, str) and each.strip()} - NOT_SHOWN:
        assert re.search(rf'(value="{re.escape(each)}"|>\n?{re.escape(each)}</)', said.text), each


OF_AN_ATTEMPT = {
    "no reason": ("staff", "/course{}/exclusion", {"reason": " "}, "reason", "The reason is empty."),
    "no question": ("ben", "{}/request", {"text": " "}, "text", "The question is empty."),
    "a second question": ("ben", "{}/request", {"text": "Again?"}, "text", "You have already asked about this attempt"),
}
"""For each mistake on the page of an attempt: the person, the address, the fields, the field with the mistake, and
words in its message.
"""


@pytest.mark.parametrize("name", OF_AN_ATTEMPT)
def test_a_mistake_in_a_form_of_an_attempt_is_said_on_its_page(service, name):
    """The answer is the attempt's page with status 422, the entered values, and the message at its field."""
    key, address, fields, wrong, words = OF_AN_ATTEMPT[name]
    page = service.page_of(service.graded(service.hand_in(person=service.ben)))
    if "second" in name:
        post(service.browser("ben"), f"{page}/request", page, text="Why?")
    said = post(service.browser(key), address.format(page), page, **fields)
    assert said.status_code == 422
    assert f'<span class="error" id="{wrong}-error">{words}' in said.text
    assert 'aria-invalid="true"' in tag(said.text, wrong)
    assert "<h1>Attempt 1</h1>" in said.text
    assert (fields[wrong].strip() in said.text) is True
    assert ("<details open>" in said.text) is (key == "ben")


@pytest.mark.whole
@pytest.mark.parametrize(("address", "fields"), [("extension", {"reason": ""}), ("decision", {"points": "many"})])
def test_a_mistake_about_a_student_is_said_on_the_page_of_the_assignment(asked, address, fields):
    """A mistake in an extension or in points by hand is shown on the page that has the form, with the attempts."""
    said = post(asked.browser("staff"), f"{STUDENT}/{address}", STUDENT, **fields)
    assert said.status_code == 422
    assert ("Nothing was stored" in said.text, '<h2 id="attempts">Attempts</h2>' in said.text) == (False, True)


@pytest.mark.whole
def test_a_form_without_a_mistake_has_no_message(asked):
    """A page that is opened without sending a form has no message and no field that is marked as invalid."""
    staff = asked.browser("staff")
    for form in {form for form, *_ in MISTAKES.values()}:
        page = staff.get(form)
        assert page.status_code == 200
        assert 'class="error"' not in page.text
        assert "aria-invalid" not in page.text


def test_a_password_is_never_sent_back(service):
    """After a mistake, password fields are empty, and the message is shown at the field."""
    with_passwords(service)
    said = post(service.browser("ada"), "/password", "/password", password="short", again="short")
    assert said.status_code == 422
    assert 'id="password-error">This password has 5 characters.' in said.text
    assert 'value="short"' not in said.text


def test_what_was_entered_is_text(service):
    """Entered values and messages cannot add markup to the page."""
    fields = {"key": '"><b>', "name": "<i>", "role": "<u>"}
    said = post(service.browser("staff"), "/course/people", "/course/people", **fields)
    assert said.status_code == 422
    assert not {"<b>", "<i>", "<u>"} & set(re.findall("<[biu]>", said.text))
