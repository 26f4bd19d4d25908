"""Signed messages, keys and access tokens. This module is the adapter to Authlib and joserfc."""

import json
import secrets
import time
from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from authlib.oauth2.rfc7523 import private_key_jwt_sign
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signature algorithms that a platform may use. `none` and algorithms that use a shared secret are excluded."""

OWN_ALGORITHM = "RS256"
"""The algorithm with which the service signs. Every platform must support it."""

MESSAGE_LIFETIME_SECONDS = 300
"""Time in which a platform must receive a message of the service."""

KEY_BITS = 2048


class UnsignedError(Exception):
    """A message that no key of the platform has signed. The text gives the reason."""


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


def key_set(document: Any) -> KeySet:
    """The keys in a JWKS document. Keys of unknown types are left out. Raises ValueError without a usable key."""
    try:
        stated = [each for each in document["keys"] if each.get("kty") in {"RSA", "EC"} and each.get("use") != "enc"]
        return KeySet.import_key_set({"keys": stated})
    except (JoseError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("the document is not a set of keys") from error


def verified(text: str, keys: KeySet) -> Mapping[str, Any]:
    """The claims of a message that one of these keys has signed. Raises UnsignedError if none has."""
    try:
        return jwt.decode(text, keys, list(ALGORITHMS)).claims
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnsignedError(_why(text)) from error


def _why(text: str) -> str:
    """The reason why a message is refused, as far as its header shows it."""
    try:
        algorithm = str(_header(text)["alg"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "it is not a signed message"
    if algorithm not in ALGORITHMS:
        return f"its signature algorithm is {algorithm[:20]}, which is not accepted"
    return "no key of the platform has signed it"


def _header(text: str) -> Mapping[str, Any]:
    part = text.partition(".")[0]
    found: Mapping[str, Any] = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return found


def signed(claims: Mapping[str, Any], key: SigningKey) -> str:
    """A message to a platform. Adds its time, its end and a nonce."""
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
