"""The base class of all tables, and the type of the times in them."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator


class UtcDateTime(TypeDecorator[datetime]):
    """A time with a time zone. It is stored in UTC because SQLite does not store time zones."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Convert to UTC. Raises ValueError for a time without a zone, which is ambiguous."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Attach the zone UTC to a stored time."""
        return None if value is None else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """The base of all tables."""

    type_annotation_map = {datetime: UtcDateTime}  # noqa: RUF012 - SQLAlchemy requires this form


NEVER_REUSED_NUMBERS = {"sqlite_autoincrement": True}
"""Option for tables whose rows can be deleted and whose numbers occur elsewhere, such as in URLs. It prevents a new row
from getting the number of a deleted one, because a page that is still open would then change the wrong row. PostgreSQL
does this by default.
"""
