"""base.py: times in the database have a time zone."""

from datetime import datetime

import pytest

from grader.service.db.tables.base import UtcDateTime


def test_a_time_without_a_zone_is_refused():
    """A time without a zone is refused, because it is ambiguous."""
    with pytest.raises(ValueError, match="zone"):
        UtcDateTime().process_bind_param(datetime(2026, 1, 1), None)  # noqa: DTZ001
