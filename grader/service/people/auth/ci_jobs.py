"""Jobs of a CI provider, which prove their repository with an ID token of the provider (OpenID Connect). No secret is
stored in the repository.

The operator lists the providers. The addresses of their keys come from their discovery documents.
"""

import base64
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from joserfc import jwt
from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError, MissingClaimError
from joserfc.jwk import KeySet

from grader.common.sign_in import CiProviderRules
from grader.protocol.text import showable
from grader.service.errors import RefusedError
from grader.service.network.throttle import ConcurrencyLimiter
from grader.service.people.auth.issuer_keys import IssuerKeys, UnsignedError, keys_in, metadata_of, require_safe_issuer
from grader.service.people.auth.oidc import CLOCK_LEEWAY_SECONDS

LOG = logging.getLogger(__name__)

MAX_AT_ONCE, MAX_WAITING = 4, 4
"""Maximum numbers of jobs that read the keys of a provider at once, and of jobs that wait for the keys. These limits
leave threads free for pages while a provider does not answer.
"""

MAX_TOKEN_LENGTH = 16 * 1024
"""Maximum length of an ID token."""

BUSY = "Many jobs are handing in right now; start the job again in a moment."
UNREADABLE = "The ID token of this job cannot be read. Use the job in docs/git.md."
FORGED = "The signature of this job's ID token is not valid. Use the job in docs/git.md."
EXPIRED = "The ID token of this job has run out. Start the job again."
INCOMPLETE = "The ID token of this job lacks the claim {}, or its value cannot be used. Use the job in docs/git.md."


@dataclass(frozen=True, kw_only=True)
class CiJob:
    """A job, as its provider describes it: the path and the number of its repository, and the user who started it.
    `person_key` is the key of that person in the roster, if the provider knows it.
    """

    issuer: str
    provider: str
    repository: str
    number: str
    user: str
    person_key: str


@dataclass(frozen=True, kw_only=True)
class _ClaimNames:
    """The names of the claims in which a provider states the path and the number of a repository, and the user."""

    repository: str
    number: str
    user: str


CLAIMS = {
    "gitlab": _ClaimNames(repository="project_path", number="project_id", user="user_login"),
    "github": _ClaimNames(repository="repository", number="repository_id", user="actor"),
}


class CiProvider:
    """A provider whose ID tokens the service accepts for this audience."""

    def __init__(self, rules: CiProviderRules, origin: str) -> None:
        require_safe_issuer(rules.issuer, "the issuer in sign_in.ci_providers")
        self.name, self.issuer, self.audience = rules.name, rules.issuer, rules.audience or origin
        self._rules = rules
        self._keys = IssuerKeys(self._fetch_keys, ConcurrencyLimiter(MAX_AT_ONCE, BUSY, max_waiting=MAX_WAITING))

    def job_of(self, token: str) -> CiJob:
        """The job to which an ID token was issued. Raises RefusedError with a sentence for the reader of its log."""
        claims = self._claims(token)
        names = CLAIMS[self._rules.provider]
        key = _text(claims, self._rules.person_claim) if self._rules.person_claim else ""
        return CiJob(
            issuer=self.issuer,
            provider=self.name,
            repository=_text(claims, names.repository).lower(),
            number=_text(claims, names.number),
            user=_text(claims, names.user).lower(),
            person_key=key,
        )

    def _claims(self, token: str) -> Mapping[str, Any]:
        """The claims of a token that is valid now and was issued for this service."""
        try:
            decoded = self._keys.decoded(token)
        except UnsignedError as error:
            LOG.warning("an ID token of a job was refused: %s", type(error).__name__)
            raise RefusedError(FORGED) from error
        registry = jwt.JWTClaimsRegistry(
            leeway=CLOCK_LEEWAY_SECONDS,
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "value": self.audience},
            exp={"essential": True},
            iat={"essential": True},
        )
        try:
            registry.validate(decoded.claims)
        except ExpiredTokenError as error:
            raise RefusedError(EXPIRED) from error
        except (InvalidClaimError, MissingClaimError) as error:
            wrong_audience = f"The ID token of this job is not for this service. Set its audience to {self.audience}."
            raise RefusedError(wrong_audience if error.claim == "aud" else INCOMPLETE.format(error.claim)) from error
        except JoseError as error:  # issued in the future
            raise RefusedError(INCOMPLETE.format("iat")) from error
        return decoded.claims

    def _fetch_keys(self) -> KeySet:
        """Read the keys of the provider. Raises RefusedError if it does not answer."""
        try:
            return keys_in(metadata_of(self.issuer))
        except (OSError, ValueError, KeyError) as error:
            LOG.warning("the keys of a CI provider could not be read: %s", type(error).__name__)
            words = f"{self.name} does not answer, so this job's ID token cannot be checked. Start the job later."
            raise RefusedError(words) from error


def job_of(providers: Sequence[CiProvider], token: str) -> CiJob:
    """The job to which one of these providers has issued an ID token. Raises RefusedError if none has."""
    issuer = _claimed_issuer(token)
    for each in providers:
        if each.issuer == issuer:
            return each.job_of(token)
    known = " and ".join(each.issuer for each in providers)
    raise RefusedError(f"This service takes no jobs of {showable(issuer)!r}, only of {known}.")


def _claimed_issuer(token: str) -> str:
    """The issuer that a token names. It only selects the provider whose keys must verify the token."""
    parts = token.split(".")
    try:
        if len(parts) != 3 or len(token) > MAX_TOKEN_LENGTH:
            raise ValueError("not a signed token")  # noqa: TRY301
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        issuer = claims["iss"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RefusedError(UNREADABLE) from error
    if not isinstance(issuer, str):
        raise RefusedError(UNREADABLE)
    return issuer


def _text(claims: Mapping[str, Any], name: str) -> str:
    """A claim as text. Raises RefusedError if it is missing."""
    value = claims.get(name)
    if not isinstance(value, str | int) or isinstance(value, bool) or not 0 < len(str(value)) <= 300:
        raise RefusedError(INCOMPLETE.format(name))
    return str(value)
