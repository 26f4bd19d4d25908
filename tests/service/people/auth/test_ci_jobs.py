"""ci_jobs.py, repositories.py and their routes: a job hands in for the student of its repository, by an ID token that
its provider has signed.
"""

import base64
import hmac
import json
import time

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from services import SOURCE, post
from sign_in_methods import enter, issuing

from grader.common.errors import InputError
from grader.common.sign_in import CiProviderRules
from grader.service.db.tables.access import ApiTokenRow, RepositoryRow
from grader.service.db.tables.people import PersonRow
from grader.service.errors import FieldError, RefusedError
from grader.service.people.auth.ci_jobs import CiJob, CiProvider
from grader.service.people.repositories import import_repositories, link_repository, person_of_job
from grader.service.web.routes.machines.ci_jobs import GRANT, ID_TOKEN

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
    form = {"grant_type": GRANT, "subject_token_type": ID_TOKEN, "subject_token": token, "student": student}
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


def job(repository="group/ada", user="ada1", number="7", person_key=""):
    named = {"repository": repository, "number": number, "user": user, "person_key": person_key}
    return CiJob(issuer=ISSUER, provider="GitLab", **named)


def person(service, one, named=""):
    with service.database.writing() as session:
        return person_of_job(session, one, named).key


def test_a_student_who_links_anothers_repository_gets_nothing(service):
    """A job must name its student unless the staff have listed its repository. Therefore a student who links the
    repository of another does not get that student's hand-ins.
    """
    linked(service)
    linked(service, service.ben)
    assert person(service, job(), "ada") == "ada"
    with pytest.raises(RefusedError, match="Set GRADER_STUDENT"):
        person(service, job())
    with pytest.raises(RefusedError, match="not linked for 'staff'"):
        person(service, job(), "staff")
    with pytest.raises(RefusedError, match=r"group/x is not linked here"):
        person(service, job("group/x"))


def test_a_new_repository_with_an_old_name_is_refused(service):
    """The number of a repository is noted at its first job, so that its path cannot be taken over later."""
    linked(service)
    assert person(service, job(), "ada") == "ada"
    with pytest.raises(RefusedError, match="a new one with this name"):
        person(service, job(number="8"), "ada")


def imported(service, text):
    with service.database.writing() as session:
        return import_repositories(session, text.encode(), ISSUER, "staff", service.now)


def test_the_list_of_the_staff_maps_repositories_and_users_to_people(service):
    """The list needs no name in the job, distinguishes the users of a shared repository, and replaces the last list.
    People's own links remain.
    """
    linked(service, repository="own/ada")
    linked(service)
    assert imported(service, "key,repository,user\nada,Group/Ada,Ada1\nben,group/ada,ben1\n") == 2
    assert (person(service, job()), person(service, job(user="ben1"))) == ("ada", "ben")
    with pytest.raises(RefusedError, match="not linked"):
        person(service, job(user="eve"), "ada")
    assert imported(service, "key;repository\nben;https-/x\nben;group/ben.git\n") == 2
    assert person(service, job("group/ben")) == "ben"
    assert person(service, job("own/ada"), "ada") == "ada"
    for wrong, words in (
        ("zoe,a/b", "no person of this course has the key 'zoe'"),
        ("ada,ada", "Line 2 .* is not"),
    ):
        with pytest.raises(RefusedError, match=words):
            imported(service, f"key,repository\n{wrong}\n")
    with pytest.raises(RefusedError, match="first line must contain"):
        imported(service, "name\nada\n")
    assert person(service, job("group/ben")) == "ben"


def test_a_provider_that_knows_people_needs_no_link(service):
    """A claim with the key of a person suffices, unless the repository is linked to another person."""
    assert person(service, job(person_key="ada")) == "ada"
    linked(service, service.ben)
    with pytest.raises(RefusedError, match="Set GRADER_STUDENT"):
        person(service, job(person_key="ada"))
    with service.database.writing() as session:
        session.get_one(PersonRow, service.ada).deactivated = service.now
    with pytest.raises(RefusedError, match="not linked"):
        person(service, job("x/y", person_key="ada"))


@pytest.mark.parametrize("path", ["ada", "a b/c", "/", "../..;x", "a/" + "b" * 200, "https://gitlab.example.org/a"])
def test_the_path_of_a_repository_has_a_form(service, path):
    """An address or another text that is not a path is refused at the field."""
    with pytest.raises(FieldError, match="is not the path of a repository"):
        linked(service, repository=path)


@pytest.mark.whole
def test_people_link_and_remove_repositories_and_staff_upload_a_list(service, provider):
    """A student links and removes a repository on the page, but not another student's. Instructors see all."""
    with_provider(service, provider)
    ada, staff = service.browser("ada"), service.browser("staff")
    for issuer, repository in (("https://x", "a/b"), (provider.address, "<b>/x")):
        said = post(ada, "/repositories", "/repositories", issuer=issuer, repository=repository)
        assert said.status_code == 422
    assert post(ada, "/repositories", "/repositories", issuer=provider.address, repository="a/b").status_code == 303
    assert "a/b" in ada.get("/repositories").text
    assert 'href="/repositories"' in ada.get("/tokens").text
    with service.database.reading() as session:
        number = session.query(RepositoryRow.id).scalar()
    assert post(service.browser("ben"), f"/repositories/{number}/removal", "/repositories").status_code == 404
    file = ("list.csv", b"key,repository\nben,group/ben\n")
    form = {"issuer": provider.address, "file": file}
    assert post(staff, "/course/repositories/upload", "/course/repositories", **form).status_code == 303
    assert all(each in staff.get("/course/repositories").text for each in ("a/b", "group/ben"))
    assert 'href="/course/repositories"' in staff.get("/course/people").text
    assert post(ada, f"/repositories/{number}/removal", "/repositories").status_code == 303
    assert "No repositories." in ada.get("/repositories").text
