"""The base of records that are read from files or written to them; and `replace`, which changes any record."""

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict

__all__ = ["Record", "replace"]


class Record(BaseModel):
    """Base of these records: frozen, unknown fields refused; what is said below a field stands in its JSON schema, too
    (authoring/schema.py).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


R = TypeVar("R")

if TYPE_CHECKING:
    from dataclasses import replace  # whose names and types mypy checks, of pydantic's records as well
else:

    def replace(record: R, /, **changes: Any) -> R:
        """The record, whether pydantic's or a dataclass, with other values of these fields."""
        if isinstance(record, BaseModel):
            return record.model_copy(update=changes)
        return dataclasses.replace(record, **changes)
