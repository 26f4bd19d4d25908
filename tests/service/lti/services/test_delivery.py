"""delivery.py: every score arrives once, with its latest value, also at a platform that fails."""

import random
import threading
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from lti_platforms import THIS_MACHINE, course_using_small
from services import graded, post
from sqlalchemy import select

from grader.service.db.outbox import SendState
from grader.service.db.tables.lti import (
    LtiAccountRow,
    LtiContextRow,
    LtiLineItemRow,
    LtiPlatformRow,
    LtiScoreRow,
)
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.grades.publication import hold_back, publish
from grader.service.lti.services import delivery
from grader.service.lti.services.delivery import INTERRUPTED_AFTER, send_scores
from grader.service.lti.services.scores import queue_scores, send_again
from grader.service.network.client import HttpClient

pytestmark = pytest.mark.usefixtures("course")


@pytest.fixture
def platform(running):
    running.__init__(running.address)
    return running


@pytest.fixture
def course(service, platform):
    return course_using_small(service, platform)


def send(service):
    """Queue the scores that have changed, and send those that are due. Return the reason why a platform is paused."""
    queue_scores(service.database, service.app_state.cache.all(), service.now)
    return send_queued(service)


def send_queued(service):
    try:
        send_scores(service.database, service.app_state.lti, lambda: service.now)
    except OSError as error:
        return str(error)
    return ""


def arrived(platform):
    return [(user, said.get("scoreGiven")) for _, user, said in platform.scores]


def rows(service):
    with service.database.reading() as session:
        return session.scalars(select(LtiScoreRow).order_by(LtiScoreRow.id)).all()


def states(service):
    return [(each.state, each.words) for each in rows(service)]


@pytest.mark.whole
def test_a_result_is_sent_once_and_each_change_once_more(service, platform):
    """A result is sent with its time and attempt, and only once. A regrade and a decision send the new score. A student
    who has handed in nothing has no score, and one whose attempts are excluded has none any more.
    """
    assert send(service) == ""
    assert platform.scores == []
    attempt = service.graded(service.hand_in(), graded(service.course, passed=False))
    first = service.gradings(attempt)[0].points
    for _ in range(2):
        send(service)
    ((_, user, said),) = platform.scores
    assert (user, said["scoreGiven"], said["scoreMaximum"] > first) == (f"sub-{service.ada}", first, True)
    assert said["gradingProgress"] == "FullyGraded"
    assert said["comment"].startswith("Attempt 1")
    assert said["submission"]["submittedAt"].startswith("2026-11-23T12:00:00")
    service.passes(minutes=1)
    service.regrade(attempt)
    service.graded(attempt, graded(service.course))
    send(service)
    page = f"/course/people/{service.ada}/assignments/small"
    service.passes(minutes=1)
    post(service.browser("staff"), f"{page}/decision", page, points="3", comment="so")
    send(service)
    assert [points for _, points in arrived(platform)][1:] == [said["scoreMaximum"], 3]
    post(service.browser("staff"), f"{page}/decision", page, points="", comment="withdrawn")
    service.passes(minutes=1)
    public = service.attempt(attempt).public
    post(service.browser("staff"), f"/course/attempts/{public}/exclusion", f"/attempts/{public}", reason="so")
    send(service)
    assert arrived(platform)[-1] == (f"sub-{service.ada}", None)
    assert len(platform.columns) == 1
    times = [each["timestamp"] for _, _, each in platform.scores]
    assert times == sorted(set(times))


def test_no_score_is_sent_before_students_see_the_result(service, platform):
    """While results are held back, no score is sent, not even one that was queued before."""
    service.graded(service.hand_in(), graded(service.course))
    queue_scores(service.database, service.app_state.cache.all(), service.now)
    with service.database.writing() as session:
        hold_back(session, "small", "staff", service.now)
    service.graded(service.hand_in(person=service.ben), graded(service.course))
    send(service)
    assert platform.scores == []
    with service.database.writing() as session:
        publish(session, "small", "staff", service.now)
    send(service)
    assert len(platform.scores) == 2


