"""Headers of every response, which tell browsers what a page may load and which pages may embed it; downloads, which
browsers save instead of showing them; and large answers, which are sent in parts.
"""

import zlib
from collections.abc import Iterator, Mapping
from itertools import islice

from markupsafe import Markup
from starlette.datastructures import MutableHeaders
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PART_BYTES = 64 * 1024
"""Maximum number of bytes of a large answer that are in memory at once, even for a client that reads slowly."""

FROM_PLATFORMS = "/lti/"
"""Prefix of the paths to which learning platforms send browsers, perhaps inside a frame."""

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy of a report, which is a page that contains its style sheet. The page also contains text from
students, so it cannot run scripts.
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


def decompressed(packed: bytes, media_type: str, headers: Mapping[str, str]) -> Response:
    """Answer with compressed data, which is decompressed in parts. The report about a file with 1 MB of quotation marks
    has 10 MB.
    """
    return StreamingResponse(_parts(packed), media_type=media_type, headers=headers)


def decompressed_page(packed: bytes, link: Markup, headers: Mapping[str, str]) -> Response:
    """Answer with a compressed report, with this link inserted at its beginning."""
    return StreamingResponse(_with_link(_parts(packed), link.encode()), media_type=HTML, headers=headers)


def _with_link(parts: Iterator[bytes], link: bytes) -> Iterator[bytes]:
    """Yield the parts of a page. Its body begins in the first part, and no text before it contains a tag."""
    yield from (part.replace(BODY, BODY + link, 1) for part in islice(parts, 1))
    yield from parts


def _parts(packed: bytes) -> Iterator[bytes]:
    unpacking = zlib.decompressobj()
    while part := unpacking.decompress(packed, PART_BYTES):
        packed = unpacking.unconsumed_tail
        yield part


HTML = "text/html; charset=utf-8"
BODY = b"<body>"

CSV = "text/csv; charset=utf-8"


def csv_file(name: str, data: bytes) -> Response:
    """A CSV file that the browser saves with this name."""
    return Response(data, media_type=CSV, headers=download_headers(name))


def download_headers(name: str) -> dict[str, str]:
    """Headers of a file that the browser saves with this name. Scripts in it do not run. The name must not come from a
    user.
    """
    return {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}


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
