"""sessions.py and sign_in.py: links work once, and neither cookies nor the database reveal credentials."""

import re

import pytest
from services import ORIGIN, Service, field, parts, post

from grader.service.db.tables.access import InvitationRow, SessionRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tokens import token_hash
from grader.service.people.auth.sessions import INVITATION_LIFETIME, MAX_SESSIONS, SESSION_LIFETIME, invite


def link(service, key="ada"):
    with service.database.writing() as session:
        return invite(session, session.query(PersonRow).filter_by(key=key).one(), "test", service.now)


def join(client, token):
    return client.post("/join", files=parts(token=token))


def test_a_link_signs_in_once_and_only_by_a_click(service):
    """A link signs in once, after a click. Programs that only open every link in a mail do not use it up."""
    token, client = link(service), service.browser()
    for _ in range(2):
        shown = client.get(f"/join/{token}")
        assert shown.status_code == 200
        assert not shown.cookies
    assert join(client, field(shown, "token")).status_code == 303
    assert "Ada" in client.get("/").text
    assert join(service.browser(), token).status_code == 403


def test_the_page_of_a_link_names_its_person_and_that_of_another_link_nobody(service):
    """The page of a valid link and its button show the person's name. A used, replaced, expired or invented link leads
    to one and the same page, which has no name and no button.
    """
    service.person("lovelace", CourseRole.STUDENT)
    old, new, client = link(service), link(service), service.browser()
    shown = client.get(f"/join/{new}").text
    assert "Sign in as Ada</button>" in shown
    assert "<b>Ada</b> (ada)" in shown
    assert "Lovelace" not in shown
    assert join(client, new).status_code == 303
    late = link(service, "ben")
    service.now += INVITATION_LIFETIME
    refused = [service.browser().get(f"/join/{each}") for each in (old, new, late, "guess")]
    assert {(each.status_code, each.text) for each in refused} == {(403, refused[0].text)}
    assert not re.search("Ada|Ben|<button", refused[0].text)


def test_a_link_runs_out_and_a_new_one_ends_the_old(service):
    """A link expires. It also becomes invalid when a newer link is made, because the old one may still be
    in a mailbox.
    """
    old, new = link(service), link(service)
    assert join(service.browser(), old).status_code == 403
    service.now += INVITATION_LIFETIME
    assert join(service.browser(), new).status_code == 403


def test_a_session_ends_by_time_and_by_signing_out(service):
    """A session ends when it expires or its person signs out. Its cookie is invalid afterwards."""
    client = service.browser("ada")
    stolen = dict(client.cookies)
    assert post(client, "/sign-out").status_code == 303
    again = service.browser()
    again.cookies.update(stolen)
    assert again.get("/").headers["location"] == "/sign-in"
    client = service.browser("ada")
    service.now += SESSION_LIFETIME
    assert client.get("/").headers["location"] == "/sign-in"


def test_a_person_has_so_many_sessions_at_most(service):
    """The number of sessions of a person is limited. Another sign-in ends the oldest session."""
    first, *_, last = [service.browser("ada") for _ in range(MAX_SESSIONS + 1)]
    assert (first.get("/").status_code, last.get("/").status_code) == (303, 200)


@pytest.mark.parametrize(
    ("origin", "name", "secure"),
    [
        ("http://grader.example.org", "grader", False),
        (ORIGIN, "grader-8000", False),
        ("https://grader.example.org", "__Host-grader", True),
        ("https://grader.example.org:8443", "__Host-grader-8443", True),
    ],
)
def test_the_cookie_is_kept_from_scripts_and_other_sites(tmp_path, origin, name, secure):
    """Scripts and other sites cannot read the cookie. With TLS, neighbouring hosts cannot read it either, and it is
    never sent without TLS. Services on two ports of a host use different cookies.
    """
    service = Service(tmp_path, origin=origin)
    said = join(service.browser(), link(service)).headers["set-cookie"]
    assert said.startswith(f"{name}=")
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(re.split("; ", said))
    assert ("Secure" in said) == secure
    assert "Domain" not in said


def test_an_instructor_ends_whatever_signs_somebody_in(service):
    """An instructor can end all browser sessions, tokens and unused links of one person. The audit trail records it."""
    ada, ben, staff = (service.browser(each) for each in ("ada", "ben", "staff"))
    unused, token = link(service), service.token(service.ada, "read")
    page = f"/course/people/{service.ada}/sign-out"
    assert "This ends 1 browser, 1 token and 1 unused link." in staff.get(page).text
    assert ada.get("/").status_code == 200
    assert post(staff, page, page).status_code == 303
    assert ada.get("/").status_code == 303
    bearer = {"authorization": f"Bearer {token}"}
    assert service.browser().get("/api/v1/me", headers=bearer).status_code == 401
    assert join(service.browser(), unused).status_code == 403
    assert ben.get("/").status_code == staff.get("/").status_code == 200
    assert "signed ada out everywhere" in staff.get("/course/audit").text


def test_no_token_is_in_the_database(service):
    """The database contains hashes of tokens, so a person who reads it cannot sign in with them."""
    token = link(service)
    client = service.browser("ben")
    (cookie,) = client.cookies.values()
    with service.database.reading() as session:
        kept = [*session.query(InvitationRow.token_sha256), *session.query(SessionRow.token_sha256)]
    kept = {value for (value,) in kept}
    assert {token_hash(token), token_hash(cookie)} <= kept
    assert not {token, cookie} & kept


def test_links_that_are_none_keep_nobody_out(service):
    """Invalid links do not block an address. Links cannot be guessed, and an attacker may share an address with
    students.
    """
    client, token = service.browser(), link(service)
    assert {join(client, f"guess {number}").status_code for number in range(30)} == {403}
    assert join(client, token).status_code == 303


@pytest.mark.parametrize(("who", "home"), [("ada", "/"), ("staff", "/course")])
def test_people_who_teach_begin_with_the_course(service, who, home):
    """After sign-in, students see their assignments, and people who teach see the course."""
    with service.database.writing() as session:
        token = invite(session, session.get(PersonRow, getattr(service, who)), "test", service.now)
    assert service.browser().post("/join", files=parts(token=token)).headers["location"] == home
