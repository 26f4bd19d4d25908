"""Tokens with which programs act for a person. The service stores only their hashes. A token expires and grants only
the permissions of its scopes.

A terminal signs in by the device flow of RFC 8628. It shows a short code, which its owner confirms in a browser.
Meanwhile it polls the service, and after the confirmation it gets a token, once.
"""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from grader.service.db.tables.access import ApiTokenRow, DeviceSignInRow
from grader.service.db.tables.people import CourseRole
from grader.service.db.tokens import fresh_token, token_hash
from grader.service.errors import FieldError, RefusedError

TOKEN_LIFETIME = timedelta(days=180)

MAX_TOKENS = 20
"""Maximum number of tokens per person. A new token revokes the one that expires first, such as the token of a job."""

MAX_NAME_LENGTH = 60
"""Maximum length of a token's name. Longer names are truncated."""

CODE_LETTERS, CODE_LENGTH = "BCDFGHJKLMNPQRSTVWXZ", 8
"""Letters and length of a code that people type. The letters exclude vowels, so that no code spells a word, and letters
that look like digits.
"""

CODE_LIFETIME = timedelta(minutes=10)

POLL_SECONDS = 5
"""Minimum number of seconds between two polls of a terminal. Each poll that comes too early adds as many seconds to
that terminal's interval.
"""

MAX_WAITING_TERMINALS = 10_000
"""Maximum number of terminals that wait at once. A limit is needed because requests for codes do not need a sign-in."""

NO_CODE = "This code has been used, has run out, or never was one. Run `grader login` again, and type the new one."


class TokenScope(StrEnum):
    """A permission of a token. READ and SUBMIT concern the attempts of the token's owner: reading everything that the
    owner may see, and handing in and cancelling attempts. All other scopes concern the whole course.
    """

    READ = "read"
    SUBMIT = "submit"
    ROSTER_READ = "roster:read"
    ASSIGNMENTS_READ = "assignments:read"
    ATTEMPTS_READ = "attempts:read"
    RESULTS_READ = "results:read"
    GRADES_READ = "grades:read"
    EXTENSIONS_READ = "extensions:read"
    EXTENSIONS_WRITE = "extensions:write"
    OVERRIDES_READ = "overrides:read"
    OVERRIDES_WRITE = "overrides:write"
    REGRADES_READ = "regrades:read"
    REGRADES_WRITE = "regrades:write"


OWN_SCOPES = (TokenScope.READ, TokenScope.SUBMIT)
"""Scopes that every person may use. A terminal can request only these, because its owner confirms it with one click."""

INSTRUCTOR_SCOPES = frozenset({TokenScope.EXTENSIONS_WRITE, TokenScope.OVERRIDES_WRITE})
"""Scopes that only instructors may use, like the buttons on the pages."""


def scopes_offered(role: CourseRole) -> tuple[TokenScope, ...]:
    """The scopes that a person with this role may give to a token."""
    if role is CourseRole.STUDENT:
        return OWN_SCOPES
    return tuple(each for each in TokenScope if role is CourseRole.INSTRUCTOR or each not in INSTRUCTOR_SCOPES)


def scopes_in(text: str) -> frozenset[TokenScope] | None:
    """Parse a terminal's scopes, separated by blanks. An empty text means all scopes that a terminal may have. Returns
    None if a scope is unknown or not for terminals.
    """
    words = text.split()
    if not set(OWN_SCOPES).issuperset(words):
        return None
    return frozenset(TokenScope(word) for word in words or OWN_SCOPES)


def as_text(scopes: Iterable[TokenScope]) -> str:
    """The scopes as one text, in the form in which the database stores them."""
    return " ".join(sorted(scopes))


@dataclass(frozen=True, kw_only=True)
class TokenRequest:
    """The name, the scopes (as text) and the lifetime of a new token."""

    name: str
    scopes: str
    lasts: timedelta = TOKEN_LIFETIME


def create_token(session: Session, person_id: int, wanted: TokenRequest, now: datetime) -> str:
    """Create a token and return it. It cannot be shown again later because only its hash is stored."""
    latest = ApiTokenRow.expires.desc(), ApiTokenRow.id.desc()
    kept = select(ApiTokenRow.id).where(ApiTokenRow.person_id == person_id).order_by(*latest)
    old = session.scalars(kept.offset(MAX_TOKENS - 1)).all()
    session.execute(delete(ApiTokenRow).where(ApiTokenRow.id.in_(old) | (ApiTokenRow.expires < now)))
    token = fresh_token()
    session.add(
        ApiTokenRow(
            person_id=person_id,
            name=wanted.name[:MAX_NAME_LENGTH],
            token_sha256=token_hash(token),
            scopes=wanted.scopes,
            created=now,
            expires=now + wanted.lasts,
        )
    )
    return token


def valid_token(session: Session, token: str, now: datetime) -> ApiTokenRow | None:
    """The row of a token, with its owner; None if the token is unknown or expired, or if its owner is deactivated."""
    wanted = select(ApiTokenRow).where(ApiTokenRow.token_sha256 == token_hash(token), ApiTokenRow.expires > now)
    found = session.scalar(wanted)
    return None if found is None or found.person.deactivated is not None else found


def is_valid_token(session: Session, token_id: int, now: datetime) -> bool:
    """True if a token has neither been revoked nor expired."""
    wanted = select(ApiTokenRow.id).where(ApiTokenRow.id == token_id, ApiTokenRow.expires > now)
    return session.scalar(wanted) is not None


