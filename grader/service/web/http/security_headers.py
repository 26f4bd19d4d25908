"""Headers of every response. They tell browsers which content the page may load and which pages may embed it."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
