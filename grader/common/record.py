"""The base of records that are read from files or written to them, and `replace`, which changes any record."""

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict

__all__ = ["Record", "replace"]


class Record(BaseModel):
    """Base of these records. They are frozen, and refuse unknown fields. The string under a field is also its
    description in the JSON schema (authoring/schema.py).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


R = TypeVar("R")

if TYPE_CHECKING:
    from dataclasses import replace  # with this, mypy checks names and types, also for pydantic's records
else:

    def replace(record: R, /, **changes: Any) -> R:
        """Return a copy of a pydantic record or of a dataclass with other values of these fields."""
        if isinstance(record, BaseModel):
            return record.model_copy(update=changes)
        return dataclasses.replace(record, **changes)
