"""The base class of records that are read from or written to files, and `replace`, which copies a record with
changes.
"""

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict

__all__ = ["Record", "replace"]


class Record(BaseModel):
    """Base class of these records. They are frozen and reject unknown fields. The string below a field is also its
    description in the JSON schema (authoring/schema.py).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


R = TypeVar("R")

if TYPE_CHECKING:
    from dataclasses import replace  # with this, mypy checks names and types, also for pydantic's records
else:

    def replace(record: R, /, **changes: Any) -> R:
        """Return a copy of a pydantic record or a dataclass with new values for these fields."""
        if isinstance(record, BaseModel):
            return record.model_copy(update=changes)
        return dataclasses.replace(record, **changes)
