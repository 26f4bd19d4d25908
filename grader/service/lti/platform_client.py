"""Requests to learning platforms, for their keys, access tokens, and services. Redirects are not followed, large or
slow answers are refused, and a list may come in several pages.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any
from urllib.parse import urljoin, urlsplit

from joserfc.jwk import KeySet

from grader.service.errors import RefusedError
from grader.service.lti.keys import SigningKey, client_assertion
from grader.service.network.addresses import require_address
from grader.service.network.client import HttpAnswer, HttpClient, UnansweredError
from grader.service.network.throttle import ConcurrencyLimiter
from grader.service.people.auth.issuer_keys import IssuerKeys, key_set

TOKEN_MARGIN_SECONDS = 60.0
"""A token is renewed this long before it expires."""

MAX_TOKEN_SECONDS = 7 * 24 * 3600
"""Longest lifetime of a token that is believed. A token with another one is used once."""

MAX_PAUSE_SECONDS = 3600.0
"""Longest pause that a platform may request."""

MAX_PAGES, MAX_CHARACTERS = 500, 32 * 1024 * 1024
"""Maximum number of pages of a list, and of characters in all of them. 10,000 members have 5 million."""

NEXT = re.compile(r'<([^<>]*)>\s*;[^,<]*\brel="?next"?', re.IGNORECASE)
"""Pattern of the address of the next page in a Link header. It is searched in linear time: no part of it reaches beyond
the next `<`.
"""


class PlatformError(Exception):
    """A request to a platform that failed. The text says why."""


class NoAnswerError(PlatformError):
    """The platform did not give a usable answer or an access token. All requests would fail."""


class SlowDownError(PlatformError):
    """The platform asks for fewer requests. `seconds` is the pause that it requests, or None if unknown."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__("the platform asks for fewer requests")
        self.seconds = seconds


class FaultError(PlatformError):
    """The platform has failed at this request, which may work later."""


class RejectedError(PlatformError):
    """The platform has refused this request, which would be refused again."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(f"{status}: {words}" if words else f"status {status}")
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """The addresses of a registration, and the fields that identify it."""

    number: int
    client_id: str
    token_url: str
    token_audience: str
    jwks_url: str


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """A request to a service of a platform. `scopes` are the permissions that it needs."""

    method: str
    url: str
    scopes: tuple[str, ...]
    accept: str
    body: Mapping[str, Any] | None = None
    content_type: str = "application/json"


class PlatformAnswer(HttpAnswer):
    """The answer of a platform."""

    @property
    def json(self) -> Any:
        """The value in the answer. Raises NoAnswerError if it is not JSON."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise NoAnswerError("the platform's answer is not JSON") from error

    @property
    def rows(self) -> list[Mapping[str, Any]]:
        """The objects in an answer that is a list. Raises NoAnswerError if the answer is not a list."""
        found = self.json
        if not isinstance(found, list):
            raise NoAnswerError("the platform's answer is not a list")
        return [each for each in found if isinstance(each, dict)]


