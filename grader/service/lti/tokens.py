"""The keys of the service, and messages that it signs with them."""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from authlib.oauth2.rfc7523 import private_key_jwt_sign
from joserfc import jwt
from joserfc.jwk import RSAKey

OWN_ALGORITHM = "RS256"
"""The algorithm with which the service signs. Every platform must support it."""

MESSAGE_LIFETIME_SECONDS = 300
"""Time within which a platform must receive a message from the service."""

KEY_BITS = 2048


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