def tokens_of(session: Session, person_id: int, now: datetime) -> Sequence[ApiTokenRow]:
    """The valid tokens of a person, latest first."""
    wanted = select(ApiTokenRow).where(ApiTokenRow.person_id == person_id, ApiTokenRow.expires > now)
    return session.scalars(wanted.order_by(ApiTokenRow.id.desc())).all()


def revoke(session: Session, person_id: int, token_id: int) -> None:
    """Revoke a token. No-op if it belongs to another person or no longer exists."""
    session.execute(delete(ApiTokenRow).where(ApiTokenRow.id == token_id, ApiTokenRow.person_id == person_id))


class Answer(StrEnum):
    """The owner's answer to a terminal."""

    NONE = "none"
    ALLOWED = "allowed"
    DENIED = "denied"


class FlowError(StrEnum):
    """Reason why a terminal does not get a token, named as in RFC 8628 and RFC 6749."""

    PENDING = "authorization_pending"
    SLOW_DOWN = "slow_down"
    EXPIRED = "expired_token"
    DENIED = "access_denied"


@dataclass(frozen=True, kw_only=True)
class DeviceCodes:
    """The two codes of a terminal. It keeps the device code secret and shows the user code."""

    device_code: str
    user_code: str


def new_codes(session: Session, name: str, scopes: str, now: datetime) -> DeviceCodes:
    """Create the codes of a terminal that wants to sign in. Raises RefusedError if too many terminals wait."""
    session.execute(delete(DeviceSignInRow).where(DeviceSignInRow.expires <= now))
    refuse_too_many(session, now)
    begun = DeviceCodes(
        device_code=fresh_token(), user_code="".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    )
    session.add(
        DeviceSignInRow(
            device_sha256=token_hash(begun.device_code),
            user_code=begun.user_code,
            name=name[:MAX_NAME_LENGTH],
            scopes=scopes,
            expires=now + CODE_LIFETIME,
            interval=POLL_SECONDS,
            answer=Answer.NONE,
        )
    )
    return begun


def refuse_too_many(session: Session, now: datetime) -> None:
    """Raise RefusedError if too many terminals wait. Callers check this before they open a write transaction, because
    anyone may ask for codes.
    """
    waiting = select(func.count(DeviceSignInRow.id)).where(DeviceSignInRow.expires > now)
    if (session.scalar(waiting) or 0) >= MAX_WAITING_TERMINALS:
        raise RefusedError("Too many terminals are being signed in right now; try again in ten minutes.")


def is_waiting(session: Session, device_code: str, now: datetime) -> bool:
    """True if a terminal with this device code waits. Callers check this before they open a write transaction, because
    anyone may poll.
    """
    same = DeviceSignInRow.device_sha256 == token_hash(device_code), DeviceSignInRow.expires > now
    return session.scalar(select(DeviceSignInRow.id).where(*same)) is not None


def normalized_code(code: str) -> str:
    """A typed code in the form in which it is stored."""
    return "".join(each for each in code[:50].upper() if each in CODE_LETTERS)


def code_with_dash(code: str) -> str:
    """A code in the form in which it is shown."""
    return f"{code[: CODE_LENGTH // 2]}-{code[CODE_LENGTH // 2 :]}"


def waiting_terminal(session: Session, code: str, now: datetime) -> DeviceSignInRow:
    """The unanswered terminal that shows this code. Raises FieldError if the code is unknown."""
    found = session.scalar(
        select(DeviceSignInRow).where(
            DeviceSignInRow.user_code == normalized_code(code),
            DeviceSignInRow.answer == Answer.NONE,
            DeviceSignInRow.expires > now,
        )
    )
    if found is None:
        raise FieldError("code", NO_CODE)
    return found


def answer_terminal(session: Session, code: str, person_id: int, said: Answer, now: datetime) -> None:
    """Allow or deny the sign-in of a terminal. Raises FieldError if the code is unknown or already answered."""
    done = session.scalar(
        update(DeviceSignInRow)
        .where(DeviceSignInRow.id == waiting_terminal(session, code, now).id, DeviceSignInRow.answer == Answer.NONE)
        .values(answer=said, person_id=person_id)
        .returning(DeviceSignInRow.id)
    )
    if done is None:
        raise FieldError("code", NO_CODE)


@dataclass(frozen=True, kw_only=True)
class GrantedToken:
    """The token that a terminal gets, and its scopes."""

    token: str
    scopes: str


def poll(session: Session, device_code: str, now: datetime) -> GrantedToken | FlowError:
    """Answer a poll of a terminal. Handing out the token deletes the device code, so a terminal gets only one token."""
    row = session.scalar(
        select(DeviceSignInRow).where(DeviceSignInRow.device_sha256 == token_hash(device_code)).with_for_update()
    )
    if row is None or row.expires <= now:
        return FlowError.EXPIRED
    if row.answer == Answer.NONE:
        return _not_answered(row, now)
    session.delete(row)
    if row.answer == Answer.DENIED or row.person_id is None:
        return FlowError.DENIED
    return GrantedToken(
        token=create_token(session, row.person_id, TokenRequest(name=row.name, scopes=row.scopes), now),
        scopes=row.scopes,
    )


def _not_answered(row: DeviceSignInRow, now: datetime) -> FlowError:
    early = row.polled is not None and now < row.polled + timedelta(seconds=row.interval - 1)  # network delays vary
    row.polled = now
    if early:
        row.interval += POLL_SECONDS
    return FlowError.SLOW_DOWN if early else FlowError.PENDING
