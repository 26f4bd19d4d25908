"""The endpoint where a CI job exchanges its provider's ID token for a token of the service (RFC 8693)."""

from datetime import timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from grader.service.errors import RefusedError
from grader.service.people.auth.api_tokens import OWN_SCOPES, TokenRequest, as_text, create_token
from grader.service.people.auth.ci_jobs import job_of
from grader.service.people.repositories import person_of_job
from grader.service.web.routes.account.device_flow import Fields
from grader.service.web.state import state_of

router = APIRouter(prefix="/api/v1/jobs")

GRANT = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105 - a name of the standard
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - a name of the standard

LIFETIME = timedelta(hours=2)
"""Lifetime of a job's token. A job waits at most this long for the result of its attempt."""


@router.post("/token")
def token(request: Request, fields: Fields) -> Response:
    """Exchange the ID token of a job for a token of the student whose repository the job belongs to."""
    state = state_of(request)
    if not state.sign_in.ci_providers:
        raise RefusedError("This service takes no CI jobs. Its operator can list CI providers in sign_in.ci_providers.")
    if fields.get("grant_type") != GRANT or fields.get("subject_token_type") != ID_TOKEN:
        raise RefusedError("This request does not exchange an ID token. Use `grader submit`.")
    job = job_of(state.sign_in.ci_providers, fields.get("subject_token", ""))
    with state.database.writing() as session:
        person = person_of_job(session, job, fields.get("student", "").strip())
        scopes = as_text(OWN_SCOPES)
        wanted = TokenRequest(name=f"{job.provider}: {job.repository}", scopes=scopes, lasts=LIFETIME)
        made, key = create_token(session, person.id, wanted, state.now()), person.key
    given = {"access_token": made, "issued_token_type": ACCESS_TOKEN, "token_type": "Bearer", "scope": scopes}
    return JSONResponse({**given, "expires_in": int(LIFETIME.total_seconds()), "student": key})
