"""The addresses by which a terminal is signed in, in the words of RFC 8628."""

from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from grader.service.auth.api_tokens import TOKEN_LASTS, as_text, scopes_in
from grader.service.auth.device_flow import (
    INTERVAL,
    LASTS,
    FlowError,
    Given,
    ask,
    begin,
    dashed,
    is_known,
    refuse_too_many,
)
from grader.service.errors import RefusalError
from grader.service.web.routes.sign_in import network
from grader.service.web.state import state_of

router = APIRouter(prefix="/api/v1/device")

GRANT = "urn:ietf:params:oauth:grant-type:device_code"

TOO_MANY = "Your network has asked for too many codes. Try again in ten minutes."

FIELDS = 10
"""Fields of a form; a terminal sends three."""


async def _fields(request: Request) -> dict[str, str]:
    """A form as OAuth sends it; nothing of one that is something else."""
    try:
        return dict(parse_qsl((await request.body()).decode("ascii"), max_num_fields=FIELDS))
    except ValueError:
        return {}


Fields = Annotated[dict[str, str], Depends(_fields)]


@router.post("/code")
def code(request: Request, fields: Fields) -> Response:
    """Begin: a code for the terminal, and one for its owner."""
    web, scopes = state_of(request), scopes_in(fields.get("scope", ""))
    if not fields.get("client_id"):
        return _error("invalid_request")
    if scopes is None:
        return _error("invalid_scope")
    if not web.terminals.allows(network(request)):
        raise RefusalError(TOO_MANY)
    with web.database.reading() as session:
        refuse_too_many(session, web.now())
    with web.database.writing() as session:
        begun = begin(session, fields["client_id"], as_text(scopes), web.now())
    shown = dashed(begun.user_code)
    told = {
        "device_code": begun.device_code,
        "user_code": shown,
        "verification_uri": f"{web.origin}/device",
        "verification_uri_complete": f"{web.origin}/device?code={shown}",
        "expires_in": int(LASTS.total_seconds()),
        "interval": INTERVAL,
    }
    return JSONResponse(told)


@router.post("/token")
def token(request: Request, fields: Fields) -> Response:
    """Ask whether the owner has confirmed."""
    if fields.get("grant_type") != GRANT:
        return _error("unsupported_grant_type")
    web = state_of(request)
    said = fields.get("device_code", "")
    with web.database.reading() as session:
        told: Given | FlowError = FlowError.EXPIRED
        known = is_known(session, said, web.now())
    if known:
        with web.database.writing() as session:
            told = ask(session, said, web.now())
    if isinstance(told, FlowError):
        return _error(told)
    lasts = int(TOKEN_LASTS.total_seconds())
    given: dict[str, Any] = {"access_token": told.token, "token_type": "Bearer", "expires_in": lasts}
    return JSONResponse({**given, "scope": told.scopes})


def _error(name: str) -> Response:
    return JSONResponse({"error": name}, 400)
