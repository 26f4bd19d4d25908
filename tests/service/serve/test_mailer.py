"""outbox.py, mailer.py and mail_choices.py: students get one mail per event, without points and only of the kinds that
they want.
"""

import time
from dataclasses import replace
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from types import SimpleNamespace

import pytest
from processes import wait_for
from services import Service, field, graded, parts, post
from sqlalchemy import select

from grader.service.db.tables.outbox import MailRow
from grader.service.db.tables.people import PersonRow
from grader.service.serve import notifier
from grader.service.serve.mailer import RETRY_AFTER, STORAGE_PERIOD, send_due
from grader.service.serve.notifier import mail_thread


@pytest.fixture
def attempt(service):
    """Return a graded attempt by Ada. A mail about it is due."""
    return service.graded(service.hand_in(), graded(service.course))


def sent(service, send=None, domain="example.org"):
    """Send the mails that are due now, and return them."""
    taken = []
    mail = SimpleNamespace(send=send or taken.append, sender="course@example.org", domain=domain)
    send_due(service.database, service.origin, mail, service.now)
    return taken


def with_mail(service):
    """Make the service behave as if mail were configured."""
    entry = replace(service.app_state.sign_in, mail=SimpleNamespace(ask=lambda _who: None))
    service.app.state.app_state = replace(service.app_state, sign_in=entry)


def words(mails):
    return [(each["To"], each["Subject"]) for each in mails]


def test_a_graded_attempt_is_told_once_without_points(service, attempt):
    """A graded attempt leads to exactly one mail. The mail contains no points, but the addresses of the attempt's page
    and of the mail settings.
    """
    (mail,) = sent(service)
    assert words([mail]) == [("ada@example.org", "Your attempt at small was graded")]
    text = mail.get_content()
    assert f"{service.origin}{service.page_of(attempt)}\n" in text
    assert f"{service.origin}/mails\n" in text
    assert "points" not in text
    assert "15" not in text.replace(service.attempt(attempt).public, "")
    service.passes(hours=1)
    assert sent(service) == []


def test_an_extension_of_one_is_told_to_the_group(tmp_path):
    """An extension for one member of a group is announced to all members, because it also applies to them."""
    service = Service(tmp_path, policies="timezone: Europe/Berlin\ngroups: 2\nattempts: {most: 2}\n")
    with service.database.writing() as session:
        for number in (service.ada, service.ben):
            session.get_one(PersonRow, number).team = "7"
    extension = {"students": "ben", "assignment": "small", "attempts": "1", "reason": "ill"}
    post(service.browser("staff"), "/course/extensions", "/course/extensions", **extension)
    assert words(sent(service)) == [(f"{key}@example.org", "You have an extension for small") for key in ("ada", "ben")]
    service.database.close()


def test_each_event_has_its_mail(service, attempt):
    """A regrading, an answer and an extension each lead to one mail without points. Trial runs of staff
    lead to none.
    """
    sent(service)
    service.regrade(attempt)
    service.graded(attempt, graded(service.course, passed=False))
    page = service.page_of(attempt)
    post(service.browser("ada"), f"{page}/request", page, text="Why?")
    post(service.browser("staff"), "/course/requests/1/answer", "/course/requests", answer="6.5 points are right.")
    extension = {"students": "ben", "assignment": "small", "attempts": "1", "reason": "ill"}
    post(service.browser("staff"), "/course/extensions", "/course/extensions", **extension)
    service.graded(service.hand_in(person=service.staff), graded(service.course))
    mails = sent(service)
    assert words(mails) == [
        ("ada@example.org", "Your attempt at small was graded again"),
        ("ada@example.org", "Your question about small was answered"),
        ("ben@example.org", "You have an extension for small"),
    ]
    assert not any("6.5" in each.get_content() for each in mails)


def test_the_mail_of_a_result_that_is_held_back_is_the_same(service):
    """A held-back result leads to the usual mail, because mails never contain results."""
    hold = "/course/assignments/small/hold"
    post(service.browser("staff"), hold, hold)
    service.graded(service.hand_in(), graded(service.course, passed=False))
    (mail,) = sent(service)
    assert mail["Subject"] == "Your attempt at small was graded"
    assert "fail" not in mail.get_content()


