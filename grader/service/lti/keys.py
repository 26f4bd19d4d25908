"""The service's own keys, and messages that it signs with them. Platforms read the public keys from /lti/keys.

A rotation adds a key. Platforms keep the list of keys for a while, so the new key is published at once but signs only
an hour later, and the old key stays published for two more days.

    rotated ---- 1 hour ---- the new key signs ---- 2 days ---- the old key is not published any more
"""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from authlib.oauth2.rfc7523 import private_key_jwt_sign
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.service.db.tables.lti import LtiKeyRow
from grader.service.errors import RefusedError

OWN_ALGORITHM = "RS256"
"""The algorithm with which the service signs. Every platform must support it."""

MESSAGE_LIFETIME_SECONDS = 300
"""Time within which a platform must receive a message from the service."""

KEY_BITS = 2048

LEAD, OVERLAP = timedelta(hours=1), timedelta(days=2)
"""Time between the publication of a key and its first signature, and time for which the previous key stays published
after that.
"""


@dataclass(frozen=True, kw_only=True)
class SigningKey:
    """A private key of the service, and its public name."""

    kid: str
    pem: str


def new_key() -> SigningKey:
    """Create a key."""
    kid = secrets.token_urlsafe(12)
    made = RSAKey.generate_key(KEY_BITS, {"kid": kid})
    return SigningKey(kid=kid, pem=made.as_pem(private=True).decode())


def public_key_set(keys: Sequence[SigningKey]) -> dict[str, Any]:
    """The public parts of these keys, as a JWKS document."""
    public = (_imported(each).as_dict(private=False) for each in keys)
    return {"keys": [{**each, "use": "sig", "alg": OWN_ALGORITHM} for each in public]}


def signed(claims: Mapping[str, Any], key: SigningKey) -> str:
    """Create a signed message to a platform. Adds its time, its expiry and a nonce."""
    now = int(time.time())
    times = {"iat": now, "exp": now + MESSAGE_LIFETIME_SECONDS, "nonce": secrets.token_urlsafe(16)}
    return jwt.encode({"alg": OWN_ALGORITHM, "kid": key.kid, "typ": "JWT"}, {**claims, **times}, _imported(key))


def client_assertion(client_id: str, audience: str, key: SigningKey) -> str:
    """A proof for a platform's token endpoint that a request comes from this service (RFC 7523)."""
    return str(
        private_key_jwt_sign(
            _imported(key),
            client_id=client_id,
            token_endpoint=audience,
            alg=OWN_ALGORITHM,
            header={"kid": key.kid},
            expires_in=MESSAGE_LIFETIME_SECONDS,
        )
    )


@lru_cache(maxsize=4)
def _imported(key: SigningKey) -> RSAKey:
    """The key in the form that joserfc needs. It is kept because reading it takes longer than signing."""
    return RSAKey.import_key(key.pem, {"kid": key.kid})


def rotate(session: Session, now: datetime) -> SigningKey:
    """Add a key, which replaces the present one in an hour. Raises RefusedError during a rotation."""
    if len(published(session, now)) > 1:
        raise RefusedError("The keys are being rotated. Rotate again after the old key has disappeared.")
    return _add(session, now)


def ensure_key(session: Session, now: datetime) -> None:
    """Create the first key, if the service does not have one yet."""
    if not _rows(session):
        _add(session, now)


def signing_key(session: Session, now: datetime) -> SigningKey:
    """The key with which the service signs now. Raises RefusedError without a key."""
    rows = _rows(session)
    if not rows:
        raise RefusedError("This service has no key yet. The operator creates one with `grader lti add`.")
    ready = [each for each in rows if each.created + LEAD <= now]
    return _key(ready[-1] if ready else rows[0])


def published(session: Session, now: datetime) -> list[SigningKey]:
    """The keys that platforms may see now, the oldest first."""
    rows = _rows(session)
    ends = [each.created + LEAD + OVERLAP for each in rows[1:]]
    return [_key(each) for each, end in zip(rows, [*ends, None], strict=False) if end is None or now < end]


def _add(session: Session, now: datetime) -> SigningKey:
    made = new_key()
    session.add(LtiKeyRow(kid=made.kid, pem=made.pem, created=now))
    return made


def _rows(session: Session) -> Sequence[LtiKeyRow]:
    return session.scalars(select(LtiKeyRow).order_by(LtiKeyRow.created, LtiKeyRow.kid)).all()


def _key(row: LtiKeyRow) -> SigningKey:
    return SigningKey(kid=row.kid, pem=row.pem)
