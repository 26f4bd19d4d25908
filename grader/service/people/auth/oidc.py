"""A university's sign-on by OpenID Connect's code flow, with state, nonce and PKCE.

A browser cookie keeps the data of a sign-in until the university redirects the browser back, so starting a sign-in does
not write to the database. The addresses and keys of the issuer come from its discovery document.
"""

import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from grader.common.sign_in import UniversityRules
from grader.service.db.tokens import same_token
from grader.service.errors import RefusedError
from grader.service.network.addresses import ANY_NETWORK
from grader.service.network.client import guarded
from grader.service.network.throttle import ConcurrencyLimiter
from grader.service.people.auth.issuer_keys import IssuerKeys, keys_in, metadata_of, require_safe_issuer

LOG = logging.getLogger(__name__)

ISSUER_TIMEOUT_SECONDS, SIGN_ON_SECONDS = 10.0, 60.0
"""Seconds to wait for each part of the issuer's answer, and for all its answers during a sign-on."""

CLOCK_LEEWAY_SECONDS = 60
"""Seconds by which the issuer's clock may differ from this machine's."""

MAX_AT_ONCE, MAX_WAITING = 4, 2
"""Maximum number of sign-ins that contact the issuer at once, and of those that wait. All others are asked to try
again.
"""

BUSY = "Many people are signing in right now; try again in a moment."

CALLBACK_PATH = "/sign-on/back"
"""Path to which the university sends the browser back."""

FAILED = "The sign-on could not be completed. Begin again; if that fails, too, ask your instructor for a link."


class SignOnFailedError(RefusedError):
    """The university's answer does not identify the person who signs in."""


@dataclass(frozen=True, kw_only=True)
class SignOnStart:
    """The address to which the browser is redirected, and the text that its cookie keeps until it comes back."""

    address: str
    kept: str


class University:
    """The university's issuer, with this service as its client."""

    def __init__(self, rules: UniversityRules, secret: str, origin: str) -> None:
        require_safe_issuer(rules.issuer, "sign_in.university.issuer")
        self.name, self._rules, self._secret, self._origin = rules.name, rules, secret, origin
        self._metadata: Mapping[str, Any] = {}
        self._limiter = ConcurrencyLimiter(MAX_AT_ONCE, BUSY, max_waiting=MAX_WAITING)
        self._keys = IssuerKeys(self._fetch_keys, ConcurrencyLimiter(MAX_AT_ONCE, BUSY))

    def begin(self) -> SignOnStart:
        """Start a sign-in. Raises RefusedError if the issuer does not answer."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        with self._client() as client:
            place = self._current_metadata()["authorization_endpoint"]
            address, _ = client.create_authorization_url(place, state=state, nonce=nonce, code_verifier=verifier)
        return SignOnStart(address=address, kept=f"{state}.{nonce}.{verifier}")

    def finish(self, kept: str, answer: Mapping[str, str]) -> str:
        """Return the key of the person who has signed in, taken from the issuer's claim. Raises RefusedError if the
        sign-in fails.
        """
        state, _, rest = kept.partition(".")
        nonce, _, verifier = rest.partition(".")
        if not (state and nonce and verifier and same_token(state, answer.get("state", ""))):
            raise SignOnFailedError(FAILED)
        if answer.get("iss", self._rules.issuer) != self._rules.issuer or not answer.get("code"):
            raise SignOnFailedError(FAILED)
        with self._client() as client:
            token = client.fetch_token(
                self._current_metadata()["token_endpoint"],
                code=answer["code"],
                code_verifier=verifier,
                grant_type="authorization_code",
            )
            return self._named(self._claims(token, nonce))

    def _claims(self, token: Mapping[str, Any], nonce: str) -> Mapping[str, Any]:
        """The claims of the ID token. The token must be valid now, and issued for this client and this sign-in."""
        decoded = self._keys.decoded(str(token["id_token"]))
        wanted = {"iss": self._rules.issuer, "aud": self._rules.client_id}
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            {name: {"essential": True, "value": value} for name, value in wanted.items()},
            {"nonce": nonce, "client_id": self._rules.client_id, "access_token": token.get("access_token")},
        )
        claims.validate(leeway=CLOCK_LEEWAY_SECONDS)
        return decoded.claims

    def _named(self, claims: Mapping[str, Any]) -> str:
        named = claims.get(self._rules.claim)
        if not isinstance(named, str) or not named:
            LOG.warning("the ID token has no usable claim %s that identifies the person", self._rules.claim)
            raise SignOnFailedError(FAILED)
        if self._rules.claim == "email" and claims.get("email_verified") is not True:
            raise RefusedError("Your university has not verified your mail address; ask your instructor for a link.")
        return named

    def _current_metadata(self) -> Mapping[str, Any]:
        """The metadata of the issuer, which is read together with its keys."""
        self._keys.current()
        return self._metadata

    def _fetch_keys(self) -> KeySet:
        metadata = metadata_of(self._rules.issuer)
        keys = keys_in(metadata)
        self._metadata = metadata
        return keys

    def _client(self) -> AbstractContextManager[Any]:
        methods = self._metadata.get("token_endpoint_auth_methods_supported", ())
        client = OAuth2Session(
            self._rules.client_id,
            self._secret,
            scope=self._rules.scope,
            redirect_uri=self._origin + CALLBACK_PATH,
            code_challenge_method="S256",
            token_endpoint_auth_method=(
                "client_secret_post" if methods and "client_secret_basic" not in methods else "client_secret_basic"
            ),
            default_timeout=ISSUER_TIMEOUT_SECONDS,
        )
        client.max_redirects = 0  # the issuer must answer at the address in its metadata, without redirects
        return _reporting_failures(client, self._limiter)


@contextmanager
def _reporting_failures(client: Any, limiter: ConcurrencyLimiter) -> Iterator[Any]:
    """Limit how many blocks run at once, and report any error in the issuer's answers as one sentence to the person who
    signs in. The log contains only the type of the error because its text may contain secrets.
    """
    with limiter.slot():
        try:
            with guarded(client, ANY_NETWORK, SIGN_ON_SECONDS):
                yield client
        except (AuthlibBaseError, JoseError, OSError, ValueError, KeyError, TypeError) as error:
            LOG.warning("a sign-on failed: %s", type(error).__name__)
            raise SignOnFailedError(FAILED) from error
