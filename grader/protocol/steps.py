"""What a worker can be asked to run: programs, the buffers that they work on, and steps (launches and copies)."""

from typing import Annotated, Literal

from pydantic import Field

from grader.protocol.wire import Message

TURNS = 10_000
"""The most turns of a repeated sequence: far beyond what an assignment can wait for."""

ScalarType = Literal["uint32", "int32", "float32", "float64"]


class ProgramSource(Message):
    """One OpenCL source text and the options it is built with."""

    source: str
    options: tuple[str, ...] = ()


class BufferSpec(Message):
    """A device buffer of `size` bytes between two guard bands of `guard` bytes.

    `Stage` fills all of it with the 32-bit pattern `poison` before a launch; with None it leaves the buffer alone, so
    that a simulator knows what was never written. A kernel may write to it unless it is `read_only`.
    """

    name: str
    size: int = Field(gt=0, multiple_of=4)
    guard: int = Field(ge=0, multiple_of=4)
    poison: int | None = Field(ge=0, lt=2**32)
    read_only: bool = False


PAGE = 4096
"""Bytes; a buffer that is shared begins on a page."""


def pages(spec: BufferSpec) -> int:
    """The bytes of a buffer with its guard bands, as whole pages."""
    return -(-(spec.size + 2 * spec.guard) // PAGE) * PAGE


class BufferArg(Message):
    """A kernel argument that is a buffer: what lies between its guard bands, or all of it."""

    kind: Literal["buffer"] = "buffer"
    buffer: str
    part: Literal["payload", "whole"] = "payload"


class ScalarArg(Message):
    """A kernel argument passed by value."""

    kind: Literal["scalar"] = "scalar"
    type: ScalarType
    value: int | float


class KeyArg(Message):
    """A kernel argument of 64 bits (`ulong`), which `Launch` gives anew each time."""

    kind: Literal["key"] = "key"


class LocalArg(Message):
    """A kernel argument that is so many bytes of local memory."""

    kind: Literal["local"] = "local"
    size: int = Field(gt=0)


Arg = Annotated[BufferArg | ScalarArg | KeyArg | LocalArg, Field(discriminator="kind")]


class KernelStep(Message):
    """One kernel launch."""

    kind: Literal["kernel"] = "kernel"
    program: str
    kernel: str
    args: tuple[Arg, ...]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]


class CopyStep(Message):
    """One device-to-device copy of a whole buffer's payload."""

    kind: Literal["copy"] = "copy"
    source: str
    target: str


class UntilBelow(Message):
    """Repeating ends after the turn in which the words of a buffer, which are floats, add up to less than `below`."""

    buffer: str
    below: float


class RepeatSteps(Message):
    """How often a sequence is run: at most so many turns, after each of which the buffers of a pair change places.

    Wherever the last turn has left it, the result is moved to the second buffer of its pair.
    """

    times: int = Field(gt=0, le=TURNS)
    swap: tuple[tuple[str, str], ...] = ()
    until: UntilBelow | None = None


Step = Annotated[KernelStep | CopyStep, Field(discriminator="kind")]
