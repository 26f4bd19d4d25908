"""rescoring.py: stored results get new points between gradings, a few at a time."""

import dataclasses

import pytest
from hidden_parts import hiding_course
from scored_again import CHEAPER, result_of, says, score_again
from services import Service

from grader.service.course.assignments import AssignmentCache
from grader.service.db.tables.submissions import GradingRow
from grader.service.station.storage.rescoring import AT_ONCE, Rescoring


@pytest.fixture
def served(tmp_path):
    """Return a service with one assignment worth 24 points."""
    made = Service(tmp_path, course=hiding_course(tmp_path / "course"))
    yield made
    made.database.close()


def test_a_result_that_cannot_be_read_any_more_stops_no_other(served):
    """A result that can no longer be read keeps its points and is marked as older. Other results are still scored
    again.
    """
    broken = served.graded(served.hand_in(), dataclasses.replace(result_of(served), result="{}"))
    sound = served.graded(served.hand_in(person=served.ben), result_of(served))
    before = served.gradings(sound)[0].points
    says(served, CHEAPER)
    score_again(served)
    assert served.gradings(broken)[0].points == before
    assert served.gradings(sound)[0].points == before - 6
    assert "small 1." in served.browser("staff").get("/course").text


@pytest.mark.whole
def test_a_few_are_scored_at_once_and_what_is_done_is_not_looked_at_again(served, monkeypatch):
    """Only a few results are scored again at a time, between gradings. Afterwards, the database is not queried until a
    file changes.
    """
    for _ in range(AT_ONCE + 1):
        served.graded(served.hand_in(), result_of(served))
    says(served, CHEAPER)
    rescoring = Rescoring(served.course, AssignmentCache(served.course, served.data))
    assert rescoring.some(served.database)
    with served.database.reading() as session:
        points = [row.max_points for row in session.query(GradingRow)]
    assert (points.count(18), points.count(24)) == (AT_ONCE, 1)
    assert [rescoring.some(served.database) for _ in range(2)] == [True, False]
    monkeypatch.setattr(type(served.database), "reading", lambda _: 1 / 0)
    assert not rescoring.some(served.database)
