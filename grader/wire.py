"""What all records have in common that go between the judge and a worker."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from grader.text import showable

Foreign = Annotated[str, AfterValidator(showable)]
"""A text that a worker sends: made safe to show as soon as it is read."""


class Message(BaseModel):
    """Base of all messages: frozen, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
