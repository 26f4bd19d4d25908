"""Passwords: kept as argon2id, set by their owner, off unless the operator allows them.

A hash takes a processor and 64 MiB for a moment, so few are made at once, and none in the loop that serves everybody:
pages wait in `line` for their turn at `owner`, `confirm` and `hashed`, which then work in a thread.
Tries are counted for a person from one network: others who try a name keep its owner out of nothing.
"""

import secrets
from datetime import datetime

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.common.people import person_key
from grader.service.auth.sessions import person_named
from grader.service.db.models import PasswordRow, PersonRow
from grader.service.db.session import Database
from grader.service.errors import RefusalError
from grader.service.throttle import FairLine, RateLimiter

SHORTEST, LONGEST = 12, 200
"""Characters."""

AT_ONCE, LONGEST_LINE, PATIENCE = 2, 300, 55.0
"""Requests that make hashes at once, requests of one network that wait, such as a lecture room, and the seconds for
which each waits: less than the 60 after which proxies give up.
"""

BUSY = "Too many people of your network are signing in right now; try again in a minute."

A_WHILE, TRIES, FAILURES = 900, 10, 100
"""Seconds, and the limits within them: tries of one name from one network, and wrong passwords from that network.

A right password does not count against the network, which may be a lecture room.
"""

TOO_OFTEN = "There were too many tries from your network; wait 15 minutes, or sign in by a link."


class Passwords:
    """Hashes and checks them."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self.line = FairLine(AT_ONCE, BUSY, longest=LONGEST_LINE, patience=PATIENCE)
        self._nobodys = self._hasher.hash(secrets.token_urlsafe())
        self._of_person, self._failures = RateLimiter(TRIES, A_WHILE), RateLimiter(FAILURES, A_WHILE)
        self._own = RateLimiter(TRIES, A_WHILE)

    def owner(self, database: Database, key: str, password: str, network: str) -> int | None:
        """The number of the person of this key, if the password is theirs; nobody's takes as long. Raises RefusalError
        after too many tries.
        """
        asked = f"{network} {person_key(key)[:LONGEST]}"
        if self._failures.is_reached(network) or not self._of_person.allows(asked):
            raise RefusalError(TOO_OFTEN)
        with database.reading() as session:
            person = person_named(session, {key})
            kept = None if person is None else hash_of(session, person.id)
        right = self._verified(kept or self._nobodys, password)
        if right and person is not None and kept is not None:
            return person.id
        self._failures.count(network)
        return None

    def hashed(self, password: str, person: PersonRow) -> str:
        """What is kept of a new password; raises RefusalError if it is too easy to guess."""
        if not SHORTEST <= len(password) <= LONGEST:
            raise RefusalError(f"A password has between {SHORTEST} and {LONGEST} characters; several words are good.")
        if len(set(password)) < SHORTEST // 2 or person_key(person.key) in person_key(password):
            raise RefusalError("This password is easy to guess; choose several words that have nothing to do with you.")
        return self._hasher.hash(password)

    def confirm(self, kept: str | None, password: str, person: PersonRow) -> None:
        """Raises RefusalError unless this is the password that is kept, if one is: a browser that was left signed in
        must not be enough to change it.
        """
        if kept is None:
            return
        if not self._own.allows(f"{person.id}"):
            raise RefusalError(TOO_OFTEN)
        if not self._verified(kept, password):
            raise RefusalError("This is not your present password, so nothing was changed.")

    def _verified(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password[: LONGEST + 1])
        except (VerificationError, InvalidHashError):
            return False


def hash_of(session: Session, person_id: int) -> str | None:
    """What is kept of somebody's password."""
    return session.scalar(select(PasswordRow.argon2).where(PasswordRow.person_id == person_id))


def keep(session: Session, person_id: int, argon2: str, now: datetime) -> None:
    """Keep this in place of what was kept."""
    forget(session, person_id)
    session.add(PasswordRow(person_id=person_id, argon2=argon2, changed=now))


def forget(session: Session, person_id: int) -> None:
    """Keep no password of this person."""
    session.execute(delete(PasswordRow).where(PasswordRow.person_id == person_id))
