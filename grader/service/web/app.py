"""The application: its routes, and the answers to errors."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from grader.protocol.text import showable
from grader.service.db.probe import is_disk_full
from grader.service.errors import FieldError, NotFoundError, RefusedError
from grader.service.web.auth import SignInNeededError, TokenNeededError, read_form, text_in
from grader.service.web.http.middleware import (
    API,
    HeadMethodMiddleware,
    RequestChecksMiddleware,
    SingleHostMiddleware,
    TooLargeError,
)
from grader.service.web.http.request_headers import is_own_form, referring_page
from grader.service.web.http.responses import SecurityHeadersMiddleware
from grader.service.web.pages import page
from grader.service.web.routes.account import personal_data, sign_in, tokens
from grader.service.web.routes.machines import api, lti, lti_pages, oauth, platforms, repositories, webhooks
from grader.service.web.routes.staff import course, decisions, exports, extensions, people, system
from grader.service.web.routes.staff import overview as staff
from grader.service.web.routes.staff_api import assignments as staff_assignments
from grader.service.web.routes.staff_api import attempts as staff_attempts
from grader.service.web.routes.staff_api import extensions as staff_extensions
from grader.service.web.routes.staff_api import grades, overrides, regrades, roster
from grader.service.web.routes.staff_api.parameters import PREFIX as STAFF_API
from grader.service.web.routes.student import assignments, attempts, downloads, hand_ins, leaderboard
from grader.service.web.state import AppState, state_of

UPLOAD_PATHS = frozenset({"attempts", "exports", "roster", "try", "upload"})
"""Last components of the paths to which files are uploaded."""

MAX_TEXT_BYTES = 6 * hand_ins.EDITABLE
"""Largest form, in bytes, whose text is returned to the user. A character takes up to four bytes, and line ends take
more in a form.
"""

MAX_THREADS = 10
"""Maximum number of requests that run at once. The others wait in order. With Starlette's default of 40, threads
interrupt each other so often that at 200 pages per second, the slowest of a hundred takes ten times as long
(deadline.py).
"""

DISK_FULL = "Nothing was stored. Keep your file, tell your instructor that the disk is full, and send it again later."

LOG = logging.getLogger(__name__)

PAGES = (
    sign_in,
    lti,
    lti_pages,
    assignments,
    attempts,
    downloads,
    leaderboard,
    personal_data,
    tokens,
    course,
    exports,
    system,
    staff,
    people,
    platforms,
    extensions,
    decisions,
    hand_ins,
    webhooks,
    repositories,
    oauth,
)
"""The modules with routes of pages. The API is included separately."""

PROGRAMS = (
    api,
    roster,
    staff_assignments,
    staff_attempts,
    grades,
    staff_extensions,
    overrides,
    regrades,
)
"""The modules with routes for programs, which openapi.json describes."""


class Application(FastAPI):
    """FastAPI with security headers on every answer. Ordinary middleware would not see the answers to exceptions."""

    def build_middleware_stack(self) -> ASGIApp:
        """Wrap FastAPI's middleware in SecurityHeadersMiddleware."""
        return SecurityHeadersMiddleware(super().build_middleware_stack(), self.state.app_state.origin)


@asynccontextmanager
async def _few_threads(_app: FastAPI) -> AsyncIterator[None]:
    current_default_thread_limiter().total_tokens = MAX_THREADS
    yield


def make_app(state: AppState) -> FastAPI:
    """Create the application for one course."""
    app = Application(
        title="grader", version="1", docs_url=None, redoc_url=None, redirect_slashes=False, lifespan=_few_threads
    )
    app.state.app_state = state
    for module in PAGES:
        app.include_router(module.router, include_in_schema=False)
    for module in PROGRAMS:
        app.include_router(module.router)
    app.add_exception_handler(TokenNeededError, _no_token)
    app.add_exception_handler(SignInNeededError, _sign_in)
    app.add_exception_handler(NotFoundError, _not_found)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(FieldError, _wrong_field)
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(HTTPException, _no_page)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(TooLargeError, _too_large)
    app.add_exception_handler(OperationalError, _away)
    app.add_exception_handler(PoolTimeoutError, _away)
    app.add_exception_handler(DataError, _not_text)
    app.add_exception_handler(Exception, _fault)
    app.add_middleware(RequestChecksMiddleware, origin=state.origin, uploads=UPLOAD_PATHS)
    app.add_middleware(SingleHostMiddleware, origin=state.origin)
    app.add_middleware(HeadMethodMiddleware)
    return app


async def _sign_in(request: Request, _error: Exception) -> Response:
    if request.method in {"GET", "HEAD"}:
        return RedirectResponse("/sign-in", 303)
    words = "You were signed out, so nothing was done. Sign in again."
    return await _not_done(request, 401, "You are not signed in", words)


