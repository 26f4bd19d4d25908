"""storage.py: nothing hidden is in the stored part for students, and stored data follow the files of the course."""

import dataclasses
import json
import zlib

import pytest
from hidden_parts import HIDDEN, SECRET, failing, hiding_course, right
from scored_again import CHEAPER, result_of, says, score_again
from services import Service
from sqlalchemy import func, select, update

from grader.common.record import replace
from grader.service.course.assignment_view import AssignmentView, memory_in
from grader.service.course.assignments import AssignmentCache
from grader.service.db.session import utc_now
from grader.service.db.tables.assignments import AssignmentRow
from grader.service.db.tables.submissions import DryRunRow, GradingRow
from grader.service.station.storage import (
    AT_ONCE,
    INTERVAL,
    Upkeep,
    ready,
    ready_dry_run,
)
from grader.service.submissions.dry_runs import KEPT_FOR, dry_run_of


def readable(outcome):
    """Return the texts that students get from a stored outcome before the release."""
    pages = (zlib.decompress(each).decode() for each in (outcome.early_page, outcome.early_result))
    return [outcome.early_checks, *pages]


@pytest.mark.sampled
@pytest.mark.parametrize("hidden", HIDDEN)
def test_the_part_for_students_is_the_same_however_a_hidden_check_went(tmp_path, hidden):
    """The part for students does not depend on the hidden check. The whole result does."""
    assignment = hiding_course(tmp_path, hidden).load("small")
    whole = right(assignment)
    passed, failed = (ready(each, assignment) for each in (whole, failing(whole, HIDDEN[hidden])))
    assert readable(passed)[0] == readable(failed)[0]
    assert (passed.early_points, passed.early_max) == (failed.early_points, failed.early_max)
    assert passed.full_checks != failed.full_checks
    assert not any(SECRET in each for each in readable(failed))
    assert SECRET in zlib.decompress(failed.full_page).decode()
    assert SECRET in failed.result


def test_a_result_without_hidden_parts_is_stored_once(service):
    """If nothing is hidden, the whole page and the whole checks are not stored a second time."""
    assignment = service.course.load("small")
    outcome = ready(right(assignment), assignment)
    assert (outcome.full_checks, outcome.full_page) == (None, None)
    assert (outcome.points, outcome.max_points) == (outcome.early_points, outcome.early_max)
    assert json.loads(outcome.result)["points"] == outcome.points
    assert (outcome.measured_sha256, outcome.scored_sha256) == (
        assignment.measured_sha256,
        assignment.scored_sha256,
    )
    assert not outcome.is_pending


def test_a_dry_run_withholds_nothing(tmp_path):
    """A dry run has no hidden outcomes, so its whole result is the part that its student sees."""
    assignment = hiding_course(tmp_path, "case").load("small")
    whole = right(assignment)
    shown = replace(whole, checks=tuple(each for at, each in enumerate(whole.checks) if at != HIDDEN["case"]))
    outcome = ready_dry_run(shown, assignment)
    assert (outcome.full_checks, outcome.full_page) == (None, None)
    assert json.loads(zlib.decompress(outcome.early_result)) == json.loads(outcome.result)


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
    upkeep = Upkeep(served.course, AssignmentCache(served.course, served.data))
    assert upkeep.score_some(served.database)
    with served.database.reading() as session:
        points = [row.max_points for row in session.query(GradingRow)]
    assert (points.count(18), points.count(24)) == (AT_ONCE, 1)
    assert [upkeep.score_some(served.database) for _ in range(2)] == [True, False]
    monkeypatch.setattr(type(served.database), "reading", lambda _: 1 / 0)
    assert not upkeep.score_some(served.database)


CLOSED = "timezone: Europe/Berlin\ndue: 2026-11-20T13:00\nlate: refused\n"
"""Policies of an assignment that closed three days ago."""


COSTLY = "timezone: Europe/Berlin\ndue: 2026-11-22T13:00\nlate: {percent: 10}\n"
"""Policies of an assignment that was due a day ago and deducts points for late attempts."""


@pytest.mark.parametrize("policies", [CLOSED, COSTLY, "attempts: {most: 3, refill_hours: 2}\nopens: 2026-01-01T00:00Z"])
def test_what_is_remembered_is_what_was_read(tmp_path, policies):
    """A recorded assignment equals the one that was read, including dates and limits. It is written again only after a
    change.
    """
    service = Service(tmp_path, policies=policies)
    recorder = Upkeep(service.course, service.app_state.cache)
    recorder.record_assignments(service.database)
    assert memory_in(service.database)().states == {"small": service.app_state.cache.assignment("small")}
    with service.database.writing() as session:
        session.query(AssignmentRow).delete()
    recorder.record_assignments(service.database)
    assert memory_in(service.database)().states == {}, "nothing has changed, so nothing is written"
    assert AssignmentView.model_fields["gone"].default is False
    service.database.close()


def stored(service, person=None):
    """Return the stored dry run of a person with its grading, or None."""
    with service.database.reading() as session:
        return dry_run_of(session, person or service.ada, "small", service.now)


def rows(service, table):
    with service.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


@pytest.mark.whole
def test_a_dry_run_is_deleted_after_a_day(service):
    """After a day, pages no longer show a dry run, and a station deletes it with its result."""
    service.tried()
    service.passes(days=1)
    assert stored(service) is None
    with service.database.writing() as session:
        session.execute(update(DryRunRow).values(received=utc_now()))  # stations use the database's clock
    moment = [0.0]
    upkeep = Upkeep(service.course, service.app_state.cache, lambda: moment[0])
    upkeep.delete_dry_runs(service.database)
    with service.database.writing() as session:
        session.execute(update(DryRunRow).values(received=utc_now() - KEPT_FOR))
    upkeep.delete_dry_runs(service.database)
    assert rows(service, GradingRow) == 1
    moment[0] = INTERVAL
    upkeep.delete_dry_runs(service.database)
    assert [rows(service, table) for table in (DryRunRow, GradingRow)] == [0, 0]
