"""Tokens by which programs ask in somebody's name: kept as hashes, for a while, for what their scopes allow."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.service.auth.secrets import fresh_token, token_hash
from grader.service.db.models import ApiTokenRow

TOKEN_LASTS = timedelta(days=180)

TOKENS = 20
"""Tokens that somebody has at once; one more ends the oldest."""

NAME_LENGTH = 60
"""Characters that are kept of a token's name."""


class TokenScope(StrEnum):
    """What a token allows: to read what its owner may see, and to hand in and cancel."""

    READ = "read"
    SUBMIT = "submit"


def scopes_in(text: str) -> frozenset[TokenScope] | None:
    """The scopes that a text names, all if it names none; None if one is unknown."""
    words = text.split()
    known = set(TokenScope)
    if not known.issuperset(words):
        return None
    return frozenset(TokenScope(word) for word in words or known)


def as_text(scopes: Iterable[TokenScope]) -> str:
    """The scopes as they are stored."""
    return " ".join(sorted(scopes))


@dataclass(frozen=True, kw_only=True)
class TokenRequest:
    """What a token is to be: its name, what it allows, as text, and how long."""

    name: str
    scopes: str
    lasts: timedelta = TOKEN_LASTS


def give_token(session: Session, person_id: int, wanted: TokenRequest, now: datetime) -> str:
    """A new token, which is shown only now."""
    kept = select(ApiTokenRow.id).where(ApiTokenRow.person_id == person_id).order_by(ApiTokenRow.id.desc())
    old = session.scalars(kept.offset(TOKENS - 1)).all()
    session.execute(delete(ApiTokenRow).where(ApiTokenRow.id.in_(old) | (ApiTokenRow.expires < now)))
    token = fresh_token()
    session.add(
        ApiTokenRow(
            person_id=person_id,
            name=wanted.name[:NAME_LENGTH],
            token_sha256=token_hash(token),
            scopes=wanted.scopes,
            created=now,
            expires=now + wanted.lasts,
        )
    )
    return token


def token_row(session: Session, token: str, now: datetime) -> ApiTokenRow | None:
    """What is known of a token, with its person; None if it is none (any more)."""
    wanted = select(ApiTokenRow).where(ApiTokenRow.token_sha256 == token_hash(token), ApiTokenRow.expires > now)
    found = session.scalar(wanted)
    return None if found is None or found.person.deactivated is not None else found


def token_holds(session: Session, token_id: int, now: datetime) -> bool:
    """Whether a token has neither been revoked nor run out."""
    wanted = select(ApiTokenRow.id).where(ApiTokenRow.id == token_id, ApiTokenRow.expires > now)
    return session.scalar(wanted) is not None


def tokens_of(session: Session, person_id: int, now: datetime) -> Sequence[ApiTokenRow]:
    """Somebody's tokens that still hold, latest first."""
    wanted = select(ApiTokenRow).where(ApiTokenRow.person_id == person_id, ApiTokenRow.expires > now)
    return session.scalars(wanted.order_by(ApiTokenRow.id.desc())).all()


def revoke(session: Session, person_id: int, token_id: int) -> None:
    """End one of somebody's tokens; if it is not theirs, or has ended, nothing happens."""
    session.execute(delete(ApiTokenRow).where(ApiTokenRow.id == token_id, ApiTokenRow.person_id == person_id))
