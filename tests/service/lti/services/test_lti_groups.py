"""groups.py: students hand in with their groups from the platform."""

import pytest
from lti_platforms import TEACHER, member, registered
from services import post, visible

from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.lti import LtiContextRow
from grader.service.db.tables.people import PersonRow
from grader.service.lti.platform_client import Endpoints
from grader.service.lti.services.groups import WITHOUT_SET, CourseGroups, GroupSource, read_groups
from grader.service.lti.services.roster import read_rosters

GROUPS = "https://purl.imsglobal.org/spec/lti-gs/claim/groupsservice"

LISTED = [
    {"id": 1, "name": "Red", "set_id": "s1"},
    {"id": 2, "name": "Blue", "set_id": "s1"},
    {"id": 3, "name": "Blue", "set_id": "s1"},
    {"id": 4, "name": "Project A", "set_id": "s2"},
    {"id": 5, "name": "Choir"},
    {"name": "without an id"},
]


@pytest.fixture
def platform(running, service):
    """A platform with three sets of groups. The launch of an instructor has stated their addresses."""
    running.__init__(running.address)
    registered(service, running)
    stated = {"context_groups_url": f"{running.address}/groups", "context_group_sets_url": f"{running.address}/sets"}
    running.claims = {GROUPS: stated}
    running.answers = {
        "/groups": lambda *_: (200, {}, {"id": "x", "groups": LISTED}),
        "/sets": lambda *_: (200, {}, {"id": "x", "sets": [{"id": "s1", "name": "Exercises"}, {"id": "s2"}]}),
    }
    assert running.launch(service, service.browser(), sub="sub-dora", role=TEACHER).status_code == 303
    return running


def in_groups(name, *groups):
    return member(f"sub-{name}", group_enrollments=[{"group_id": each} for each in groups])


def read(service):
    """Read the roster now. Return the result in words, and the group of each student."""
    with service.database.writing() as session:
        session.query(LtiContextRow).one().roster_due = service.now
    try:
        read_rosters(service.database, service.app_state.lti, service.now)
    except OSError as error:
        return str(error), {}
    with service.database.reading() as session:
        people = session.query(PersonRow).filter(PersonRow.key.like("%@example.org")).all()
        return session.query(LtiContextRow).one().roster_words, {
            each.key.partition("@")[0]: each.team for each in people
        }


def choose(service, chosen):
    """Choose a set of groups on the page Learning platforms."""
    page = "/course/platforms"
    return post(service.browser("staff"), f"{page}/1/groups", page, set=chosen)


def test_students_get_the_groups_of_the_chosen_set(service, platform):
    """Groups do not change before an instructor has chosen a set. After that, each reading of the roster updates the
    groups and records each change in the audit trail. Groups with the same name stay separate, and a student in two
    groups gets none.
    """
    platform.members = [in_groups("ann", 1, 4), in_groups("bob", "2"), in_groups("cyd", 3, 5), in_groups("eve", 1, 2)]
    platform.members += [in_groups("fay"), in_groups("dora", 1) | {"roles": [TEACHER]}]
    words, teams = read(service)
    assert (words, {*teams.values()}) == ("6 members in the roster", {None})
    page = service.browser("staff").get("/course/platforms").text
    assert all(name in page for name in ("Exercises", '<option value="s2">s2</option>', "all other groups"))
    assert choose(service, "s1").status_code == 303
    words, teams = read(service)
    assert words == "6 members in the roster, 3 groups. 1 member in several groups got none"
    wanted = {"ann": "Red", "bob": "Blue (2)", "cyd": "Blue (3)", "eve": None, "fay": None, "dora": None}
    assert teams == wanted
    platform.members[0] = in_groups("ann", 2)
    assert read(service)[1] == wanted | {"ann": "Blue (2)"}
    with service.database.reading() as session:
        said = [row.what for row in session.query(AuditRow).filter_by(about="ann@example.org")]
    assert said[-1].endswith("group Red -> Ann, student, group Blue (2)")
    choose(service, "")
    platform.members[0] = in_groups("ann", 1)
    assert read(service)[1] == wanted | {"ann": "Blue (2)"}


