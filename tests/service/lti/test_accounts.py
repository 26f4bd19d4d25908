"""accounts.py: an account at a platform belongs to one person, whose rights it cannot exceed."""

from urllib.parse import urlencode

import pytest
from lti_platforms import (
    TEACHER,
    arrive,
    registered,
)
from services import visible

from grader.service.db.tables.lti import LtiAccountRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import RefusedError
from grader.service.lti.accounts import ASSISTANT, MEMBERSHIP, role_of
from grader.service.people.roster import import_roster

INSTITUTION = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#"
SYSTEM = "http://purl.imsglobal.org/vocab/lis/v2/system/person#"


def person(service, key):
    with service.database.reading() as session:
        return session.query(PersonRow).filter_by(key=key).one_or_none()


def test_an_account_is_joined_only_by_a_claim_that_the_operator_trusts(service, platform):
    """An account is joined with a person of the roster only by the chosen claim, and a student's account never with a
    person who teaches.
    """
    registered(service, platform)
    stated = {"email": "ada", "name": "Ada"}
    said = platform.launch(service, service.browser(), **stated)
    assert "does not know whether it is yours" in visible(said)
    registered(service, platform, matches="email")
    client = service.browser()
    assert platform.launch(service, client, **stated).status_code == 303
    with service.database.reading() as session:
        assert session.query(LtiAccountRow).one().person_id == service.ada
    said = platform.launch(service, service.browser(), sub="sub-eve", email="ada")
    assert "belongs to another account" in visible(said)
    said = platform.launch(service, service.browser(), sub="sub-eve", email="staff")
    assert "staff is an instructor here, but a student in Parallel Programming" in visible(said)


def test_the_same_account_name_at_another_registration_is_another_person(service, platform):
    """Registrations with the same issuer, as of two schools of a hosted platform, do not share accounts. A message for
    one of them does not complete a sign-in at the other.
    """
    registered(service, platform)
    assert platform.launch(service, service.browser(), sub="sub-cleo").status_code == 303
    registered(service, platform, client_id="client-2")
    client = service.browser()
    without = {"iss": platform.address, "login_hint": "hint"}
    assert "did not say which of its registrations" in visible(client.get(f"/lti/login?{urlencode(without)}"))
    asked = platform.login(service, client, client_id="client-2")
    text = platform.message(service, asked["nonce"], sub="sub-cleo")
    assert "for another tool (audience)" in visible(arrive(service, client, asked["state"], text))
    text = platform.message(service, asked["nonce"], sub="sub-cleo", aud="client-2", email="other@example.org")
    assert arrive(service, client, asked["state"], text).status_code == 303
    with service.database.reading() as session:
        assert len({each.person_id for each in session.query(LtiAccountRow).filter_by(sub="sub-cleo")}) == 2


def test_a_role_follows_the_platform_when_it_changes_there(service, platform):
    """A role that changes at the platform changes here. A role that an instructor has changed here stays until then."""
    registered(service, platform)
    client = service.browser()
    platform.launch(service, client, sub="sub-tom")
    with service.database.writing() as session:
        session.query(PersonRow).filter_by(key="tom@example.org").one().role = CourseRole.ASSISTANT
    platform.launch(service, client, sub="sub-tom")
    assert person(service, "tom@example.org").role == CourseRole.ASSISTANT
    platform.launch(service, client, sub="sub-tom", role=TEACHER)
    assert person(service, "tom@example.org").role == CourseRole.INSTRUCTOR


def test_an_assistant_of_a_platform_gets_no_account_of_an_instructor(service, platform):
    """A trusted claim does not join an assistant's account with an instructor, whose rights it would get."""
    registered(service, platform, matches="email")
    said = platform.launch(service, service.browser(), sub="sub-ta", role=ASSISTANT, email="staff")
    assert (said.status_code, "staff is an instructor here" in said.text) == (409, True)


def test_a_student_with_the_key_of_a_future_instructor_gets_no_role(service, platform):
    """A student may enter with the mail address of a person who is not in the course yet. The course's roster does not
    make the student an instructor afterwards.
    """
    client = service.browser()
    assert platform.launch(service, client, sub="sub-mallory", email="prof@example.org").status_code == 303
    with pytest.raises(RefusedError, match="only a learning platform has said"):
        import_roster(service.database, b"key,name,role\nprof@example.org,Prof,instructor\n", "staff", service.now)
    assert client.get("/course").status_code == 404
    import_roster(service.database, b"key,name\nprof@example.org,Prof\n", "staff", service.now)


@pytest.mark.parametrize(
    ("stated", "role"),
    [
        ([f"{MEMBERSHIP}Learner"], CourseRole.STUDENT),
        (["Learner"], CourseRole.STUDENT),
        ([f"{MEMBERSHIP}Instructor"], CourseRole.INSTRUCTOR),
        ([f"{MEMBERSHIP}Administrator"], CourseRole.INSTRUCTOR),
        ([f"{MEMBERSHIP}Learner", f"{MEMBERSHIP}Instructor"], CourseRole.INSTRUCTOR),
        ([f"{MEMBERSHIP}Instructor", ASSISTANT], CourseRole.ASSISTANT),
        ([f"{MEMBERSHIP}Learner", ASSISTANT], CourseRole.ASSISTANT),
        ([f"{INSTITUTION}Faculty", f"{INSTITUTION}Instructor", f"{MEMBERSHIP}Learner"], CourseRole.STUDENT),
        ([f"{INSTITUTION}Instructor"], None),
        ([f"{SYSTEM}SysAdmin"], None),
        ([f"{MEMBERSHIP}Mentor", f"{MEMBERSHIP}ContentDeveloper"], None),
        ([], None),
    ],
)
def test_a_role_in_the_course_decides(stated, role):
    """A professor who is a student of this course is a student here. An assistant whom the platform also calls an
    instructor is an assistant. Without a role in the course, a person may not enter.
    """
    assert role_of(stated) is role
