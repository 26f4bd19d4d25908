"""What all records have in common that are read from files or written to them."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of these records: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
