"""Checks every request before a route handles it.

The bytes of a body are counted while they arrive, so a body that is too large is never held in memory.
"""

import asyncio
import re
from urllib.parse import quote, urlsplit

from anyio import CancelScope
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.web.http.request_headers import from_own_page, is_api_body, is_own_form, is_platform_form

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

API = "/api/v1/"
"""Prefix of the paths for programs. Cookies are ignored there, and bearer tokens are ignored everywhere else."""

PLATFORM_FORMS = frozenset({"/lti/login", "/lti/launch"})
"""Paths to which learning platforms send forms. Requests to them change nothing and need no cookie."""

PORT = re.compile(r":\d*\Z", re.ASCII)
"""Pattern of the port after a host name."""

SAFE_METHODS = frozenset({"GET", "HEAD"})
"""HTTP methods that do not change anything."""

BODY_SECONDS = 120.0
"""Seconds within which a body must arrive."""

TOO_LARGE = "What you sent is too large: hand in only the OpenCL source text, at most 1 MiB."

FOREIGN_SITE = "This form was sent from another site, so nothing was done. Open the page here, and send it again.\n"

NOT_A_FORM = "This form is not from a page of this service, so nothing was done.\n"

WRONG_HOST = "This service only answers at {origin}, so nothing was done. Use that address."

TOO_SLOW = "What you sent took too long to arrive, so nothing was stored. Try again.\n"


class TooLargeError(Exception):
    """The body of a request is too large. An application gets this error when it reads the body."""


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
        counting = _LimitedBody(receive, self._limit(scope["path"]))
        sending = _TrackedSend(send, counting)
        by_platform = scope["path"] in PLATFORM_FORMS
        own = by_platform or from_own_page(Headers(scope=scope), self._origin)
        if scope["method"] not in SAFE_METHODS and not own:
            await PlainTextResponse(FOREIGN_SITE, 403)(scope, receive, sending)
            return
        readable = is_api_body if scope["path"].startswith(API) else is_platform_form if by_platform else is_own_form
        if scope["method"] not in SAFE_METHODS and not readable(Headers(scope=scope)):
            await PlainTextResponse(NOT_A_FORM, 415, {"connection": "close"})(scope, receive, sending)
            return
        if _length(Headers(scope=scope)) > counting.limit:
            await counting.drop()
            if by_platform or scope["path"].startswith(API):  # only the service's own pages show the reason
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
        await PlainTextResponse(f"{TOO_LARGE}\n", 413)(scope, receive, sending)


def _plain_cookies(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """The header without cookies that contain a backslash. The service's own cookies never do.

    Before Python 3.11.10 and 3.12.6, the standard library takes quadratic time for such cookies (CVE-2024-7592).
    """
    name, value = header
    if name != b"cookie" or b"\\" not in value:
        return header
    return name, b";".join(pair for pair in value.split(b";") if b"\\" not in pair)


def _host_in(address: str) -> str:
    return PORT.sub("", address).lower()


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
    """Receives a body, up to a limit on its size and on the time that it takes. If the body is too large, the rest is
    dropped before TooLargeError is raised, so that a browser reads the answer.
    """

    def __init__(self, receive: Receive, limit: int) -> None:
        self.limit = limit
        self.dropped = False
        self._receive, self._came, self._whole = receive, 0, False
        self._until = asyncio.get_running_loop().time() + BODY_SECONDS

    async def drop(self) -> None:
        """Drop a body that is too large. From now on, each call raises TooLargeError."""
        self.dropped = True
        await _drain(self._receive)

    async def __call__(self) -> Message:
        if self.dropped:
            raise TooLargeError
        if self._whole:  # the next message reports that the browser has disconnected
            return await self._receive()
        async with asyncio.timeout_at(self._until):
            message = await self._receive()
        self._came += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._came > self.limit:
            await self.drop()
            raise TooLargeError
        return message


class _TrackedSend:
    """Sends an answer, and records whether it has begun. It closes the connection if a body was dropped, because a part
    of it may not have been read.
    """

    def __init__(self, send: Send, body: _LimitedBody) -> None:
        self.begun = False
        self._send, self._body = send, body

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            if self._body.dropped:
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
        await self._send(message)