def test_a_group_cannot_be_called_like_another_one(service, platform):
    """Groups stay different if students call theirs like two other groups with their ids."""
    listed = [{"id": 1, "name": "Blue"}, {"id": 2, "name": "Blue"}, {"id": 3, "name": "Blue (2)"}]
    platform.answers["/groups"] = lambda *_: (200, {}, {"groups": listed})
    platform.members = [in_groups("ann", 1), in_groups("bob", 2), in_groups("cyd", 3)]
    read(service)
    choose(service, WITHOUT_SET)
    teams = read(service)[1]
    assert [teams[name] for name in ("ann", "bob", "cyd")] == ["Blue (1)", "Blue (2)", "Blue (2) (3)"]


def test_ids_that_no_page_can_show_are_left_out(service, platform):
    """An id with half a character, an invisible one or thousands of characters is left out, of groups and of sets."""
    odd = [{"id": each, "set_id": each, "name": "odd"} for each in ("\ud800", "a\x00", "9" * 4000)]
    platform.answers["/groups"] = lambda *_: (200, {}, {"groups": [*odd, {"id": 7, "set_id": "\ud800"}]})
    platform.answers["/sets"] = lambda *_: (200, {}, {"sets": odd})
    platform.members = [in_groups("ann", "\ud800", 7)]
    read(service)
    page = service.browser("staff").get("/course/platforms")
    assert (page.status_code, "odd" in page.text, "all other groups" in page.text) == (200, False, True)


def test_groups_are_not_lost_if_the_platform_does_not_state_them(service, platform):
    """If the roster does not say who is in which group, or the groups cannot be read, students keep their groups."""
    platform.members = [in_groups("ann", 1)]
    read(service)
    choose(service, "s1")
    assert read(service)[1]["ann"] == "Red"
    platform.members = [member("sub-ann")]
    words, teams = read(service)
    assert ("does not say who is in which group" in words, teams["ann"]) == (True, "Red")
    for answer, reason in (((200, {}, {"groups": "x"}), "is not a list of groups"), ((403, {}, "no scope"), "403")):
        platform.answers["/groups"] = lambda *_, said=answer: said
        assert reason in read(service)[0]
    with service.database.reading() as session:
        assert session.query(PersonRow).filter_by(key="ann@example.org").one().team == "Red"


@pytest.mark.usefixtures("platform")
def test_only_one_course_supplies_the_groups(service):
    """After a set is chosen, a set of another course cannot be chosen, because its groups may have the same names. A
    set that the platform no longer has cannot be chosen either.
    """
    read(service)
    choose(service, "s1")
    with service.database.writing() as session:
        first = session.query(LtiContextRow).one()
        same = {"platform_id": first.platform_id, "deployment": first.deployment, "connected": service.now}
        words = dict.fromkeys(("connected_by", "memberships_url", "line_items_url", "scopes", "roster_words"), "")
        second = LtiContextRow(**same, **words, context="2", title="Two", seen=service.now, group_sets='{"s1": "A"}')
        session.add(second)
    page = "/course/platforms"
    said = post(service.browser("staff"), f"{page}/2/groups", page, set="s1")
    assert (said.status_code, "Parallel Programming already supplies" in visible(said)) == (409, True)
    assert "no longer has this set of groups" in visible(choose(service, "gone"))


def test_a_course_without_the_service_has_no_groups():
    """If the platform has not stated the address of its groups, no request is sent."""
    nowhere = Endpoints(number=1, client_id="", token_url="", token_audience="", jwks_url="")
    source = GroupSource(groups_url="", sets_url="https://x.example", chosen="")
    assert read_groups(None, nowhere, None, source) == CourseGroups(sets={}, names={})
