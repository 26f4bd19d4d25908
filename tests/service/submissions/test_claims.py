"""claims.py: what a station stores fits the row of the grading, and a claim outlasts a busy machine."""

from dataclasses import fields

from services import graded

from grader.service.db.tables.submissions import GradingRow
from grader.service.station.heartbeat import GradingLimits
from grader.service.submissions.claims import LEASE, Graded


def test_an_outcome_is_stored_column_by_column(service):
    """Each field of an outcome except `is_pending` is an attribute of the row, which has the same value afterwards."""
    outcome = graded(service.course)
    attempt = service.graded(service.hand_in(), outcome)
    names = {each.name for each in fields(Graded)} - {"is_pending"}
    assert outcome.columns.keys() == names
    with service.database.reading() as session:
        row = session.get_one(GradingRow, service.gradings(attempt)[0].id)
        assert {name: getattr(row, name) for name in names} == outcome.columns


def test_a_claim_survives_five_heartbeats_that_are_late():
    """The lease is six heartbeats long, so a busy machine that misses five of them keeps its grading."""
    assert LEASE.total_seconds() == 6 * GradingLimits().beat
