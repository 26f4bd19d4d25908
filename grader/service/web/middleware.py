"""What every request must be before anybody looks at it, and what every answer says to browsers.

A body is counted while it comes: what is too large is never held.
"""

import asyncio
import re
from urllib.parse import quote, urlsplit

from anyio import CancelScope
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.course.submissions.submission import SIZE_LIMIT

FORM = 64 * 1024
"""Bytes of a form without a file."""

UPLOAD = 2 * SIZE_LIMIT
"""Bytes of a form with a file: a little more is read than may be handed in, so that the answer can say why."""

DRAINED = 16 * 1024 * 1024
"""Bytes that are read and dropped so that a browser sees the answer: it does not while it is still sending."""

OWN_FORM = re.compile(r"multipart/form-data; ?boundary=[\w'()+,./:=?-]{1,70}", re.ASCII | re.IGNORECASE)
"""The type of every form of ours. Others cost more to read: a charset may be one that decodes in quadratic time, and a
form of the other kind may have a million empty fields.
"""

API = "/api/v1/"
"""Addresses below it are for programs. No cookie counts there, and no bearer token elsewhere."""

PORT = re.compile(r":\d*\Z", re.ASCII)
"""What may follow a host's name."""

READING = frozenset({"GET", "HEAD"})
"""Methods that change nothing."""

PLAIN = frozenset({None, "application/octet-stream", "application/x-www-form-urlencoded"})

PATIENCE = 120.0
"""Seconds in which a body must have come."""

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
)
"""A report is one page with its own style; what students wrote stands in it, and nothing in it can run."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with none, browsers hide the origin of forms, too
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
TLS_HEADERS = {"strict-transport-security": "max-age=31536000"}

TOO_LARGE = "What you sent is too large: hand in only the OpenCL source text, at most 1 MiB.\n"
FOREIGN = "This form was sent from another site, so nothing was done. Open the page here, and send it again.\n"
NO_FORM = "That is no form of a page of ours, so nothing was done.\n"
ELSEWHERE = "This service answers at {origin} alone, so nothing was done. Use that address."
TOO_SLOW = "What you sent took too long to come; nothing was stored. Try again.\n"


class TooLargeError(Exception):
    """More came than may come."""


class SecurityHeadersMiddleware:
    """An application each of whose answers has our headers, also one that tells of a fault of ours."""

    def __init__(self, app: ASGIApp, origin: str) -> None:
        self._app = app
        self._headers = HEADERS | (TLS_HEADERS if origin.startswith("https://") else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)


class HeadMethodMiddleware:
    """An application that answers HEAD like GET, but without the body. Stops an answer after its headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        with CancelScope() as answering:

            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    await send(message)
                    await send({"type": "http.response.body", "body": b""})
                    answering.cancel()

            await self._app({**scope, "method": "GET"}, receive, sending)


class SingleHostMiddleware:
    """An application that answers under one host's name: who comes by another one is led to the right address.

    A name that somebody else makes may lead here, too, and browsers would take what is under it for that site's. The
    port is not compared: a proxy may tell none, or its own.
    """

    def __init__(self, app: ASGIApp, origin: str) -> None:
        self._app, self._origin, self._host = app, origin, _host_in(urlsplit(origin).netloc)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or _host_in(Headers(scope=scope).get("host", "")) == self._host:
            await self._app(scope, receive, send)
        else:
            await self._answer(scope)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        """The same page at our address. What would change something, or has a token, is not sent on."""
        words = ELSEWHERE.format(origin=self._origin)
        if scope["path"].startswith(API):
            return JSONResponse({"detail": words}, 421)
        if scope["method"] not in READING:
            return PlainTextResponse(f"{words}\n", 421, {"connection": "close"})
        path, query = quote(scope["path"].lstrip("/")), scope["query_string"].decode("latin-1")
        return RedirectResponse(f"{self._origin}/{path}?{query}".removesuffix("?"), 307)


