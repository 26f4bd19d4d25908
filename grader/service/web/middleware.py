"""Checks every request before a route handles it, and adds security headers to every answer.

The bytes of a body are counted while they arrive, so a body that is too large is never held in memory.
"""

import asyncio
import re
from urllib.parse import quote, urlsplit

from anyio import CancelScope
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.course.submissions.submission import SIZE_LIMIT

MAX_FORM_BYTES = 64 * 1024
"""Maximum size of a form without a file, in bytes."""

MAX_UPLOAD_BYTES = 2 * SIZE_LIMIT
"""Maximum size of a form with a file, in bytes. It is more than may be handed in, so that the answer can contain the
reason for a refusal.
"""

MAX_DRAINED_BYTES = 16 * 1024 * 1024
"""Maximum number of bytes of a refused body that are read and dropped. Browsers read the answer only after they have
sent the whole body.
"""

OWN_FORM = re.compile(r"multipart/form-data; ?boundary=[\w'()+,./:=?-]{1,70}", re.ASCII | re.IGNORECASE)
"""Content type of the service's own forms. Others could cost much time: some charsets take quadratic time to decode,
and a URL-encoded form may have a million empty fields.
"""

API = "/api/v1/"
"""Prefix of the paths for programs. Cookies are ignored there, and bearer tokens are ignored everywhere else."""

FROM_PLATFORMS = "/lti/"
"""Prefix of the paths to which learning platforms send browsers, perhaps inside a frame."""

PLATFORM_FORMS = frozenset({"/lti/login", "/lti/launch"})
"""Paths to which learning platforms send forms. Requests to them change nothing and need no cookie."""

PLATFORM_FORM = re.compile(r"application/x-www-form-urlencoded(; ?charset=utf-8)?", re.ASCII | re.IGNORECASE)
"""Content type of these forms. They are parsed with a limit on the number of fields."""

PORT = re.compile(r":\d*\Z", re.ASCII)
"""Pattern of the port after a host name."""

SAFE_METHODS = frozenset({"GET", "HEAD"})
"""HTTP methods that do not change anything."""

API_BODY_TYPES = frozenset(
    {
        None,
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=utf-8",
    }
)

BODY_SECONDS = 120.0
"""Seconds within which a body must arrive."""

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy of a report, which is a page with its own style. It contains text from students, so it cannot
run scripts.
"""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with "no-referrer", browsers would also hide the origin of forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
FRAMED_HEADERS = HEADERS | {
    "content-security-policy": POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"),
    "cross-origin-opener-policy": "unsafe-none",
}
del FRAMED_HEADERS["x-frame-options"]
"""Headers of pages that may be shown in a frame. These pages do not show data about a person, and their buttons do only
what a link on the other page could do. A page with other buttons sets a different policy.
"""
TLS_HEADERS = {"strict-transport-security": "max-age=31536000"}

TOO_LARGE = "What you sent is too large: hand in only the OpenCL source text, at most 1 MiB.\n"
FOREIGN_SITE = "This form was sent from another site, so nothing was done. Open the page here, and send it again.\n"
NOT_A_FORM = "This form is not from a page of this service, so nothing was done.\n"
WRONG_HOST = "This service only answers at {origin}, so nothing was done. Use that address."
TOO_SLOW = "What you sent took too long to arrive, so nothing was stored. Try again.\n"


class TooLargeError(Exception):
    """The body of a request is too large."""


class SecurityHeadersMiddleware:
    """Adds the security headers to every answer of an application, including answers to exceptions."""

    def __init__(self, app: ASGIApp, origin: str) -> None:
        self._app = app
        secure = TLS_HEADERS if origin.startswith("https://") else {}
        self._headers, self._framed_headers = HEADERS | secure, FRAMED_HEADERS | secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        added = self._framed_headers if scope.get("path", "").startswith(FROM_PLATFORMS) else self._headers

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)


class HeadMethodMiddleware:
    """Lets an application answer HEAD like GET, but without the body. The application is cancelled after
    the headers.
    """

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
    """Lets an application answer only under one host name, and redirects requests for other names.

    Otherwise a third party could point another name to this server, and browsers would treat the pages as part of that
    site. The port is not compared because a proxy may send its own port, or none.
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
        """Redirect to the same page at the right address. Requests that change data and requests to the API are
        refused.
        """
        words = WRONG_HOST.format(origin=self._origin)
        if scope["path"].startswith(API):
            return JSONResponse({"detail": words}, 421)
        if scope["method"] not in SAFE_METHODS:
            return PlainTextResponse(f"{words}\n", 421, {"connection": "close"})
        path, query = quote(scope["path"].lstrip("/")), scope["query_string"].decode("latin-1")
        return RedirectResponse(f"{self._origin}/{path}?{query}".removesuffix("?"), 307)


