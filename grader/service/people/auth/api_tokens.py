"""Tokens with which programs act for a person. The service stores only their hashes. A token expires and grants only
the permissions of its scopes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.service.db.tables.access import ApiTokenRow
from grader.service.db.tables.people import CourseRole
from grader.service.db.tokens import fresh_token, token_hash

TOKEN_LIFETIME = timedelta(days=180)

MAX_TOKENS = 20
"""Maximum number of tokens per person. A new token revokes the one that expires first, such as the token of a job."""

MAX_NAME_LENGTH = 60
"""Maximum length of a token's name. Longer names are truncated."""


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
