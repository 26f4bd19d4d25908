"""The base class of records that are read from or written to files, and `replace`, which copies such a record with
changes. `dataclasses.replace` copies a dataclass.
"""

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict

__all__ = ["Record", "replace"]


class Record(BaseModel):
    """Base class of these records. They are frozen and reject unknown fields. The string below a field is also its
    description in the JSON schema (authoring/schema.py).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


R = TypeVar("R", bound=Record)

if TYPE_CHECKING:
    from dataclasses import replace  # makes mypy check the names and types of a record's fields
else:

    def replace(record: R, /, **changes: Any) -> R:
        """Return a copy of the record with new values for these fields."""
        return record.model_copy(update=changes)
