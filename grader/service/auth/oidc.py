"""A university's sign-on: OpenID Connect's code flow, with state, nonce and PKCE.

What a sign-in must remember until the browser comes back is in a cookie of that browser, so that who only begins
writes nothing here. Where the issuer answers, and with which keys it signs, is read from its own discovery document.
"""

import logging
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from requests import RequestException

from grader.common.errors import InputError
from grader.common.sign_in import UniversityRules
from grader.service.auth.secrets import same_token
from grader.service.errors import RefusalError
from grader.service.throttle import ConcurrencyLimiter

LOG = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""By which an issuer may sign; no others, above all neither none nor one with the client's secret."""

PATIENCE = 10.0
"""Seconds that the issuer has for each answer."""

LEEWAY = 60
"""Seconds by which its clock may differ from ours."""

KNOWN_FOR, NOT_BEFORE = 3600.0, 60.0
"""Seconds after which what the issuer says of itself is read again, and before which an unknown key does not do so."""

AT_ONCE, WAITING = 4, 2
"""Number of sign-ins that ask the issuer at once, and number that wait; all others are asked to try again."""

BACK = "/sign-on/back"
"""Where the browser comes back."""

FAILED = "The sign-on could not be completed. Begin again; if that fails, too, ask your instructor for a link."


class SignOnFailedError(RefusalError):
    """The university's answer does not say who signs in."""


@dataclass(frozen=True, kw_only=True)
class SignInBegun:
    """Where the browser goes, and what it keeps meanwhile."""

    address: str
    kept: str


@dataclass(frozen=True, kw_only=True)
class _Issuer:
    """What the issuer says of itself, and when that was read."""

    said: Mapping[str, Any]
    keys: KeySet
    read: float


class University:
    """An issuer and this service as its client."""

    def __init__(self, rules: UniversityRules, secret: str, origin: str) -> None:
        parts = urlsplit(rules.issuer)
        if parts.scheme != "https" and parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
            raise InputError("sign_in.university.issuer must begin with https://; correct your settings.")
        self.name, self._rules, self._secret, self._origin = rules.name, rules, secret, origin
        self._known: _Issuer | None = None
        self._lock = Lock()
        self._turns = ConcurrencyLimiter(
            AT_ONCE, "Many people are signing in right now; try again in a moment.", waiting=WAITING
        )

    def begin(self) -> SignInBegun:
        """A new sign-in; raises RefusalError if the issuer does not answer."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        with self._asking() as client:
            place = self._issuer(client).said["authorization_endpoint"]
            address, _ = client.create_authorization_url(place, state=state, nonce=nonce, code_verifier=verifier)
        return SignInBegun(address=address, kept=f"{state}.{nonce}.{verifier}")

    def finish(self, kept: str, answer: Mapping[str, str]) -> str:
        """The key of whoever has signed in there, as the issuer's claim names them; raises RefusalError."""
        state, _, rest = kept.partition(".")
        nonce, _, verifier = rest.partition(".")
        if not (state and nonce and verifier and same_token(state, answer.get("state", ""))):
            raise SignOnFailedError(FAILED)
        if answer.get("iss", self._rules.issuer) != self._rules.issuer or not answer.get("code"):
            raise SignOnFailedError(FAILED)
        with self._asking() as client:
            issuer = self._issuer(client)
            token = client.fetch_token(
                issuer.said["token_endpoint"],
                code=answer["code"],
                code_verifier=verifier,
                grant_type="authorization_code",
            )
            return self._named(self._claims(client, token, nonce))

    def _claims(self, client: Any, token: Mapping[str, Any], nonce: str) -> Mapping[str, Any]:
        """Those of an id token that holds for us, now, and for this sign-in."""
        decoded = self._decoded(client, str(token["id_token"]))
        wanted = {"iss": self._rules.issuer, "aud": self._rules.client_id}
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            {name: {"essential": True, "value": value} for name, value in wanted.items()},
            {"nonce": nonce, "client_id": self._rules.client_id, "access_token": token.get("access_token")},
        )
        claims.validate(leeway=LEEWAY)
        return decoded.claims

    def _decoded(self, client: Any, text: str) -> jwt.Token:
        """With a signature of the issuer's, whose keys may be newer than those that we know."""
        issuer = self._issuer(client)
        try:
            return jwt.decode(text, issuer.keys, list(ALGORITHMS))
        except (JoseError, ValueError):
            if time.monotonic() - issuer.read < NOT_BEFORE:
                raise
            return jwt.decode(text, self._read(client).keys, list(ALGORITHMS))

    def _named(self, claims: Mapping[str, Any]) -> str:
        named = claims.get(self._rules.claim)
        if not isinstance(named, str) or not named:
            LOG.warning("the sign-on's id token has no claim %s that names a person", self._rules.claim)
            raise SignOnFailedError(FAILED)
        if self._rules.claim == "email" and claims.get("email_verified") is not True:
            raise RefusalError("Your university has not verified your mail address; ask your instructor for a link.")
        return named

    def _issuer(self, client: Any) -> _Issuer:
        known = self._known
        if known is not None and time.monotonic() - known.read < KNOWN_FOR:
            return known
        return self._read(client)

    def _read(self, client: Any) -> _Issuer:
        with self._lock:
            place = f"{self._rules.issuer.rstrip('/')}/.well-known/openid-configuration"
            said = _json(client, place)
            if said["issuer"] != self._rules.issuer:
                raise ValueError("the discovery document is of another issuer")
            self._known = _Issuer(
                said=said, keys=KeySet.import_key_set(_json(client, said["jwks_uri"])), read=time.monotonic()
            )
            return self._known

    def _asking(self) -> AbstractContextManager[Any]:
        methods = () if self._known is None else self._known.said.get("token_endpoint_auth_methods_supported", ())
        client = OAuth2Session(
            self._rules.client_id,
            self._secret,
            scope=self._rules.scope,
            redirect_uri=self._origin + BACK,
            code_challenge_method="S256",
            token_endpoint_auth_method=(
                "client_secret_post" if methods and "client_secret_basic" not in methods else "client_secret_basic"
            ),
            default_timeout=PATIENCE,
        )
        client.max_redirects = 0  # who signs in for us answers where it says, and nowhere else
        return _asking(client, self._turns)


@contextmanager
def _asking(client: Any, limiter: ConcurrencyLimiter) -> Iterator[Any]:
    """In the block, the issuer is asked, by few at once; whatever is wrong with its answers is one sentence for whoever
    signs in, and a word in the log, which quotes nothing.
    """
    with limiter.one(), client:
        try:
            yield client
        except (AuthlibBaseError, JoseError, RequestException, ValueError, KeyError, TypeError) as error:
            LOG.warning("a sign-on failed: %s", type(error).__name__)
            raise SignOnFailedError(FAILED) from error


def _json(client: Any, place: str) -> Any:
    answer = client.request("GET", place, withhold_token=True)
    answer.raise_for_status()
    return answer.json()
