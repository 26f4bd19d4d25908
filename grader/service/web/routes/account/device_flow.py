"""The endpoints for signing in a terminal, with the names that RFC 8628 uses."""

from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from grader.service.errors import RefusedError
from grader.service.people.auth.api_tokens import TOKEN_LIFETIME, as_text, scopes_in
from grader.service.people.auth.device_flow import (
    CODE_LIFETIME,
    POLL_SECONDS,
    FlowError,
    GrantedToken,
    code_with_dash,
    is_waiting,
    new_codes,
    poll,
    refuse_too_many,
)
from grader.service.web.routes.account.sign_in import network
from grader.service.web.state import state_of

router = APIRouter(prefix="/api/v1/device")

GRANT = "urn:ietf:params:oauth:grant-type:device_code"

TOO_MANY = "Your network has asked for too many codes. Try again in ten minutes."

MAX_FIELDS = 10
"""Maximum number of fields in a form. A terminal sends three."""


async def _fields(request: Request) -> dict[str, str]:
    """The fields of a URL-encoded form, as OAuth uses it; empty if the body is not such a form."""
    try:
        return dict(parse_qsl((await request.body()).decode("ascii"), max_num_fields=MAX_FIELDS))
    except ValueError:
        return {}


Fields = Annotated[dict[str, str], Depends(_fields)]


@router.post("/code")
def code(request: Request, fields: Fields) -> Response:
    """Start a sign-in, and return a secret code for the terminal and a code for its owner."""
    state, scopes = state_of(request), scopes_in(fields.get("scope", ""))
    if not fields.get("client_id"):
        return _error("invalid_request")
    if scopes is None:
        return _error("invalid_scope")
    if not state.terminal_codes.allows(network(request)):
        raise RefusedError(TOO_MANY)
    with state.database.reading() as session:
        refuse_too_many(session, state.now())
    with state.database.writing() as session:
        begun = new_codes(session, fields["client_id"], as_text(scopes), state.now())
    shown = code_with_dash(begun.user_code)
    told = {
        "device_code": begun.device_code,
        "user_code": shown,
        "verification_uri": f"{state.origin}/device",
        "verification_uri_complete": f"{state.origin}/device?code={shown}",
        "expires_in": int(CODE_LIFETIME.total_seconds()),
        "interval": POLL_SECONDS,
    }
    return JSONResponse(told)


@router.post("/token")
def token(request: Request, fields: Fields) -> Response:
    """Poll for the owner's answer."""
    if fields.get("grant_type") != GRANT:
        return _error("unsupported_grant_type")
    state = state_of(request)
    said = fields.get("device_code", "")
    with state.database.reading() as session:
        told: GrantedToken | FlowError = FlowError.EXPIRED
        known = is_waiting(session, said, state.now())
    if known:
        with state.database.writing() as session:
            told = poll(session, said, state.now())
    if isinstance(told, FlowError):
        return _error(told)
    lasts = int(TOKEN_LIFETIME.total_seconds())
    given: dict[str, Any] = {"access_token": told.token, "token_type": "Bearer", "expires_in": lasts}
    return JSONResponse({**given, "scope": told.scopes})


def _error(name: str) -> Response:
    return JSONResponse({"error": name}, 400)
