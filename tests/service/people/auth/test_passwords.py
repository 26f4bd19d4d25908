"""passwords.py and its pages: people choose their own passwords, argon2id hashes are stored, and guesses
are limited.
"""

import asyncio
import threading
from collections import Counter

import httpx2
import pytest
from services import parts, post
from sign_in_methods import QUICK, with_passwords

from grader.service.db.tables.access import PasswordRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import RefusedError
from grader.service.people.auth.passwords import MAX_AT_ONCE, MAX_FAILURES, MAX_TRIES, TOO_OFTEN, Passwords, store_hash

GOOD, BETTER = "four quiet grey otters", "nine loud brown badgers"


def set_one(client, password=GOOD, again=None, present=""):
    return post(client, "/password", password=password, again=again or password, present=present)


def sign_in(service, who="ada", password=GOOD, client=None):
    return (client or service.browser()).post("/sign-in/password", files=parts(who=who, password=password))


def test_who_has_set_a_password_signs_in_by_it(service):
    """A person signs in with a password that they have set. The database stores an argon2id hash instead of the
    password.
    """
    with_passwords(service)
    assert set_one(service.browser("ada")).status_code == 303
    client = service.browser()
    assert sign_in(service, client=client).status_code == 303
    assert "Ada" in client.get("/").text
    with service.database.reading() as session:
        (row,) = session.query(PasswordRow)
    assert row.argon2.startswith("$argon2id$")
    assert GOOD not in row.argon2


def test_they_are_off_unless_the_operator_allows_them(service):
    """Unless the operator allows passwords, there is no form and no route for them."""
    client = service.browser("ada")
    assert client.get("/password").status_code == 404
    assert post(client, "/password", form="/", password=GOOD, again=GOOD).status_code == 404
    assert sign_in(service).status_code == 404
    assert "By password" not in service.browser().get("/sign-in").text


def test_nobody_learns_who_is_on_the_roster_or_has_a_password(service, monkeypatch):
    """A failed sign-in gets one answer for all names. Even for an unknown name, one hash is computed, so that the
    answer takes equally long.
    """
    with_passwords(service)
    set_one(service.browser("ada"))
    checked = []
    verified = Passwords._verified
    monkeypatch.setattr(Passwords, "_verified", lambda self, *given: checked.append(1) or verified(self, *given))
    said = [sign_in(service, who, "wrong") for who in ("ada", "ben", "nobody", "")]
    assert {(each.status_code, each.content) for each in said} == {(403, said[0].content)}
    assert len(checked) == 4


@pytest.mark.parametrize(
    ("password", "words"),
    [
        ("short", "between 12"),
        ("x" * 201, "between 12"),
        ("aaaaaaaaaaaaaaa", "easy"),
        ("my key is ADA, really", "easy"),
    ],
)
def test_a_password_that_is_easy_to_guess_is_refused(service, password, words):
    """A password that is short, long, repetitive or contains the person's key is refused and not stored."""
    with_passwords(service)
    said = set_one(service.browser("ada"), password)
    assert said.status_code == 422
    assert words in said.text
    assert sign_in(service, password=password).status_code == 403


def test_a_browser_that_was_left_signed_in_cannot_change_it(service):
    """Changing a password requires the current one. It signs the person out in all other browsers."""
    with_passwords(service)
    first, second = service.browser("ada"), service.browser("ada")
    assert set_one(first).status_code == 303
    assert second.get("/").status_code == 303
    assert set_one(first, BETTER).status_code == 422
    assert set_one(first, BETTER, again=GOOD, present=GOOD).status_code == 422
    assert set_one(first, BETTER, present=GOOD).status_code == 303
    assert (sign_in(service, password=GOOD).status_code, sign_in(service, password=BETTER).status_code) == (403, 303)


