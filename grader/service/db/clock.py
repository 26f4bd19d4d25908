"""The time."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)
