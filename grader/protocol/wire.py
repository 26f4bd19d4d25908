"""Base of all messages between the judge and a worker, and limits on the sizes in a worker's replies."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field

from grader.protocol.text import showable

NAME_LIMIT = 256
"""Most characters of a name, a type, or an error's name. Compilers guarantee to distinguish names by their first 63
characters (C99, 5.2.4.1).
"""

WORDS_LIMIT = 16 * 1024
"""Most characters of a message of the simulator. Such a message quotes some instructions."""

LOG_LIMIT = 64 * 1024
"""Most characters of a build log: one huge error must not fill a report."""

FEW = 256
"""Most kernels of a program, parameters of a kernel, and devices: more than occur in practice."""

MANY = 16 * 1024
"""Most observations of each kind for a launch. A file with this many expressions is too long to be submitted."""

STEPS = 2048
"""Maximum number of commands of a sequence, each counted once. The judge unrolls no longer program
(course/program.py).
"""


def _cut(limit: int) -> AfterValidator:
    return AfterValidator(lambda text: showable(text[:limit]))


Name = Annotated[str, _cut(NAME_LIMIT)]
Words = Annotated[str, _cut(WORDS_LIMIT)]
Log = Annotated[str, _cut(LOG_LIMIT)]
"""Texts from a worker. They are shortened and made safe to show when a message is parsed."""


def at_most(number: int) -> tuple[Any, ...]:
    """Annotations that limit a tuple from a worker to this many elements. Validation stops at the first wrong one."""
    return (Field(max_length=number), FailFast())


class Message(BaseModel):
    """Base of all messages. A message is frozen, and unknown fields are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid")
