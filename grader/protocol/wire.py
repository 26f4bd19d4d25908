"""What all records have in common that go between the judge and a worker, and how large what a worker says may be."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field

from grader.protocol.text import showable

NAME_LIMIT = 256
"""Characters of a name, a type, an error's name; compilers promise to tell names apart by 63 (C99, 5.2.4.1)."""

WORDS_LIMIT = 16 * 1024
"""Characters of a message of the simulator's, which repeats some instructions."""

LOG_LIMIT = 64 * 1024
"""Characters of a build log; one huge error should not fill a report."""

FEW = 256
"""Kernels of a program, parameters of a kernel, devices: more than anybody has."""

MANY = 16 * 1024
"""Things that were seen of a launch: a file of as many expressions is longer than can be handed in."""


def _cut(limit: int) -> AfterValidator:
    return AfterValidator(lambda text: showable(text[:limit]))


Name = Annotated[str, _cut(NAME_LIMIT)]
Words = Annotated[str, _cut(WORDS_LIMIT)]
Log = Annotated[str, _cut(LOG_LIMIT)]
"""Texts that a worker sends: cut, and made safe to show, as soon as they are read."""


def at_most(number: int) -> tuple[Any, ...]:
    """What makes a tuple that a worker sends one of so many elements; it is refused at the first that is wrong."""
    return (Field(max_length=number), FailFast())


class Message(BaseModel):
    """Base of all messages: frozen, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
