"""ci_jobs.py and its route: a job hands in for the student of its repository, with an ID token
that its provider has signed.
"""

import base64
import hmac
import json
import time

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from services import SOURCE
from sign_in_methods import enter, issuing

from grader.common.errors import InputError
from grader.common.sign_in import CiProviderRules
from grader.service.db.tables.access import ApiTokenRow
from grader.service.people.auth.ci_jobs import CiProvider
from grader.service.people.repositories import link_repository
from grader.service.web.routes.machines.oauth import EXCHANGE_GRANT, ID_TOKEN

GITLAB = {"project_path": "Group/Ada", "project_id": "7", "user_login": "ada1"}
GITHUB = {"repository": "group/ada", "repository_id": 7, "actor": "ada1"}
ISSUER = "https://gitlab.example.org"


@pytest.fixture(scope="module")
def provider():
    """Run a CI provider, which signs with a real key."""
    with issuing() as made:
        yield made


def with_provider(service, provider, kind="gitlab", **rules):
    """Let the service take jobs of this provider."""
    named = CiProviderRules(name="GitLab", provider=kind, issuer=provider.address, **rules)
    enter(service, ci_providers=(CiProvider(named, service.origin),))


def id_token(service, provider, header=None, key=None, **claims):
    """Return the ID token of a job. A claim that is None is left out."""
    now = int(time.time())
    usual = {"iss": provider.address, "aud": service.origin, "sub": "x", "iat": now, "exp": now + 300, **GITLAB}
    given = {name: value for name, value in {**usual, **claims}.items() if value is not None}
    return jwt.encode(header or provider.header, given, key or provider.key, algorithms=["RS256", "HS256"])


def exchanged(service, token, student=""):
    form = {"grant_type": EXCHANGE_GRANT, "subject_token_type": ID_TOKEN, "subject_token": token, "student": student}
    return service.browser().post("/api/v1/jobs/token", data=form)


def linked(service, person=None, repository="group/ada", issuer=ISSUER):
    with service.database.writing() as session:
        link_repository(session, person or service.ada, issuer, repository, service.now)


@pytest.mark.parametrize(("kind", "claims"), [("gitlab", {}), ("github", {**dict.fromkeys(GITLAB), **GITHUB})])
def test_a_job_hands_in_for_the_student_of_its_repository(service, provider, kind, claims):
    """The job of a linked repository gets a token that hands in and reads the result, and nothing else."""
    with_provider(service, provider, kind)
    linked(service, issuer=provider.address)
    given = exchanged(service, id_token(service, provider, **claims), student="ada").json()
    assert (given["student"], given["scope"], given["expires_in"]) == ("ada", "read submit", 7200)
    client = service.browser()
    client.headers["authorization"] = f"Bearer {given['access_token']}"
    assert client.post("/api/v1/assignments/small/attempts?key=k", content=SOURCE).status_code == 201
    assert client.get("/api/v1/course/people").status_code == 401
    service.passes(hours=2)
    assert client.get("/api/v1/me").status_code == 401


def unsigned(service, provider):
    claims = id_token(service, provider).split(".")[1]
    header = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode().rstrip("=")
    return f"{header}.{claims}."


def signed_with_the_public_key(service, provider):
    """Return a token that uses the provider's public key as the secret of an HMAC."""
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "one"}).encode()).decode().rstrip("=")
    signed = f"{header}.{id_token(service, provider).split('.')[1]}"
    mac = hmac.digest(provider.key.as_pem(private=False), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"


REFUSED = {
    "alg none": (unsigned, "The signature of this job's ID token is not valid"),
    "an HMAC with the public key": (signed_with_the_public_key, "The signature of this job's ID token is not valid"),
    "another key": (
        lambda *one: id_token(*one, key=RSAKey.generate_key(2048, {"kid": "one"})),
        "The signature of this job's ID token is not valid",
    ),
    "another audience": (lambda *one: id_token(*one, aud="https://vault.example.org"), "Set its audience to http://"),
    "no audience": (lambda *one: id_token(*one, aud=None), "Set its audience to http://"),
    "expired": (lambda *one: id_token(*one, exp=int(time.time()) - 120), "has run out. Start the job again."),
    "no end": (lambda *one: id_token(*one, exp=None), "lacks the claim exp"),
    "of an hour from now": (lambda *one: id_token(*one, iat=int(time.time()) + 3600), "lacks the claim iat"),
    "another issuer": (lambda *one: id_token(*one, iss="https://evil.example"), "takes no jobs of 'https://evil"),
    "no repository": (lambda *one: id_token(*one, project_path=None), "lacks the claim project_path"),
    "a repository that is a list": (lambda *one: id_token(*one, project_path=["a"]), "lacks the claim project_path"),
    "no token": (lambda *_: "", "cannot be read"),
    "noise": (lambda *_: "a.b.c", "cannot be read"),
    "deep JSON": (lambda *_: f"a.{base64.urlsafe_b64encode(b'[' * 9000).decode()}.c", "cannot be read"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("named", REFUSED)
def test_a_wrong_id_token_is_refused_in_one_sentence(service, provider, named):
    """A token that is not signed by the provider, not for this service, or not valid now gives no token."""
    make, words = REFUSED[named]
    with_provider(service, provider)
    linked(service, issuer=provider.address)
    said = exchanged(service, make(service, provider), student="ada")
    assert (said.status_code, words in said.json()["detail"]) == (409, True)
    with service.database.reading() as session:
        assert session.query(ApiTokenRow).all() == []


def test_a_service_without_providers_takes_no_jobs(service):
    """Without a CI provider, jobs are refused, and the pages about repositories do not exist."""
    assert "takes no CI jobs" in exchanged(service, "a.b.c").json()["detail"]
    assert service.browser("ada").get("/repositories").status_code == 404
    unsafe = CiProviderRules(name="x", provider="gitlab", issuer="http://gitlab.example.org")
    with pytest.raises(InputError, match="must begin with https"):
        CiProvider(unsafe, service.origin)
