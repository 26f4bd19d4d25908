"""The endpoints that give a token to a program: to a terminal after its owner has confirmed a code (RFC 8628), and to a
CI job in exchange for its provider's ID token (RFC 8693).
"""

from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from grader.service.errors import RefusedError
from grader.service.people.auth.api_tokens import (
    CODE_LIFETIME,
    OWN_SCOPES,
    POLL_SECONDS,
    TOKEN_LIFETIME,
    FlowError,
    GrantedToken,
    TokenRequest,
    as_text,
    code_with_dash,
    create_token,
    is_waiting,
    new_codes,
    poll,
    refuse_too_many,
    scopes_in,
)
from grader.service.people.auth.ci_jobs import job_of
from grader.service.people.repositories import person_of_job
from grader.service.web.routes.account.sign_in import network
from grader.service.web.state import state_of

router = APIRouter(prefix="/api/v1")

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

TOO_MANY = "Your network has asked for too many codes. Try again in ten minutes."

MAX_FIELDS = 10
"""Maximum number of fields in a form. A terminal sends three."""

EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105 - a name of the standard
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - a name of the standard

LIFETIME = timedelta(hours=2)
"""Lifetime of a job's token. A job waits at most this long for the result of its attempt."""


async def _fields(request: Request) -> dict[str, str]:
    """The fields of a URL-encoded form, as OAuth uses it; empty if the body is not such a form."""
    try:
        return dict(parse_qsl((await request.body()).decode("ascii"), max_num_fields=MAX_FIELDS))
    except ValueError:
        return {}


Fields = Annotated[dict[str, str], Depends(_fields)]


@router.post("/device/code")
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


@router.post("/device/token")
def device_token(request: Request, fields: Fields) -> Response:
    """Poll for the owner's answer."""
    if fields.get("grant_type") != DEVICE_GRANT:
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


@router.post("/jobs/token")
def job_token(request: Request, fields: Fields) -> Response:
    """Exchange the ID token of a job for a token of the student whose repository the job belongs to."""
    state = state_of(request)
    if not state.sign_in.ci_providers:
        raise RefusedError("This service takes no CI jobs. Its operator can list CI providers in sign_in.ci_providers.")
    if fields.get("grant_type") != EXCHANGE_GRANT or fields.get("subject_token_type") != ID_TOKEN:
        raise RefusedError("This request does not exchange an ID token. Use `grader submit`.")
    job = job_of(state.sign_in.ci_providers, fields.get("subject_token", ""))
    with state.database.writing() as session:
        person = person_of_job(session, job, fields.get("student", "").strip())
        scopes = as_text(OWN_SCOPES)
        wanted = TokenRequest(name=f"{job.provider}: {job.repository}", scopes=scopes, lasts=LIFETIME)
        made, key = create_token(session, person.id, wanted, state.now()), person.key
    given = {"access_token": made, "issued_token_type": ACCESS_TOKEN, "token_type": "Bearer", "scope": scopes}
    return JSONResponse({**given, "expires_in": int(LIFETIME.total_seconds()), "student": key})