def _no_token(_request: Request, error: Exception) -> Response:
    return JSONResponse({"detail": str(error)}, 401, {"www-authenticate": "Bearer"})


def _not_found(request: Request, _error: Exception) -> Response:
    return _said(request, 404, "Not found", str(NotFoundError()))


def _invalid(request: Request, error: Exception) -> Response:
    """Response to a request whose parameters or body have the wrong form. Only programs send such requests."""
    if not request.url.path.startswith(f"{STAFF_API}/") or not isinstance(error, RequestValidationError):
        return _not_found(request, error)
    first = error.errors()[0]
    place = [each for each in first["loc"] if each not in {"body", "query"}]
    if first["loc"][0] == "path":
        return _not_found(request, error)
    named = f"The field `{'.'.join(map(str, place))}`" if place else "The body"
    words = showable(f"{named} is not valid: {first['msg'].rstrip('.')}; see {state_of(request).origin}/api.")
    return JSONResponse({"detail": words}, 422)


async def _wrong_field(request: Request, error: Exception) -> Response:
    """Response to a field with a wrong value that a page has not shown in its form."""
    if request.url.path.startswith(f"{STAFF_API}/") and isinstance(error, FieldError):
        return JSONResponse({"detail": str(error), "field": error.field}, 422)
    return await _refused(request, error)


async def _refused(request: Request, error: Exception) -> Response:
    return await _not_done(request, 409, "That was not done", str(error))


def _too_large(request: Request, _error: Exception) -> Response:
    """Response to a form that is too large to be read. It links to the form."""
    limit = "1 MiB" if request.url.path.rpartition("/")[2] in UPLOAD_PATHS else "64 KiB"
    words = f"What you sent is larger than {limit}, so nothing was stored. Go back, and send less."
    back = referring_page(request.headers, state_of(request).origin)
    return page(request, "refused.html.jinja", None, 413, title="That is too large", words=words, back=back, written="")


async def _not_done(request: Request, status: int, title: str, words: str) -> Response:
    """Page with the reason why nothing was stored. It links to the form, and contains the text that was sent."""
    if request.url.path.startswith(API):
        return JSONResponse({"detail": words}, status)
    back = referring_page(request.headers, state_of(request).origin)
    values = {"title": title, "words": words, "back": back, "written": await _text_of(request)}
    return await run_in_threadpool(page, request, "refused.html.jinja", None, status, **values)


async def _text_of(request: Request) -> str:
    """The text that the editor's form has sent; empty for other requests."""
    if request.method != "POST" or not is_own_form(request.headers):
        return ""
    if int(request.headers.get("content-length", MAX_TEXT_BYTES + 1)) > MAX_TEXT_BYTES:
        return ""
    try:
        written = text_in(await read_form(request), "text")
    except TooLargeError:
        return ""
    return written if len(written) <= hand_ins.EDITABLE else ""


def _no_page(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:
        return _not_found(request, error)
    if request.url.path.startswith(f"{STAFF_API}/"):
        words = f"No request of the API looks like this; see {state_of(request).origin}/api."
        return JSONResponse({"detail": words}, status)
    return _said(request, status, "That cannot be done", "No page of this service makes such a request.")


def _gone(_request: Request, _error: Exception) -> Response:
    """Response for a client that has closed the connection before the end of its request. It is never sent."""
    return Response(status_code=400)


async def _away(request: Request, error: Exception) -> Response:
    if isinstance(error, OperationalError) and is_disk_full(error):
        LOG.error("the disk of the database is full, so nothing can be stored. Free space on it.")
        return await _not_done(request, 503, "The disk of this service is full", DISK_FULL)
    LOG.error("the database does not answer: %s", type(error).__name__)
    words = "Nothing was stored. Try again in a moment. A form that you send twice counts once."
    return await _not_done(request, 503, "The database does not answer", words)


def _not_text(request: Request, _error: Exception) -> Response:
    """Response to text that cannot be stored. PostgreSQL rejects text with the character NUL."""
    return _said(request, 400, "That cannot be done", "The request contains characters that cannot be stored.")


def _fault(request: Request, _error: Exception) -> Response:
    """Response after an unexpected exception, which has been logged."""
    words = "This is our fault, not yours. Try again. If it happens again, tell your instructor the time."
    return _said(request, 500, "Something went wrong here", words)


def _said(request: Request, status: int, title: str, words: str) -> Response:
    if request.url.path.startswith(API):
        return JSONResponse({"detail": words}, status)
    return page(request, "error.html.jinja", status_code=status, title=title, words=words)