def test_a_refused_score_blocks_nothing_and_is_sent_again_on_request(service, platform):
    """A refused score keeps the platform's words and does not delay others. An instructor can send it again."""
    for each in (service.ada, service.ben):
        service.graded(service.hand_in(person=each), graded(service.course))
    refuse = lambda _m, path, _q, body: (  # noqa: E731
        (400, {}, "user <b>left</b>") if path.endswith("/scores") and body["userId"] == f"sub-{service.ada}" else None
    )
    platform.answers = {"/columns": refuse}
    send(service)
    assert states(service) == [(SendState.REFUSED, "400: user <b>left</b>"), (SendState.SENT, "")]
    platform.answers = {}
    service.passes(days=1)
    send(service)
    assert len(platform.scores) == 1
    with service.database.writing() as session:
        send_again(session, session.scalars(select(LtiScoreRow).filter_by(state="refused")).all(), "staff", service.now)
    send(service)
    assert len(platform.scores) == 2
    assert [state for state, _ in states(service)] == [SendState.SENT] * 2


@pytest.mark.whole
def test_a_fault_is_tried_again_with_growing_pauses_up_to_a_limit(service, platform):
    """A score at which the platform fails is tried again after 1, 2, 4, ... minutes, and given up after 20 tries."""
    service.graded(service.hand_in(), graded(service.course))
    platform.answers = {"/columns": lambda _m, path, _q, _b: (500, {}, "oops") if path.endswith("/scores") else None}
    pauses = []
    for _ in range(40):
        send(service)
        (row,) = rows(service)
        if row.state == SendState.REFUSED:
            break
        pauses.append(round((row.not_before - service.now).total_seconds() / 60))
        service.now = row.not_before
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256] + [360] * 10
    assert row.words == "the platform answered with status 500: oops"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "minutes"),
    [
        ((429, {"retry-after": "120"}, ""), 2),
        ((403, {"x-rate-limit-remaining": "0.0"}, "403 Forbidden (Rate Limit Exceeded)"), 1),
        ((302, {"location": "http://127.0.0.1/"}, ""), 1),
    ],
    ids=["429", "canvas", "redirect"],
)
def test_a_platform_that_wants_fewer_requests_gets_fewer(service, platform, answer, minutes):
    """If a platform asks for fewer requests, all its scores wait, and none is lost. Canvas uses 403 and a header."""
    for each in (service.ada, service.ben):
        service.graded(service.hand_in(person=each), graded(service.course))
    platform.answers = {"/columns": lambda _m, path, _q, _b: answer if path.endswith("/scores") else None}
    assert send(service) != ""
    assert sum(path.endswith("/scores") for _, path, _ in platform.requests) == 1
    platform.answers = {}
    service.passes(seconds=60 * minutes - 1)
    send(service)
    assert platform.scores == []
    service.passes(seconds=2)
    assert send(service) == ""
    assert len(platform.scores) == 2


@pytest.mark.whole
def test_a_platform_that_is_gone_for_a_day_or_hangs_loses_nothing(service, platform):
    """Scores for a platform that does not answer wait, however many times it is tried. They arrive when it is back."""
    quick = replace(service.app_state.lti, http=HttpClient(private=THIS_MACHINE, read_seconds=0.2))
    service.app_state = replace(service.app_state, lti=quick)
    hanging = threading.Event()
    service.graded(service.hand_in(), graded(service.course))
    platform.answers = {"/token": lambda *_: hanging.wait(0.5) and None}
    assert "did not answer in time" in send(service)
    hanging.set()
    platform.answers = {"/token": lambda *_: (503, {}, "closed")}
    tries = 0
    for _ in range(24 * 2):
        service.passes(minutes=30)
        tries += bool(send_queued(service))
    assert 40 < tries < 60
    assert [state for state, _ in states(service)] == [SendState.TO_SEND]
    platform.answers = {}
    service.passes(minutes=31)
    assert send(service) == ""
    assert len(platform.scores) == 1
    with service.database.reading() as session:
        assert session.query(LtiPlatformRow).one().failures == 0


