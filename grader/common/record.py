"""What all records have in common that are read from files or written to them."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of these records: frozen, unknown fields refused; what is said of a field stands in its JSON schema, too."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