def test_guesses_of_one_network_are_few_and_keep_nobody_else_out(service):
    """After too many wrong guesses, a person cannot sign in from that network. Other people still can, and so can the
    person from elsewhere.
    """
    with_passwords(service)
    set_one(service.browser("ada"))
    set_one(service.browser("ben"))
    said = [sign_in(service, password=f"guess {number}").status_code for number in range(MAX_TRIES + 1)]
    assert said == [403] * MAX_TRIES + [409]
    assert sign_in(service).status_code == 409
    assert sign_in(service, "ben").status_code == 303
    found = service.app_state.sign_in.passwords.authenticate(service.database, "ada", GOOD, "192.0.2.7")
    assert found == service.ada


def test_a_room_signs_in_at_once_and_takes_no_threads_from_other_pages(service, monkeypatch):
    """If 60 people in a lecture room sign in at once, they wait for the few threads that check hashes, and no request
    is refused. Other pages are still served, although more requests wait than there are threads.
    """
    with_passwords(service)
    set_one(service.browser("ada"))
    room, over, working, most = 60, threading.Event(), [], []

    def slow(_, key, *__):
        working.append(key)
        most.append(len(working))
        over.wait(30)
        working.remove(key)
        return service.ada

    monkeypatch.setattr(Passwords, "authenticate", slow)

    async def play():
        transport, headers = httpx2.ASGITransport(service.app), {"origin": service.origin}
        async with httpx2.AsyncClient(transport=transport, base_url=service.origin, headers=headers) as client:
            forms = (parts(who=f"s{number}", password=GOOD) for number in range(room))
            tasks = [asyncio.create_task(client.post("/sign-in/password", files=each)) for each in forms]
            while len(working) < MAX_AT_ONCE:  # noqa: ASYNC110 - threads set it
                await asyncio.sleep(0.01)
            page = await asyncio.wait_for(client.get("/sign-in"), 20)
            over.set()
            return page, await asyncio.gather(*tasks)

    page, said = asyncio.run(play())
    assert page.status_code == 200
    assert [each.status_code for each in said] == [303] * room
    assert max(most) == MAX_AT_ONCE


def test_an_instructor_who_signs_somebody_out_ends_the_password_too(service):
    """If an instructor signs a person out, the password is deleted too, because it may be stolen."""
    with_passwords(service)
    set_one(service.browser("ada"))
    post(service.browser("staff"), f"/course/people/{service.ada}/sign-out")
    assert sign_in(service).status_code == 403


def test_made_up_names_do_not_lift_a_limit(service):
    """Failed sign-ins with invented names do not reset the limit for changing a password or the limit of a network."""
    passwords = Passwords(QUICK)
    with service.database.reading() as session:
        ada = session.get_one(PersonRow, service.ada)
    kept = passwords.new_hash(GOOD, ada)

    def refusal():
        with pytest.raises(RefusedError) as caught:
            passwords.confirm(kept, BETTER, ada)
        return str(caught.value)

    assert [refusal() == TOO_OFTEN for _ in range(MAX_TRIES + 1)] == [False] * MAX_TRIES + [True]
    wrong = Counter()
    for number in range(MAX_FAILURES + 20):
        try:
            passwords.authenticate(service.database, f"nobody {number}", BETTER, "192.0.2.9")
            wrong["tried"] += 1
        except RefusedError:
            wrong["refused"] += 1
    assert refusal() == TOO_OFTEN
    assert wrong == {"tried": MAX_FAILURES, "refused": 20}


def test_a_lecture_room_signs_in_behind_one_address(service):
    """Correct passwords do not count against a network, so a whole lecture room can sign in from one address."""
    passwords = Passwords(QUICK)
    people = [service.person(f"s{number}", CourseRole.STUDENT) for number in range(2 * MAX_FAILURES)]
    with service.database.writing() as session:
        argon2 = passwords.new_hash(GOOD, session.get_one(PersonRow, people[0]))
        for person in people:
            store_hash(session, person, argon2, service.now)
    found = [passwords.authenticate(service.database, f"s{n}", GOOD, "192.0.2.9") for n in range(len(people))]
    assert found == people