def test_a_student_switches_kinds_off_and_on(service):
    """A student can switch each kind of mail off and on. At first, all kinds are on. The choice does not affect other
    students.
    """
    with_mail(service)
    ada = service.browser("ada")
    assert ada.get("/mails").text.count(" checked>") == 4
    assert 'href="/mails"' in ada.get("/data").text
    token = field(ada.get("/mails"), "form_token")
    assert ada.post("/mails", files=parts(form_token=token, kind="answered")).status_code == 303
    assert ada.get("/mails").text.count(" checked>") == 1
    service.graded(service.hand_in(), graded(service.course))
    service.graded(service.hand_in(person=service.ben), graded(service.course))
    assert [each["To"] for each in sent(service)] == ["ben@example.org"]


def test_without_mail_there_is_no_page(service):
    """If no mail is configured, the page of mail settings does not exist and is not linked."""
    ada = service.browser("ada")
    assert ada.get("/mails").status_code == 404
    assert "/mails" not in ada.get("/data").text


@pytest.mark.usefixtures("attempt")
def test_a_deactivated_person_gets_no_mail(service):
    """A deactivated person gets no mail. The event stays in the outbox until it expires."""
    with service.database.writing() as session:
        session.get_one(PersonRow, service.ada).deactivated = service.now
    assert sent(service) == []


@pytest.mark.usefixtures("attempt")
def test_a_server_that_fails_is_tried_again_and_stops_nothing(service):
    """A mail that could not be sent is tried again every five minutes for a day. It does not delay other mails."""
    service.graded(service.hand_in(person=service.ben), graded(service.course))
    taken = []

    def breaks(mail):
        if mail["To"] == "ada@example.org":
            raise SMTPServerDisconnected("secret address")
        taken.append(mail)

    with pytest.raises(OSError, match=r"^SMTPServerDisconnected$"):
        sent(service, breaks)
    assert [each["To"] for each in taken] == ["ben@example.org"]
    assert sent(service) == []
    service.now += RETRY_AFTER
    assert [each["To"] for each in sent(service)] == ["ada@example.org"]


@pytest.mark.usefixtures("attempt")
def test_an_address_that_is_refused_is_not_tried_again(service):
    """A mail to an address that the server refuses, or to a key without an address, is not tried again."""

    def refuses(mail):
        raise SMTPRecipientsRefused({mail["To"]: (550, b"no")})

    sent(service, refuses)
    service.now += RETRY_AFTER
    assert sent(service) == []
    service.graded(service.hand_in(), graded(service.course))
    assert sent(service, domain="") == []


@pytest.mark.usefixtures("attempt")
def test_old_mails_are_dropped_and_deleted(service):
    """A mail that is a day old is no longer sent, because it is no longer useful. It is deleted a week later."""
    service.passes(days=1, seconds=1)
    assert sent(service) == []
    service.now += STORAGE_PERIOD
    sent(service)
    with service.database.reading() as session:
        assert session.scalars(select(MailRow.id)).all() == []


@pytest.mark.usefixtures("attempt")
def test_no_transaction_is_open_while_a_mail_is_sent(service):
    """No transaction is open while a mail is being sent, so that a slow mail server does not block other writers."""
    sent(service, lambda _mail: service.passes(seconds=service.hand_in(person=service.ben)))
    assert len(service.gradings(2)) == 1


def test_the_thread_sends_and_survives_failures(service, attempt, monkeypatch):
    """The mail thread reports its first failure in one line and continues. The service can end without waiting for the
    mail server.
    """
    assert attempt
    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(notifier, "utc_now", lambda: service.now)
    said = []

    def fails(_mail):
        raise OSError("refused")

    mail = SimpleNamespace(send=fails, sender="course@example.org", domain="example.org")
    with mail_thread(service.database, service.origin, mail, said.append):
        while not said:
            time.sleep(0.01)
    (line,) = said
    assert line == "the mail server refused a mail to a student (OSError); it is sent again every 5 minutes for a day."
    with mail_thread(service.database, service.origin, None, said.append):
        pass


@pytest.mark.whole
@pytest.mark.usefixtures("attempt")
def test_mails_are_deleted_where_no_mail_is_set_up(service, monkeypatch):
    """Old events are deleted even if no mail is configured. They are recorded in that case too, but would never be
    sent.
    """
    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(notifier, "utc_now", lambda: service.now)
    service.now += STORAGE_PERIOD + STORAGE_PERIOD

    def left():
        with service.database.reading() as session:
            return session.scalars(select(MailRow.id)).all()

    assert left()
    with mail_thread(service.database, service.origin, None, pytest.fail):
        assert wait_for(lambda: not left())
