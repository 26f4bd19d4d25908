"""scores.py: a score is queued when it differs from the last one, with few statements."""

import pytest
from large_course import statements
from lti_platforms import course_using_small
from sqlalchemy import select, update

from grader.service.db.outbox import SendState
from grader.service.db.tables.decisions import Decision, DecisionRow
from grader.service.db.tables.lti import (
    LtiMemberRow,
    LtiScoreRow,
)
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.lti.services.scores import queue_scores, score_in


@pytest.fixture
def platform(running):
    running.__init__(running.address)
    return running


@pytest.fixture
def course(service, platform):
    return course_using_small(service, platform)


def rows(service):
    with service.database.reading() as session:
        return session.scalars(select(LtiScoreRow).order_by(LtiScoreRow.id)).all()


def test_many_scores_are_queued_with_few_statements(service, platform, course):
    """The scores of 80 students are queued by one statement, whether their rows are new or changed. If a score has
    changed back to the last one that arrived, it is not sent again.
    """
    assert platform.scores == []
    fields = {"assignment": "small", "kind": Decision.SET, "comment": "", "who": "staff", "at": service.now}
    with service.database.writing() as session:
        people = [PersonRow(key=f"s{n}", name="S", role=CourseRole.STUDENT, created=service.now) for n in range(80)]
        session.add_all(people)
        session.flush()
        for each in people:
            session.add(LtiMemberRow(context_id=course, person_id=each.id))
            session.add(DecisionRow(person_id=each.id, points=3, **fields))
    writes = [writes_of(service, 80)]
    value = score_in(rows(service)[0]).value
    for points, state in ((4, SendState.TO_SEND), (3, SendState.SENT)):
        with service.database.writing() as session:
            session.execute(update(LtiScoreRow).values(sent_value=value))
            session.execute(update(DecisionRow).values(points=points))
        writes.append(writes_of(service, 80))
        assert {(each.points, each.state) for each in rows(service)} == {(points, state)}
    assert writes == [1, 1, 1]


def writes_of(service, number):
    """Queue scores, and return the number of statements that wrote them."""
    with statements(service.database) as seen:
        assert queue_scores(service.database, service.app_state.cache.all(), service.now) == number
    return sum("lti_scores" in each and not each.startswith("SELECT") for each in seen)
