"""The service with an independent platform: the platform side of Open edX, from lti-consumer-xblock."""

from datetime import UTC, datetime

import pytest
from lti_platforms import SCOPES, arrive, platform_at_work, registered
from open_edx import COURSE, OpenEdx
from services import graded, parts

from grader.service.db.outbox import SendState
from grader.service.db.tables.decisions import ExclusionRow
from grader.service.db.tables.lti import LtiContextRow, LtiScoreRow
from grader.service.db.tables.people import PersonRow
from grader.service.lti.keys import LEAD, OVERLAP, published, rotate, signing_key
from grader.service.lti.platform_client import ServiceRequest
from grader.service.lti.registrations import endpoints_of, platforms
from grader.service.lti.services import roster
from grader.service.lti.services.delivery import send_scores
from grader.service.lti.services.line_items import LINE_ITEMS_TYPE
from grader.service.lti.services.scores import queue_scores


@pytest.fixture
def edx(service):
    service.now = datetime.now(UTC)
    with platform_at_work() as platform:
        registered(service, platform)
        with service.database.writing() as session:
            session.query(LtiContextRow).one().context = COURSE
        yield OpenEdx(service, platform)


@pytest.mark.whole
def test_people_of_open_edx_arrive_and_its_instructor_adds_an_assignment(service, edx):
    """A student of Open edX arrives at the assignment. Its instructor chooses an assignment, and Open edX accepts the
    answer.
    """
    student = service.browser()
    said = arrive(service, student, *edx.launch(student, "cleo", "student"))
    assert (said.status_code, said.headers.get("location")) == (303, "/assignments/small"), said.text
    teacher = service.browser()
    shown = arrive(service, teacher, *edx.launch(teacher, "dora", "staff", message_type="LtiDeepLinkingRequest"))
    token = shown.text.split('name="token" value="')[1].split('"')[0]
    said = teacher.post("/lti/deep-linking", files=parts(token=token, assignment="small"))
    text = said.text.split('name="JWT" value="')[1].split('"')[0]
    (item,) = edx.consumer.check_and_decode_deep_linking_token(text)
    assert (item["type"], item["custom"]) == ("ltiResourceLink", {"assignment": "small"})


def test_the_roster_of_open_edx_is_read_in_pages(service, edx, monkeypatch):
    """The service reads the roster of Open edX, in several pages. Its members get their roles, and a member who
    launches later is the same person. A student who is no longer in the roster cannot enter.
    """
    monkeypatch.setattr(roster, "MEMBERS_PER_PAGE", 3)
    edx.enrol("prof", role="instructor")
    edx.enrol("dora", role="staff")
    edx.enrol("cleo", "dan", "eva", "fay", "gus")
    teacher, student = service.browser(), service.browser()
    arrive(service, teacher, *edx.launch(teacher, "prof", "instructor"))
    assert read(service) == "7 members in the roster"
    found = people(service)
    assert {name: role for name, (role, _) in found.items() if name in {"prof", "dora", "cleo"}} == {
        "prof": "instructor",
        "dora": "instructor",
        "cleo": "student",
    }
    assert sum(path.endswith("/memberships") for _, path, _ in edx.platform.requests) == 3
    said = arrive(service, student, *edx.launch(student, "cleo", "student"))
    assert (said.status_code, people(service).keys()) == (303, found.keys())
    del edx.members[3]
    assert read(service) == "6 members in the roster, 1 left"
    assert {name for name, (_, gone) in people(service).items() if gone} == {"cleo"}


def read(service):
    with service.database.writing() as session:
        session.query(LtiContextRow).one().roster_due = service.now
    roster.read_rosters(service.database, service.app_state.lti, service.now)
    with service.database.reading() as session:
        return session.query(LtiContextRow).one().roster_words


def people(service):
    """Return the role of each person of Open edX and the time of their deactivation, by name."""
    with service.database.reading() as session:
        rows = session.query(PersonRow).filter(PersonRow.key.like("%@x.edu"))
        return {row.key.partition("@")[0]: (row.role, row.deactivated) for row in rows}


@pytest.mark.whole
def test_open_edx_accepts_the_keys_during_a_rotation(service, edx):
    """Open edX gives an access token before, during and after a rotation, when a message has the old or the new key."""
    client, used = service.app_state.lti, []
    with service.database.writing() as session:
        rotate(session, service.now)
    for ahead, number in ((LEAD / 2, 2), (LEAD * 2, 2), (LEAD + OVERLAP * 2, 1)):
        with service.database.reading() as session:
            assert len(published(session, service.now + ahead)) == number
            endpoints, key = endpoints_of(platforms(session)[0]), signing_key(session, service.now + ahead)
        used.append(key.kid)
        answer = client.token_answer(endpoints, key, (SCOPES[0],))
        assert (answer.status, answer.json["scope"]) == (200, SCOPES[0])
        asked = ServiceRequest(method="GET", url=edx.columns, scopes=(SCOPES[0],), accept=LINE_ITEMS_TYPE)
        assert client.ask(endpoints, key, asked).json == []
    assert used[0] != used[1] == used[2]


def test_open_edx_gets_a_column_and_the_latest_score(service, edx):
    """The service creates a column in Open edX and sends a score, a regrade, and later its removal. It reads the score
    back after an interruption, and does not send it twice. An instructor's launch shows that the course uses the
    assignment.
    """
    instructor, student = service.browser(), service.browser()
    arrive(service, instructor, *edx.launch(instructor, "prof", "instructor"))
    arrive(service, student, *edx.launch(student, "cleo", "student"))
    with service.database.reading() as session:
        cleo = session.query(PersonRow).filter_by(key="cleo@x.edu").one().id
    attempt = service.graded(service.hand_in(person=cleo), graded(service.course, passed=False))
    send(service)
    (column,) = edx.models.LtiAgsLineItem.objects.filter(lti_configuration=edx.configuration)
    assert (column.resource_id, column.scores.get().user_id) == ("small", "cleo")
    first = column.scores.get().score_given
    service.passes(minutes=1)
    service.regrade(attempt)
    service.graded(attempt, graded(service.course))
    send(service)
    assert (column.scores.get().score_given > first, column.scores.get().comment) == (True, "Attempt 1")
    with service.database.writing() as session:
        row = session.query(LtiScoreRow).one()
        row.state, row.begun = SendState.TO_SEND, service.now
    service.passes(minutes=6)
    posts = sum(path.endswith("/scores") for _, path, _ in edx.platform.requests)
    send(service)
    assert sum(path.endswith("/scores") for _, path, _ in edx.platform.requests) == posts
    with service.database.writing() as session:
        row = session.query(LtiScoreRow).one()
        assert (row.state, row.words) == (SendState.SENT, "")
        session.add(ExclusionRow(attempt_id=attempt, reason="so", who="staff", at=service.now))
    send(service)
    assert column.scores.get().score_given is None


def send(service):
    queue_scores(service.database, service.app_state.cache.all(), service.now)
    send_scores(service.database, service.app_state.lti, lambda: service.now)
