"""roster.py: rosters of learning platforms with pages, roles, departures and returns."""

import pytest
from lti_platforms import LEARNER, TEACHER, member
from services import visible

from grader.service.db.tables.lti import LtiContextRow, LtiMemberRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.lti.services.roster import ROSTER_INTERVAL, read_rosters


def read(service):
    """Read the roster, and return the result in words."""
    try:
        read_rosters(service.database, service.app_state.lti, service.now)
    except OSError as error:
        return str(error)
    service.passes(hours=ROSTER_INTERVAL.total_seconds() / 3600)
    with service.database.reading() as session:
        return session.query(LtiContextRow).one().roster_words


def person(service, name):
    with service.database.reading() as session:
        return session.query(PersonRow).filter_by(key=f"{name}@example.org").one_or_none()


@pytest.mark.whole
def test_people_come_leave_and_return_with_their_roles(service, platform):
    """A roster adds people with their roles. A person who is removed at the platform cannot enter until they return.
    People of the course's own roster stay.
    """
    others = [member(f"sub-s{n}") for n in range(4)]
    platform.members = [member("sub-cleo"), member("sub-dora", TEACHER), *others]
    platform.members += [member("sub-gone", status="Inactive"), member("sub-parent", f"{LEARNER[:-7]}Mentor")]
    assert read(service) == "6 members in the roster"
    assert (person(service, "cleo").role, person(service, "dora").role) == (CourseRole.STUDENT, CourseRole.INSTRUCTOR)
    assert (person(service, "gone"), person(service, "parent")) == (None, None)
    client = service.browser()
    assert platform.launch(service, client, sub="sub-cleo").status_code == 303
    platform.members = platform.members[1:]
    assert read(service) == "5 members in the roster, 1 left"
    assert client.get("/").status_code == 303
    assert person(service, "cleo").deactivated is not None
    assert {person(service, f"s{n}").deactivated for n in range(4)} == {None}
    assert service.browser("ada").get("/").status_code == 200
    platform.members.append(member("sub-cleo"))
    read(service)
    assert person(service, "cleo").deactivated is None


def test_a_person_whom_an_instructor_has_deactivated_stays_so(service, platform):
    """A roster does not let a person back in whom an instructor has deactivated."""
    platform.members = [member("sub-cleo")]
    read(service)
    with service.database.writing() as session:
        session.query(PersonRow).filter_by(key="cleo@example.org").one().deactivated = service.now
    read(service)
    assert person(service, "cleo").deactivated is not None
    assert "has ended your access" in visible(platform.launch(service, service.browser(), sub="sub-cleo"))


@pytest.mark.whole
def test_ten_thousand_members_come_in_pages(service, platform):
    """The service reads 10,000 members in 100 pages, and refuses more."""
    platform.members = [member(f"sub-p{n}") for n in range(10_001)]
    assert "more than 10,000 members" in read(service)
    with service.database.reading() as session:
        assert session.query(LtiMemberRow).count() == 0
    assert sum(path == "/members" for _, path, _ in platform.requests) == 101


@pytest.mark.whole
def test_ten_thousand_members_are_taken_in(service, platform):
    """The service takes in 10,000 members. Reading the same roster again changes nothing."""
    platform.members, platform.page_size = [member(f"sub-p{n}") for n in range(10_000)], 1000
    for _ in range(2):
        assert read(service) == "10,000 members in the roster"
        with service.database.reading() as session:
            assert session.query(LtiMemberRow).count() == 10_000


UNUSABLE = (
    ((200, {}, "<html>"), "is not JSON"),
    ((200, {}, {"members": "x"}), "not a list of members"),
    ((200, {}, {"context": {"id": "another"}, "members": []}), "about another course"),
    ((200, {"link": '<http://127.0.0.2/>; rel="next"'}, {"members": []}), "at another server"),
    ((404, {}, "no such course"), "404: no such course"),
    ((403, {}, "no scope"), "403: no scope"),
)
"""Answers instead of a list of members, and words of the reason that is kept."""


def test_a_roster_that_cannot_be_read_removes_nobody(service, platform):
    """If a page is unusable, or the course was deleted at the platform, nobody is removed and the reason is kept."""
    platform.members = [member(f"sub-s{n}") for n in range(3)]
    read(service)
    for answer, words in UNUSABLE:
        platform.answers = {"/members": lambda *_, answer=answer: answer}
        assert words in read(service)
        service.passes(hours=1)
        assert person(service, "s0").deactivated is None


def test_a_roster_that_lacks_most_members_removes_nobody(service, platform):
    """A roster without most of its members is probably incomplete, so nobody is removed."""
    platform.members = [member(f"sub-s{n}") for n in range(30)]
    read(service)
    platform.members = platform.members[:5]
    assert "may be incomplete and no one was removed" in read(service)
    assert person(service, "s29").deactivated is None


def test_one_member_who_cannot_be_added_does_not_keep_the_others_out(service, platform):
    """A member whose key belongs to another person is left out with the reason, and all others are added."""
    platform.members = [member("sub-ada", email="ada"), member("sub-cleo")]
    assert "1 member could not be added. The first: Ada: The key ada" in read(service)
    assert person(service, "cleo") is not None
