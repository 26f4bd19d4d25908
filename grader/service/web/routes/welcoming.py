"""The answer to a sign-in, whichever way it was, and where from a request comes."""

from starlette.requests import Request
from starlette.responses import Response

from grader.service.auth.sessions import SESSION_LASTS
from grader.service.rate_limits import network_of
from grader.service.web.routes.tokens import first_page
from grader.service.web.state import AppState


def welcome(request: Request, web: AppState, token: str) -> Response:
    """The first page, with the cookie of a new session."""
    answer = first_page(request, web)
    lasts = int(SESSION_LASTS.total_seconds())
    answer.set_cookie(web.cookie, token, max_age=lasts, path="/", secure=web.secure, httponly=True, samesite="lax")
    return answer


def network(request: Request) -> str:
    """Network of a request, for rate limits; empty if it is not known."""
    return "" if request.client is None else network_of(request.client.host)