class RequestChecksMiddleware:
    """Passes only requests with small bodies, and only forms from the service's own pages, to an application."""

    def __init__(self, app: ASGIApp, origin: str, uploads: frozenset[str]) -> None:
        self._app, self._origin, self._uploads = app, origin, uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = {**scope, "headers": [*map(_plain_cookies, scope["headers"])]}
        sending = _TrackedSend(send)
        by_platform = scope["path"] in PLATFORM_FORMS
        own = by_platform or from_own_page(Headers(scope=scope), self._origin)
        if scope["method"] not in SAFE_METHODS and not own:
            await PlainTextResponse(FOREIGN_SITE, 403)(scope, receive, sending)
            return
        readable = is_api_body if scope["path"].startswith(API) else is_platform_form if by_platform else is_own_form
        if scope["method"] not in SAFE_METHODS and not readable(Headers(scope=scope)):
            await PlainTextResponse(NOT_A_FORM, 415, {"connection": "close"})(scope, receive, sending)
            return
        counting = _LimitedBody(receive, self._limit(scope["path"]))
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
        return MAX_UPLOAD_BYTES if path.rpartition("/")[2] in self._uploads else MAX_FORM_BYTES

    @staticmethod
    async def _refuse(scope: Scope, receive: Receive, sending: "_TrackedSend") -> None:
        if sending.begun:
            raise TooLargeError
        await _drain(receive)
        await PlainTextResponse(TOO_LARGE, 413, {"connection": "close"})(scope, receive, sending)


def _plain_cookies(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """The header without cookies that contain a backslash. The service's own cookies never do.

    Before Python 3.11.10 and 3.12.6, the standard library takes quadratic time for such cookies (CVE-2024-7592).
    """
    name, value = header
    if name != b"cookie" or b"\\" not in value:
        return header
    return name, b";".join(pair for pair in value.split(b";") if b"\\" not in pair)


def from_own_page(headers: Headers, origin: str) -> bool:
    """True if the headers show that a page of the service sent the request. Also true if they do not show where it
    comes from. In that case it comes from a program, which does not have the cookies of other users.
    """
    said = headers.get("origin")
    if said is not None:
        return said == origin
    return headers.get("sec-fetch-site") in {None, "same-origin"} and _same_site(headers.get("referer"), origin)


def is_own_form(headers: Headers) -> bool:
    """True for the content type of the service's own forms, and without a content type, because then the body is not
    parsed.
    """
    said = headers.get("content-type")
    return said is None or OWN_FORM.fullmatch(said) is not None


def is_platform_form(headers: Headers) -> bool:
    """Return True for the content type of forms from learning platforms."""
    return PLATFORM_FORM.fullmatch(headers.get("content-type", "")) is not None


def is_api_body(headers: Headers) -> bool:
    """True for the content types that programs send. Only used for the API, which ignores cookies."""
    said = headers.get("content-type")
    return (None if said is None else said.lower()) in API_BODY_TYPES


def referring_page(headers: Headers, origin: str) -> str:
    """Address of the service's page from which a browser comes; "/" if the page is unknown or belongs to
    another site.
    """
    referer = headers.get("referer")
    if referer is None or not _same_site(referer, origin):
        return "/"
    return origin + urlsplit(referer).path


def _host_in(address: str) -> str:
    """The host name in an address with an optional port."""
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
    return int(said) if said.isascii() and said.isdigit() and len(said) < 19 else MAX_DRAINED_BYTES


async def _drain(receive: Receive) -> None:
    dropped = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while dropped < MAX_DRAINED_BYTES:
                message = await receive()
                dropped += len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body"):
                    return
    except TimeoutError:
        return


class _LimitedBody:
    """Receives a body, up to a limit on its size and on the time that it takes."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.limit = limit
        self._receive, self._came, self._whole = receive, 0, False
        self._until = asyncio.get_running_loop().time() + BODY_SECONDS

    async def __call__(self) -> Message:
        if self._whole:  # the next message reports that the browser has disconnected
            return await self._receive()
        async with asyncio.timeout_at(self._until):
            message = await self._receive()
        self._came += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._came > self.limit:
            raise TooLargeError
        return message


class _TrackedSend:
    """Sends an answer, and records whether it has begun."""

    def __init__(self, send: Send) -> None:
        self.begun = False
        self._send = send

    async def __call__(self, message: Message) -> None:
        self.begun = self.begun or message["type"] == "http.response.start"
        await self._send(message)
