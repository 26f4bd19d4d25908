"""The service with an independent platform: the platform side of Open edX, from lti-consumer-xblock."""

from datetime import UTC, datetime

import pytest
from lti_platforms import SCOPES, arrive, platform_at_work, registered
from open_edx import OpenEdx
from services import parts

from grader.service.lti.keys import LEAD, OVERLAP, published, rotate, signing_key
from grader.service.lti.platform_client import ServiceRequest
from grader.service.lti.registrations import endpoints_of, platforms


@pytest.fixture
def edx(service):
    service.now = datetime.now(UTC)
    with platform_at_work() as platform:
        registered(service, platform)
        yield OpenEdx(service, platform)


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
        asked = ServiceRequest(method="GET", url=f"{edx.platform.address}/columns", scopes=(SCOPES[0],), accept="*/*")
        edx.platform.answers["/columns"] = lambda *_: (200, {}, [])
        assert client.ask(endpoints, key, asked).json == []
    assert used[0] != used[1] == used[2]
