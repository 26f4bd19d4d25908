"""Passwords, which their owners set and the service stores as argon2id hashes. They are off unless the operator allows
them.

Computing a hash occupies a processor and 64 MiB for a moment. Therefore only a few are computed at once, and none in
the event loop: routes wait in `queue` and then call `authenticate`, `confirm` and `new_hash` in a thread. Attempts are
counted per person and network, so that attempts by others do not lock the owner out.
"""

import secrets
from datetime import datetime

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.common.people import person_key
from grader.service.db.session import Database
from grader.service.db.tables.access import PasswordRow
from grader.service.db.tables.people import PersonRow
from grader.service.errors import FieldError, RefusedError
from grader.service.network.throttle import FairQueue, RateLimiter
from grader.service.people.auth.sessions import person_named

MIN_LENGTH, MAX_LENGTH = 12, 200
"""Minimum and maximum length of a password."""

MAX_AT_ONCE, MAX_WAITING, MAX_WAIT_SECONDS = 2, 300, 55.0
"""Maximum number of requests that compute hashes at once, of waiting requests per network (such as a lecture room), and
of seconds that a request waits. Proxies give up after 60 seconds, so requests stop waiting before that.
"""

BUSY = "Too many people in your network are signing in right now; try again in a minute."

WINDOW_SECONDS, MAX_TRIES, MAX_FAILURES = 900, 10, 100
"""A time window in seconds, and two limits within it: attempts for one name from one network, and wrong passwords from
one network. A correct password does not count against the network, which may be a lecture room.
"""

TOO_OFTEN = "There were too many tries from your network; wait 15 minutes, or sign in by a link."


class Passwords:
    """Hashes and verifies passwords, and limits the number of attempts."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self.queue = FairQueue(MAX_AT_ONCE, BUSY, max_waiting=MAX_WAITING, wait_seconds=MAX_WAIT_SECONDS)
        self._dummy_hash = self._hasher.hash(secrets.token_urlsafe())
        self._of_person, self._failures = (
            RateLimiter(MAX_TRIES, WINDOW_SECONDS),
            RateLimiter(MAX_FAILURES, WINDOW_SECONDS),
        )
        self._own = RateLimiter(MAX_TRIES, WINDOW_SECONDS)

    def authenticate(self, database: Database, key: str, password: str, network: str) -> int | None:
        """Return the number of the person with this key if the password is correct, else None. An unknown key takes as
        long as a known one. Raises RefusedError after too many attempts.
        """
        asked = f"{network} {person_key(key)[:MAX_LENGTH]}"
        if self._failures.is_reached(network) or not self._of_person.allows(asked):
            raise RefusedError(TOO_OFTEN)
        with database.reading() as session:
            person = person_named(session, {key})
            kept = None if person is None else hash_of(session, person.id)
        right = self._verified(kept or self._dummy_hash, password)
        if right and person is not None and kept is not None:
            return person.id
        self._failures.count(network)
        return None

    def new_hash(self, password: str, person: PersonRow) -> str:
        """The hash of a new password. Raises FieldError if the password is easy to guess."""
        if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
            expected = f"Write between {MIN_LENGTH} and {MAX_LENGTH}; several words are good."
            raise FieldError("password", f"This password has {len(password)} characters. {expected}")
        if len(set(password)) < MIN_LENGTH // 2 or person_key(person.key) in person_key(password):
            words = "This password is easy to guess; choose several words that have nothing to do with you."
            raise FieldError("password", words)
        return self._hasher.hash(password)

    def confirm(self, kept: str | None, password: str, person: PersonRow) -> None:
        """Raise RefusedError if the person has a password and this is not it. Access to a browser that was left signed
        in must not be enough to change the password.
        """
        if kept is None:
            return
        if not self._own.allows(f"{person.id}"):
            raise RefusedError(TOO_OFTEN)
        if not self._verified(kept, password):
            raise FieldError("present", "This is not your current password, so nothing was changed.")

    def _verified(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password[: MAX_LENGTH + 1])
        except (VerificationError, InvalidHashError):
            return False


def hash_of(session: Session, person_id: int) -> str | None:
    """The hash of a person's password; None if the person has no password."""
    return session.scalar(select(PasswordRow.argon2).where(PasswordRow.person_id == person_id))


def store_hash(session: Session, person_id: int, argon2: str, now: datetime) -> None:
    """Store the hash of a person's password. It replaces an earlier one."""
    session.execute(delete(PasswordRow).where(PasswordRow.person_id == person_id))
    session.add(PasswordRow(person_id=person_id, argon2=argon2, changed=now))
