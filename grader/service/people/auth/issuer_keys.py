"""Keys that issuers use to sign messages. An issuer is a university, a CI provider or a learning platform."""

import json
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from grader.service.network.throttle import ConcurrencyLimiter

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signature algorithms that an issuer may use. `none` and algorithms that use a shared secret are excluded."""

KEYS_LIFETIME_SECONDS, MIN_REREAD_SECONDS = 3600.0, 60.0
"""The maximum age of an issuer's keys, and the age from which an unknown key makes the service read the keys again."""


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
