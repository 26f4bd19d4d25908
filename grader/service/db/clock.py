"""The clock of this machine."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The present time in UTC."""
    return datetime.now(UTC)