@pytest.mark.parametrize("fault", [ConnectionAbortedError, (502, {}, "bad gateway")], ids=["closed", "502"])
@pytest.mark.parametrize("shows_results", [True, False])
def test_a_score_whose_answer_was_lost_is_not_refused(service, platform, fault, shows_results):
    """A platform stores a score, but its answer is lost or is an error. When it then refuses a score with an equal
    time, the score counts as sent. It is stored once.
    """
    service.graded(service.hand_in(), graded(service.course))

    def answer(_method, path, _query, body):
        if path.endswith("/results") and not shows_results:
            return 403, {}, "no"
        if not path.endswith("/scores"):
            return None
        if platform.scores:
            return 409, {}, "a score with this time is stored"
        platform.scores.append((path.split("/")[2], body["userId"], body))
        if fault is ConnectionAbortedError:
            raise ConnectionAbortedError
        return fault

    platform.answers = {"/columns": answer}
    send(service)
    service.passes(minutes=6)
    assert send(service) == ""
    assert states(service) == [(SendState.SENT, "")]
    assert len(platform.scores) == 1


def queued(service, platform, course, number):
    """Queue scores of this number of students for a platform that fails at every fifth request."""
    chance = random.Random(7)
    with service.database.writing() as session:
        session.scalar(select(LtiLineItemRow)).url = f"{platform.address}/columns/9?type_id=3"
        people = [
            PersonRow(key=f"s{n}", name=f"S{n}", role=CourseRole.STUDENT, created=service.now) for n in range(number)
        ]
        session.add_all(people)
        session.flush()
        place = session.get_one(LtiContextRow, course).platform_id
        for n, each in enumerate(people):
            session.add(LtiAccountRow(platform_id=place, person_id=each.id, sub=f"s{n}", role="student"))
            fields = {"points": n / 10, "most": 100, "comment": "", "changed": service.now, "state": "to send"}
            times = {"not_before": service.now, "tries": 0, "sent_value": "", "words": ""}
            session.add(LtiScoreRow(context_id=course, person_id=each.id, assignment="small", **fields, **times))
    platform.answers = {"/columns": lambda *_: (500, {}, "oops") if chance.random() < 0.2 else None}


def all_arrived_once(service, platform, number):
    """Check that each score has arrived once, with the right value, and with few requests for reading back."""
    assert sorted(arrived(platform)) == sorted((f"s{n}", n / 10) for n in range(number))
    assert {state for state, _ in states(service)} == {SendState.SENT}
    assert 1.15 * number < len(platform.requests) < 1.5 * number


def test_scores_arrive_once_despite_faults_and_interruptions(service, platform, course, monkeypatch):
    """100 scores go to a platform that fails at every fifth request. Sending ends three times after a score has arrived
    and before this is recorded. Each score arrives once, with the right value.
    """
    queued(service, platform, course, 100)
    monkeypatch.setattr(delivery, "RUN_SECONDS", 600.0)
    ends, recorded = [10, 40, 70], delivery._note_arrival

    def may_end(*arguments):
        if ends and len(platform.scores) >= ends[0]:
            ends.pop(0)
            raise KeyboardInterrupt
        recorded(*arguments)

    monkeypatch.setattr(delivery, "_note_arrival", may_end)
    for _ in range(20):
        with suppress(KeyboardInterrupt):
            send_scores(service.database, service.app_state.lti, lambda: service.now)
        service.now += INTERRUPTED_AFTER + timedelta(seconds=1)
    assert ends == []
    all_arrived_once(service, platform, 100)


def test_a_registration_does_not_lead_behind_the_firewall(service):
    """Addresses that a launch states are not requested if they are private, and the score says why."""
    service.graded(service.hand_in(), graded(service.course))
    with service.database.writing() as session:
        session.scalar(select(LtiLineItemRow)).url = "https://10.0.0.1/columns/1"
    why = send(service)
    assert "has a private address" in why
