"""Sign-in of a CI job, which has no stored sign-in. The environment of the job contains a token of the service or an ID
token of the CI provider, which the service exchanges for a token of its API.
"""

import os
from functools import cache
from urllib.parse import quote

from grader.cli.remote.calls import Service, origin_of
from grader.cli.remote.sign_in_file import SignIn, stored
from grader.common.errors import InputError

SERVICE, TOKEN, ID_TOKEN, STUDENT = "GRADER_SERVICE", "GRADER_TOKEN", "GRADER_ID_TOKEN", "GRADER_STUDENT"
"""Variables with the address of the service, a token of the service, an ID token, and the key of the student."""

GITHUB_ADDRESS, GITHUB_TOKEN = "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
"""Variables of GitHub, with which a job requests an ID token."""

COMMITS = ("CI_COMMIT_SHA", "GITHUB_SHA")
"""Variables of GitLab and GitHub with the commit of a job."""

GRANT = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105 - a name from the standard


def current_sign_in() -> SignIn:
    """The sign-in in the environment or, without one, the stored sign-in. Raises InputError without either."""
    address, token = os.environ.get(SERVICE, ""), os.environ.get(TOKEN, "")
    if not address:
        if token or os.environ.get(ID_TOKEN):
            raise InputError(f"{SERVICE} is not set; set it to the address of your course's service.")
        return stored()
    origin = origin_of(address)
    return SignIn(url=origin, token=token or _exchanged(origin))


def commit_key(assignment: str) -> str:
    """Return a key for the commit of a CI job, so that a job that runs again does not hand in twice. Returns "" outside
    a job.
    """
    commit = next(filter(None, map(os.environ.get, COMMITS)), "")
    return f"{commit}-{assignment}"[:100] if commit and os.environ.get(SERVICE) else ""


@cache
def _exchanged(origin: str) -> str:
    """Exchange the job's ID token. This is done once because GitHub issues a new ID token for each request."""
    fields = {
        "subject_token": os.environ.get(ID_TOKEN) or _id_token_of_github(origin),
        "subject_token_type": TOKEN_TYPE,
    }
    student = os.environ.get(STUDENT, "")
    told = Service(origin).post_form("/api/v1/jobs/token", grant_type=GRANT, student=student, **fields)
    if not isinstance(told.get("access_token"), str):
        raise InputError(f"{origin} does not answer like a grader service; check {SERVICE}.")
    return str(told["access_token"])


def _id_token_of_github(origin: str) -> str:
    address = os.environ.get(GITHUB_ADDRESS, "")
    if not address:
        raise InputError(
            f"this job has no token: on GitLab, set {ID_TOKEN} under id_tokens; on GitHub, add the permission "
            f"`id-token: write`; elsewhere, set {TOKEN}."
        )
    told = Service(address, os.environ.get(GITHUB_TOKEN, "")).ask("GET", f"&audience={quote(origin, safe='')}")
    if not isinstance(told, dict) or not isinstance(told.get("value"), str):
        raise InputError("GitHub gave this job no ID token; add the permission `id-token: write` to the job.")
    return str(told["value"])
