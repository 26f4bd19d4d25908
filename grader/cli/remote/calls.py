"""Sends requests to a service. Answers are JSON, and errors are sentences. Raises InputError if the service refuses a
request, and UnreachableError if it cannot be reached.
"""

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from grader.common.errors import InputError, UnreachableError

SILENCE_SECONDS = 60.0
"""Seconds without a byte after which a connection is given up. A stream of events is never silent for that long."""

MOST = 4 * 1024 * 1024
"""Maximum number of bytes that are read from an answer."""

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class _StayHere(HTTPRedirectHandler):
    """Does not follow redirects, because the token would be sent to the new address."""

    def redirect_request(self, *_: Any) -> None:
        """Return None, so that urllib raises an error."""


def origin_of(url: str) -> str:
    """Return the origin of a service's address. Raises InputError for an address to which no secret should be sent."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        raise InputError(f"{url} is not the address of a service; write one such as https://grader.example.org.")
    if parts.scheme == "http" and parts.hostname not in LOCAL:
        raise InputError(f"{url} is not encrypted: others could read your token; use https://.")
    return f"{parts.scheme}://{parts.netloc}".lower()


class Service:
    """A service, given by its origin. Without a token, only signing in works."""

    def __init__(self, url: str, token: str = "") -> None:
        self._url, self._headers = url, {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, data: bytes | None = None) -> Any:
        """Send a request and return the JSON of the answer, or None for an empty answer."""
        with self.answer(method, path, data) as answer:
            return self._json(answer)

    def post_form(self, path: str, **fields: str) -> dict[str, Any]:
        """Send an OAuth form and return the answer, which may be an OAuth error."""
        request = Request(self._url + path, urlencode(fields).encode(), method="POST")  # noqa: S310 - see origin_of
        with self._said_plainly():
            try:
                with build_opener(_StayHere()).open(request, timeout=SILENCE_SECONDS) as answer:
                    told = self._json(answer)
            except HTTPError as error:
                told = self._refusal(error)
                if "error" not in told:
                    raise InputError(_sentence(self._url, error.code, told)) from error
        return told if isinstance(told, dict) else {}

    @contextmanager
    def answer(self, method: str, path: str, data: bytes | None = None) -> Iterator[HTTPResponse]:
        """Send a request and yield the answer before its content has been read."""
        headers = self._headers | ({} if data is None else {"Content-Type": "application/octet-stream"})
        request = Request(self._url + path, data, headers, method=method)  # noqa: S310 - see origin_of
        with self._said_plainly():
            try:
                with build_opener(_StayHere()).open(request, timeout=SILENCE_SECONDS) as answer:
                    yield answer
            except HTTPError as error:
                raise InputError(_sentence(self._url, error.code, self._refusal(error))) from error

    def _json(self, answer: HTTPResponse) -> Any:
        text = answer.read(MOST)
        try:
            return json.loads(text) if text else None
        except ValueError as error:
            raise InputError(f"{self._url} does not answer like a grader service; check the address.") from error

    @staticmethod
    def _refusal(error: HTTPError) -> dict[str, Any]:
        try:
            told = json.loads(error.read(MOST))
        except ValueError:
            return {}
        return told if isinstance(told, dict) else {}

    @contextmanager
    def _said_plainly(self) -> Iterator[None]:
        try:
            yield
        except (OSError, HTTPException) as error:
            reason = error.reason if isinstance(error, URLError) else error
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise InputError(
                    f"the certificate of {self._url} is not valid ({reason.verify_message}); check the address, or "
                    "tell your instructor."
                ) from error
            words = getattr(reason, "strerror", None) or reason
            raise UnreachableError(
                f"cannot reach {self._url} ({words}); check the address and your network, then run the command again."
            ) from error


def _sentence(url: str, status: int, told: dict[str, Any]) -> str:
    words = told.get("detail")
    if isinstance(words, str) and status == 404:
        return f"{url} has no such assignment or attempt; `grader status` lists the assignments."
    if isinstance(words, str):
        return words
    if status == 413:
        return "the file is too large; hand in only the OpenCL source text, at most 1 MiB."
    return f"{url} answered {status}, which a grader service never does; check the address."
