"""Keys that issuers use to sign messages, and their discovery documents (OpenID Connect). An issuer is a university, a
CI provider or a learning platform. The operator enters the addresses of the first two, so they may be in private
networks.
"""

import json
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from grader.common.errors import InputError
from grader.service.network.addresses import ANY_NETWORK, LOOPBACK
from grader.service.network.client import HttpClient
from grader.service.network.throttle import ConcurrencyLimiter

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signature algorithms that an issuer may use. `none` and algorithms that use a shared secret are excluded."""

KEYS_LIFETIME_SECONDS, MIN_REREAD_SECONDS = 3600.0, 60.0
"""The maximum age of an issuer's keys, and the age from which an unknown key makes the service read the keys again."""

CLIENT = HttpClient(private=ANY_NETWORK)


class UnsignedError(ValueError):
    """A message is not signed by a key of the issuer. The text gives the reason."""


@dataclass(frozen=True, kw_only=True)
class _Known:
    """The keys of an issuer, and the time when they were read."""

    keys: KeySet
    read: float


class IssuerKeys:
    """The keys of an issuer, which `fetch` reads. They are read again after an hour. If none of them fits a message,
    they are read again after a minute, because the issuer may have new ones. Instances may be shared between threads.
    """

    def __init__(
        self, fetch: Callable[[], KeySet], limiter: ConcurrencyLimiter, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetch, self._limiter, self._clock = fetch, limiter, clock
        self._known: _Known | None = None

    def current(self) -> KeySet:
        """The keys, which are at most an hour old. Raises any error that `fetch` raises, or RefusedError if too many
        threads wait.
        """
        return self._current().keys

    def decoded(self, text: str) -> jwt.Token:
        """Decode a message that the issuer has signed. Raises UnsignedError if the issuer has not signed it, and any
        error that `current` raises.
        """
        known = self._current()
        try:
            return _decoded(text, known.keys)
        except UnsignedError:
            if self._clock() - known.read < MIN_REREAD_SECONDS:
                raise
        return _decoded(text, self._newer_than(known).keys)

    def read(self) -> KeySet:
        """Read the keys now."""
        return self._newer_than(self._known).keys

    def _current(self) -> _Known:
        known = self._known
        if known is not None and self._clock() - known.read < KEYS_LIFETIME_SECONDS:
            return known
        return self._newer_than(known)

    def _newer_than(self, old: _Known | None) -> _Known:
        """Read the keys, unless another thread has read newer ones in the meantime."""
        with self._limiter.slot():
            known = self._known
            if known is None or known is old:
                self._known = known = _Known(keys=self._fetch(), read=self._clock())
            return known


def key_set(document: Any) -> KeySet:
    """The keys in a JWKS document. Keys of unknown types are left out. Raises ValueError without a usable key."""
    try:
        stated = [each for each in document["keys"] if each.get("kty") in {"RSA", "EC"} and each.get("use") != "enc"]
        return KeySet.import_key_set({"keys": stated})
    except (JoseError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("the document is not a set of keys") from error


def _decoded(text: str, keys: KeySet) -> jwt.Token:
    try:
        return jwt.decode(text, keys, list(ALGORITHMS))
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnsignedError(_why(text)) from error


def _why(text: str) -> str:
    """The reason why a message is refused, according to its header."""
    try:
        algorithm = str(_header(text)["alg"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "it is not a signed message"
    if algorithm not in ALGORITHMS:
        return f"its signature algorithm is {algorithm[:20]}, which is not accepted"
    return "no key of the issuer has signed it"


def _header(text: str) -> Mapping[str, Any]:
    part = text.partition(".")[0]
    found: Mapping[str, Any] = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return found


def require_safe_issuer(issuer: str, setting: str) -> None:
    """Raise InputError if an issuer on another machine does not use TLS."""
    parts = urlsplit(issuer)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise InputError(f"{setting} must begin with https://; correct your settings.")


def metadata_of(issuer: str) -> Mapping[str, Any]:
    """The discovery document of an issuer. Raises OSError or ValueError if the issuer does not provide a usable one."""
    metadata = _json(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if not isinstance(metadata, dict) or metadata.get("issuer") != issuer:
        raise ValueError("the discovery document belongs to another issuer")
    return metadata


def keys_in(metadata: Mapping[str, Any]) -> KeySet:
    """The keys of the issuer with this metadata. Raises OSError, ValueError or KeyError if there is no usable key."""
    return key_set(_json(metadata["jwks_uri"]))


def _json(place: str) -> Any:
    answer = CLIENT.send("GET", place, {"accept": "application/json"})
    if answer.status != 200 or not answer.is_complete:
        raise ValueError("the issuer does not answer")
    return json.loads(answer.text)