@dataclass
class PlatformClient:
    """Sends requests to platforms. Several threads may use it."""

    http: HttpClient = field(default_factory=HttpClient)
    clock: Callable[[], float] = time.monotonic
    _keys: dict[str, IssuerKeys] = field(default_factory=dict)
    _tokens: dict[tuple[int, tuple[str, ...]], tuple[str, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _limiter: ConcurrencyLimiter = field(
        default_factory=lambda: ConcurrencyLimiter(
            4, "Many people arrive right now; try again in a moment.", max_waiting=20
        )
    )

    def require_address(self, url: str, what: str) -> str:
        """Return the address if the service may send requests to it. Otherwise, raises RefusedError."""
        return require_address(url, what, self.http.private)

    def claims(self, text: str, platform: Endpoints) -> Mapping[str, Any]:
        """The claims of a message that the platform has signed. Raises UnsignedError if the platform has not signed it,
        or NoAnswerError if the platform's keys cannot be read.
        """
        return self._issuer_keys(platform.jwks_url).decoded(text).claims

    def read_keys(self, url: str) -> KeySet:
        """Read a platform's keys. Raises NoAnswerError if that fails."""
        return self._issuer_keys(url).read()

    def _issuer_keys(self, url: str) -> IssuerKeys:
        with self._lock:
            return self._keys.setdefault(url, IssuerKeys(partial(self._fetch_keys, url), self._limiter, self.clock))

    def _fetch_keys(self, url: str) -> KeySet:
        answer = self._sent("GET", url, "address of the keys", {"accept": "application/json"}, None)
        if answer.status != 200:
            raise NoAnswerError(f"the address of the platform's keys answered with status {answer.status}")
        try:
            return key_set(answer.json)
        except ValueError as error:
            raise NoAnswerError("the address of the platform's keys does not contain usable keys") from error

    def ask(self, platform: Endpoints, key: SigningKey, request: ServiceRequest) -> PlatformAnswer:
        """Send a request with an access token. Raises a PlatformError unless the answer is a success."""
        answer = self._asked(platform, key, request)
        if answer.status == 401:  # the token may have been revoked, so try once with a new one
            with self._lock:
                self._tokens.pop((platform.number, request.scopes), None)
            answer = self._asked(platform, key, request)
        return succeeded(answer)

    def _asked(self, platform: Endpoints, key: SigningKey, request: ServiceRequest) -> PlatformAnswer:
        headers = {"authorization": f"Bearer {self.token(platform, key, request.scopes)}", "accept": request.accept}
        data = None
        if request.body is not None:
            headers["content-type"], data = request.content_type, json.dumps(request.body).encode()
        return self._sent(request.method, request.url, "address of the service", headers, data)

    def token(self, platform: Endpoints, key: SigningKey, scopes: tuple[str, ...]) -> str:
        """An access token with these scopes. Raises NoAnswerError if the platform does not give one."""
        place = platform.number, scopes
        with self._lock:
            found = self._tokens.get(place)
        if found is not None and self.clock() < found[1]:
            return found[0]
        answer = self.token_answer(platform, key, scopes)
        stated = answer.json if answer.status == 200 else None
        if not isinstance(stated, dict) or not isinstance(stated.get("access_token"), str):
            raise NoAnswerError(f"the platform did not give an access token (status {answer.status}): {answer.words}")
        lasts = stated.get("expires_in")
        seconds = lasts if isinstance(lasts, int | float) and 0 <= lasts <= MAX_TOKEN_SECONDS else 0
        ends = self.clock() + seconds - TOKEN_MARGIN_SECONDS
        with self._lock:
            self._tokens[place] = stated["access_token"], ends
        return str(stated["access_token"])

    def token_answer(self, platform: Endpoints, key: SigningKey, scopes: tuple[str, ...]) -> PlatformAnswer:
        """The platform's answer to a request for an access token."""
        audience = platform.token_audience or platform.token_url
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": client_assertion(platform.client_id, audience, key),
            "scope": " ".join(scopes),
        }
        return self._sent("POST", platform.token_url, "address of access tokens", {"accept": "application/json"}, form)

    def plain(self, method: str, url: str, body: Mapping[str, Any] | None = None, token: str = "") -> PlatformAnswer:
        """Send a request outside a registration, with an optional bearer token."""
        headers = {"accept": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
        data = None
        if body is not None:
            headers["content-type"], data = "application/json", json.dumps(body).encode()
        return self._sent(method, url, "address", headers, data)

    def _sent(self, method: str, url: str, what: str, headers: Mapping[str, str], data: Any) -> PlatformAnswer:
        try:
            self.require_address(url, what)
        except RefusedError as error:
            raise NoAnswerError(str(error)) from error
        try:
            answer = self.http.send(method, url, headers, data)
        except UnansweredError as error:
            raise NoAnswerError(f"{urlsplit(url).hostname} {error}") from error
        if 300 <= answer.status < 400:
            raise NoAnswerError(f"the {what} redirects to another address, which is not followed; register that one")
        if not answer.is_complete:
            raise NoAnswerError("the platform's answer is too large")
        return PlatformAnswer(status=answer.status, headers=answer.headers, text=answer.text)


def succeeded(answer: PlatformAnswer) -> PlatformAnswer:
    """The answer, if it is a success. Otherwise, raises a PlatformError. To ask for fewer requests, Canvas answers 403
    with a header.
    """
    limited = answer.status == 403 and (
        "x-rate-limit-remaining" in answer.headers and "rate limit" in answer.text.lower()
    )
    if answer.status == 429 or limited:
        raise SlowDownError(_seconds(answer.headers.get("retry-after")))
    if answer.status >= 500 or answer.status in {401, 408}:
        raise FaultError(f"the platform answered with status {answer.status}: {answer.words}".rstrip(": "))
    if not 200 <= answer.status < 300:
        raise RejectedError(answer.status, answer.words)
    return answer


def _seconds(stated: str | None) -> float | None:
    if stated is None or not stated.isascii() or not stated.isdigit():
        return None
    return min(float(stated), MAX_PAUSE_SECONDS)


def pages(
    client: PlatformClient, platform: Endpoints, key: SigningKey, first: ServiceRequest
) -> Iterator[PlatformAnswer]:
    """Return all pages of a list, starting with this request. Raises a PlatformError or RefusedError if a page cannot
    be read, or if the list is too large.
    """
    address, seen, length = first.url, set[str](), 0
    while address:
        if address in seen or len(seen) >= MAX_PAGES:
            raise RefusedError("the list has too many pages.")
        seen.add(address)
        asked = ServiceRequest(method="GET", url=address, scopes=first.scopes, accept=first.accept)
        answer = client.ask(platform, key, asked)
        length += len(answer.text)
        if length > MAX_CHARACTERS:
            raise RefusedError("the list is too large.")
        yield answer
        address = _next(answer, address)


def _next(answer: PlatformAnswer, address: str) -> str:
    """Address of the next page, or empty on the last page. It must be on the same server, because it gets the token."""
    found = NEXT.search(answer.headers.get("link", ""))
    if found is None:
        return ""
    try:
        following: str = urljoin(address, found[1])
        is_elsewhere = urlsplit(following)[:2] != urlsplit(address)[:2]
    except ValueError as error:
        raise RefusedError("the address of the next page of the list is not valid.") from error
    if is_elsewhere:
        raise RefusedError("the next page of the list is at another server.")
    return following
