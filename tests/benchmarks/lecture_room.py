"""Sign in all students of a lecture room behind one network address, by each method. Then try wrong passwords from this
address.

    python tests/benchmarks/lecture_room.py [--students 200] [--guesses 10000] [--at-once 20]

The service, a mailbox and a university's identity provider run in this process. Students connect by HTTP, several at
the same time. A student who has to try again does so a second later. The wrong passwords are spread over all students.
Prints how many students signed in and how long that took, how many guesses were checked against a hash, and whether the
students can still sign in by link afterwards. The exit code is 1 if a student cannot sign in, if a method takes more
than a minute, or if the guesses are not stopped.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

import httpx2  # noqa: E402
from argon2 import PasswordHasher  # noqa: E402
from open_service import opened  # noqa: E402
from services import Service, parts  # noqa: E402
from sign_in_methods import CLIENT, SECRET, enter, issuing, token_in  # noqa: E402

from grader.common.sign_in import UniversityRules  # noqa: E402
from grader.service.db.tables.access import PasswordRow  # noqa: E402
from grader.service.db.tables.people import CourseRole, PersonRow  # noqa: E402
from grader.service.people.auth.mail_links import LinkContext, MailLinks  # noqa: E402
from grader.service.people.auth.oidc import University  # noqa: E402
from grader.service.people.auth.passwords import MAX_FAILURES, Passwords  # noqa: E402
from grader.service.people.auth.sessions import invite  # noqa: E402

MINUTE = 60.0
"""Seconds within which all students must be able to sign in."""

PASSWORD = "four quiet grey otters"
DOMAIN = "example.org"

Way = Callable[[httpx2.Client, str], httpx2.Response]
"""A method of signing in. If it succeeds, its last answer redirects to the first page."""


def main() -> int:
    """Print one row for each method, and one for the guesses."""
    options = argparse.ArgumentParser()
    options.add_argument("--students", type=int, default=200)
    options.add_argument("--guesses", type=int, default=10_000)
    options.add_argument("--at-once", type=int, default=20)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as service, issuing() as issuer:
        room = _enrol(service, given.students)
        mails = _open_all_doors(service, issuer.address)
        links = _links(service, room)

        def by_link(client: httpx2.Client, key: str) -> httpx2.Response:
            return client.post("/join", files=parts(token=links[key]))

        def by_mail(client: httpx2.Client, key: str) -> httpx2.Response:
            asked = client.post("/sign-in/mail", files=parts(who=key))
            address = f"{key}@{DOMAIN}"
            until = time.monotonic() + MINUTE
            while asked.status_code == 200 and address not in mails and time.monotonic() < until:
                time.sleep(0.05)
            return client.post("/join", files=parts(token=mails[address])) if address in mails else asked

        def by_password(client: httpx2.Client, key: str) -> httpx2.Response:
            return client.post("/sign-in/password", files=parts(who=key, password=PASSWORD))

        def by_university(client: httpx2.Client, key: str) -> httpx2.Response:
            begun = client.get("/sign-on")
            if begun.status_code != 303:
                return begun
            there = begun.headers["location"]
            return client.get("/sign-on/back", params=issuer.authorize(there, {"email": key, "email_verified": True}))

        ways: dict[str, Way] = {
            "by link": by_link,
            "by mail": by_mail,
            "by university": by_university,
            "by password": by_password,
        }
        worked = [_all(service, name, way, room, given.at_once) for name, way in ways.items()]
        stopped = _guess(service, room, given.guesses, given.at_once)
        links = _links(service, room)
        worked.append(_all(service, "by link, after", by_link, room, given.at_once))
    return int(not all(worked) or not stopped)


def _enrol(service: Service, students: int) -> Sequence[str]:
    """Create students who all have the same password, and return their keys."""
    argon2 = PasswordHasher().hash(PASSWORD)
    keys = [f"s{number}" for number in range(students)]
    with service.database.writing() as session:
        rows = [PersonRow(key=key, name=key, role=CourseRole.STUDENT, created=service.now) for key in keys]
        session.add_all(rows)
        session.flush()
        session.add_all(PasswordRow(person_id=row.id, argon2=argon2, changed=service.now) for row in rows)
    return keys


def _open_all_doors(service: Service, issuer: str) -> dict[str, str]:
    """Enable all methods. Return the mailbox, which maps each mail's address to the token in it."""
    mails: dict[str, str] = {}
    context = LinkContext(database=service.database, origin=service.origin, now=lambda: service.now)
    rules = UniversityRules(name="Example University", issuer=issuer, client_id=CLIENT)
    enter(
        service,
        mail=MailLinks(
            context=context,
            send=lambda message: mails.update({message["To"]: token_in(message)}),
            sender="course@example.org",
            domain=DOMAIN,
        ),
        passwords=Passwords(),
        university=University(rules, SECRET, service.origin),
    )
    return mails


def _links(service: Service, room: Sequence[str]) -> dict[str, str]:
    with service.database.writing() as session:
        people = {row.key: row for row in session.query(PersonRow)}
        return {key: invite(session, people[key], "lecture room", service.now) for key in room}


def _all(service: Service, name: str, way: Way, room: Sequence[str], at_once: int) -> bool:
    """Sign in all students. Return True if all of them succeed within a minute."""
    start = time.monotonic()

    def signed_in(key: str) -> int:
        """Return how often this student had to try again, or -1 if the minute was over before that."""
        for again in range(int(MINUTE)):
            with httpx2.Client(base_url=service.origin, headers={"origin": service.origin}, timeout=MINUTE) as client:
                said = way(client, key)
                if said.status_code == 303 and client.get("/").status_code == 200:
                    return again
            if time.monotonic() - start > MINUTE:
                break
            time.sleep(1)
        return -1

    with ThreadPoolExecutor(at_once) as pool:
        answers = list(pool.map(signed_in, room))
    seconds = time.monotonic() - start
    count = sum(again >= 0 for again in answers)
    told = sum(max(0, again) for again in answers)
    print(f"{name:<16} {count:5} of {len(room)} in {seconds:5.1f} s, {told} repetitions", flush=True)
    return count == len(room) and seconds <= MINUTE


def _guess(service: Service, room: Sequence[str], guesses: int, at_once: int) -> bool:
    """Try wrong passwords. Return True if the service checked no more than the failures that a network may have, plus
    the guesses that ran at the same time.
    """

    def guess(number: int) -> int:
        form = parts(who=room[number % len(room)], password=f"guess number {number}")
        return client.post("/sign-in/password", files=form).status_code

    start = time.monotonic()
    with (
        httpx2.Client(base_url=service.origin, headers={"origin": service.origin}, timeout=MINUTE) as client,
        ThreadPoolExecutor(at_once) as pool,
    ):
        said = Counter(pool.map(guess, range(guesses)))
    checked, refused = said[403], said[409]
    print(f"{guesses} wrong passwords in {time.monotonic() - start:.1f} s: {checked} checked, {refused} refused")
    return checked + refused == guesses and checked <= MAX_FAILURES + at_once


if __name__ == "__main__":
    sys.exit(main())