class RequestChecksMiddleware:
    """An application behind these rules: bodies are small, forms come from our own pages."""

    def __init__(self, app: ASGIApp, origin: str, uploads: frozenset[str]) -> None:
        self._app, self._origin, self._uploads = app, origin, uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = {**scope, "headers": [*map(_plain_cookies, scope["headers"])]}
        sending = _Sending(send)
        if scope["method"] not in READING and not from_own_page(Headers(scope=scope), self._origin):
            await PlainTextResponse(FOREIGN, 403)(scope, receive, sending)
            return
        readable = is_plain if scope["path"].startswith(API) else is_own_form
        if scope["method"] not in READING and not readable(Headers(scope=scope)):
            await PlainTextResponse(NO_FORM, 415, {"connection": "close"})(scope, receive, sending)
            return
        counting = _Counting(receive, self._limit(scope["path"]))
        if _length(Headers(scope=scope)) > counting.limit:
            await self._refuse(scope, receive, sending)
            return
        try:
            await self._app(scope, counting, sending)
        except TooLargeError:
            await self._refuse(scope, receive, sending)
        except TimeoutError:
            await PlainTextResponse(TOO_SLOW, 408)(scope, receive, sending)

    def _limit(self, path: str) -> int:
        return UPLOAD if path.rpartition("/")[2] in self._uploads else FORM

    @staticmethod
    async def _refuse(scope: Scope, receive: Receive, sending: "_Sending") -> None:
        if sending.begun:
            raise TooLargeError
        await _drain(receive)
        await PlainTextResponse(TOO_LARGE, 413, {"connection": "close"})(scope, receive, sending)


def _plain_cookies(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """The header without cookies that have a backslash. None of our own has one.

    Until Python 3.11.10 and 3.12.6, the standard library needs quadratic time for them (CVE-2024-7592).
    """
    name, value = header
    if name != b"cookie" or b"\\" not in value:
        return header
    return name, b";".join(pair for pair in value.split(b";") if b"\\" not in pair)


def from_own_page(headers: Headers, origin: str) -> bool:
    """Whether a browser says that a page of ours sent this. A program that is no browser, and says nothing, passes: it
    has nobody's cookies but its own.
    """
    said = headers.get("origin")
    if said is not None:
        return said == origin
    return headers.get("sec-fetch-site") in {None, "same-origin"} and _same_site(headers.get("referer"), origin)


def is_own_form(headers: Headers) -> bool:
    """Whether a body is what a form of ours sends; one that does not say what it is is not read at all."""
    said = headers.get("content-type")
    return said is None or OWN_FORM.fullmatch(said) is not None


def is_plain(headers: Headers) -> bool:
    """Whether a body is of a type that programs send; cookies mean nothing where this is asked."""
    return headers.get("content-type") in PLAIN


def came_from(headers: Headers, origin: str) -> str:
    """The address of the page of ours that a browser comes from; "/" if it does not say, or comes from elsewhere."""
    referer = headers.get("referer")
    if referer is None or not _same_site(referer, origin):
        return "/"
    return origin + urlsplit(referer).path


def _host_in(address: str) -> str:
    """The name in a host and a port."""
    return PORT.sub("", address).lower()


def _same_site(referer: str | None, origin: str) -> bool:
    if referer is None:
        return True
    try:
        parts = urlsplit(referer)
    except ValueError:
        return False
    return f"{parts.scheme}://{parts.netloc}" == origin


def _length(headers: Headers) -> int:
    said = headers.get("content-length", "0")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 19 else DRAINED


async def _drain(receive: Receive) -> None:
    dropped = 0
    try:
        async with asyncio.timeout(PATIENCE):
            while dropped < DRAINED:
                message = await receive()
                dropped += len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body"):
                    return
    except TimeoutError:
        return


class _Counting:
    """Receives a body, up to a limit of bytes and of time."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.limit = limit
        self._receive, self._came, self._whole = receive, 0, False
        self._until = asyncio.get_running_loop().time() + PATIENCE

    async def __call__(self) -> Message:
        if self._whole:  # what is received now is that the browser is gone
            return await self._receive()
        async with asyncio.timeout_at(self._until):
            message = await self._receive()
        self._came += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._came > self.limit:
            raise TooLargeError
        return message


class _Sending:
    """Sends an answer, and knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        self.begun = False
        self._send = send

    async def __call__(self, message: Message) -> None:
        self.begun = self.begun or message["type"] == "http.response.start"
        await self._send(message)
