"""retention.py: a station deletes old dry runs at intervals."""

import pytest
from sqlalchemy import func, select, update

from grader.service.db.clock import utc_now
from grader.service.db.tables.submissions import DryRunRow, GradingRow
from grader.service.station.storage.retention import INTERVAL, Retention
from grader.service.submissions.dry_runs import KEPT_FOR, dry_run_of


def stored(service, person=None):
    """Return the stored dry run of a person with its grading, or None."""
    with service.database.reading() as session:
        return dry_run_of(session, person or service.ada, "small", service.now)


def rows(service, table):
    with service.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


@pytest.mark.whole
def test_it_is_deleted_after_a_day(service):
    """After a day, pages no longer show a dry run, and a station deletes it with its result."""
    service.tried()
    service.passes(days=1)
    assert stored(service) is None
    with service.database.writing() as session:
        session.execute(update(DryRunRow).values(received=utc_now()))  # stations use the database's clock
    moment = [0.0]
    retention = Retention(lambda: moment[0])
    retention.keep(service.database)
    with service.database.writing() as session:
        session.execute(update(DryRunRow).values(received=utc_now() - KEPT_FOR))
    retention.keep(service.database)
    assert rows(service, GradingRow) == 1
    moment[0] = INTERVAL
    retention.keep(service.database)
    assert [rows(service, table) for table in (DryRunRow, GradingRow)] == [0, 0]
