"""recorder.py: an assignment is stored as it was read, and only after a change."""

import pytest
from services import Service

from grader.service.course.assignment_view import AssignmentView
from grader.service.course.saved_assignments import memory_in
from grader.service.db.tables.assignments import AssignmentRow
from grader.service.station.storage.recorder import AssignmentRecorder

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
    recorder = AssignmentRecorder(service.app_state.cache)
    recorder.keep(service.database)
    assert memory_in(service.database)().states == {"small": service.app_state.cache.assignment("small")}
    with service.database.writing() as session:
        session.query(AssignmentRow).delete()
    recorder.keep(service.database)
    assert memory_in(service.database)().states == {}, "nothing has changed, so nothing is written"
    assert AssignmentView.model_fields["gone"].default is False
    service.database.close()
