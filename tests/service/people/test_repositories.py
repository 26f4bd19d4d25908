"""repositories.py and its pages: a job hands in for the person of its repository, and for no other."""

import pytest
from services import post
from sign_in_methods import enter, issuing

from grader.common.sign_in import CiProviderRules
from grader.service.db.tables.access import RepositoryRow
from grader.service.db.tables.people import PersonRow
from grader.service.errors import FieldError, RefusedError
from grader.service.people.auth.ci_jobs import CiJob, CiProvider
from grader.service.people.repositories import import_repositories, link_repository, person_of_job

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


def linked(service, person=None, repository="group/ada", issuer=ISSUER):
    with service.database.writing() as session:
        link_repository(session, person or service.ada, issuer, repository, service.now)


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
