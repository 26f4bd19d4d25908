"""Parts of a request to run something: programs, their buffers, and steps (launches, copies, fills, repetitions)."""

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from grader.protocol.wire import Message

TURNS = 10_000
"""Maximum number of iterations of a repetition: far more than an assignment has time for."""

MOST_RUNS = 100_000
"""Maximum number of runs of commands and of begun repetitions in a sequence. The driver keeps about 1 KB for each run
of a command until the sequence ends.
"""

ScalarType = Literal[
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"
]
"""Name in NumPy of the type of a value or an element."""


PRAGMA = re.compile(r"\s*#\s*pragma\b")


class ProgramSource(Message):
    """One OpenCL source text, and the options of its build. The driver compiles the definitions of types in `types`
    before the text, whose lines keep their numbers.
    """

    source: str
    options: tuple[str, ...] = ()
    types: str = ""

    @property
    def text(self) -> str:
        """The text that the driver compiles.

        The definitions are in an empty line before the code if there is one, or else at the beginning of the first line
        of code. A `#line` in a line of its own would not do, because NVIDIA's compiler counts lines without it.
        """
        if not self.types:
            return self.source
        lines = self.source.split("\n")
        first = next((number for number, line in enumerate(lines) if line.strip() and not PRAGMA.match(line)), 0)
        place = next((number for number in range(first) if not lines[number].strip()), first)
        if lines[place].lstrip().startswith("#"):
            return f"{self.types}\n#line 1\n{self.source}"
        lines[place] = f"{self.types} {lines[place]}".rstrip()
        return "\n".join(lines)


ChannelOrder = Literal["R", "RGBA"]
ChannelType = Literal["UNORM_INT8", "UNSIGNED_INT8", "UNSIGNED_INT32", "SIGNED_INT32", "FLOAT"]
"""OpenCL's names of a pixel's channels, without the prefix `CL_`."""

Addressing = Literal["none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat"]
Filtering = Literal["nearest", "linear"]

CHANNEL_BYTES: dict[ChannelType, int] = {
    "UNORM_INT8": 1,
    "UNSIGNED_INT8": 1,
    "UNSIGNED_INT32": 4,
    "SIGNED_INT32": 4,
    "FLOAT": 4,
}
"""Bytes of a channel of a pixel."""


class ImageSpec(Message):
    """Format and extent of an image, whose rows follow each other without gaps in the files. A 2D image has no
    `depth`.
    """

    order: ChannelOrder
    channel: ChannelType
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    depth: int | None = Field(default=None, gt=0)

    @property
    def extent(self) -> tuple[int, ...]:
        """Pixels in each dimension, as OpenCL orders them."""
        return (self.width, self.height) if self.depth is None else (self.width, self.height, self.depth)

    @property
    def size(self) -> int:
        """The bytes of all pixels."""
        return prod(self.extent) * len(self.order) * CHANNEL_BYTES[self.channel]


class BufferSpec(Message):
    """A device buffer of `size` bytes between two guard bands of `guard` bytes, or an image, which has no guard bands.

    Before a launch, `Stage` fills the buffer and its guard bands with the pattern `poison` of `unit` bytes. With None,
    `Stage` does not fill the buffer, so that a simulator can find reads of memory that was never written. A kernel may
    write to the buffer unless it is `read_only`. `element` is the content of each element of an output of structs, in
    hexadecimal, because its fields have different patterns.
    """

    name: str
    size: int = Field(gt=0)
    guard: int = Field(ge=0)
    unit: Literal[1, 2, 4, 8] = 4
    poison: int | None = Field(ge=0, lt=2**64)
    read_only: bool = False
    element: str = Field(default="", pattern=r"^([0-9a-f]{2})*$")
    image: ImageSpec | None = None

    @model_validator(mode="after")
    def _consists_of_units(self) -> "BufferSpec":
        if self.image is not None and (self.guard or self.size != self.image.size):
            raise ValueError("an image has guard bands or another size")
        if self.size % self.unit or self.guard % self.unit or (self.poison or 0) >= 256**self.unit:
            raise ValueError("a size or the poison does not fit the unit")
        return self


PAGE = 4096
"""Bytes of a page. A shared buffer begins at the start of a page."""


def pages(spec: BufferSpec) -> int:
    """The bytes of a buffer with its guard bands, rounded up to whole pages."""
    return -(-(spec.size + 2 * spec.guard) // PAGE) * PAGE


class BufferArg(Message):
    """A kernel argument that is a buffer: only its payload between the guard bands, or the whole buffer."""

    kind: Literal["buffer"] = "buffer"
    buffer: str
    part: Literal["payload", "whole"] = "payload"


class ScalarArg(Message):
    """A kernel argument passed by value."""

    kind: Literal["scalar"] = "scalar"
    type: ScalarType
    value: int | float


class BytesArg(Message):
    """A kernel argument passed by value that is a vector or a struct: its bytes, in hexadecimal."""

    kind: Literal["bytes"] = "bytes"
    content: str = Field(pattern=r"^([0-9a-f]{2})+$")


class KeyArg(Message):
    """A kernel argument of 64 bits (`ulong`). Each `Launch` sets it again."""

    kind: Literal["key"] = "key"


class ElementArg(Message):
    """A kernel argument passed by value: `size` bytes of a buffer's payload, which the worker reads before each
    launch.
    """

    kind: Literal["element"] = "element"
    buffer: str
    offset: int = Field(ge=0)
    size: int = Field(gt=0)


class LocalArg(Message):
    """A kernel argument that is local memory of `size` bytes."""

    kind: Literal["local"] = "local"
    size: int = Field(gt=0)


class SamplerArg(Message):
    """A kernel argument that is a sampler for reads of images."""

    kind: Literal["sampler"] = "sampler"
    normalized: bool
    address: Addressing
    filter: Filtering


Arg = Annotated[
    BufferArg | ScalarArg | BytesArg | ElementArg | KeyArg | LocalArg | SamplerArg, Field(discriminator="kind")
]


class ItemCount(Message):
    """Number of work-items of a launch in the first dimension, as a whole number in a buffer.

    A kernel may have written it, so it may be any number. The worker rounds it up to whole work-groups, at least one,
    and at most the stated number of work-items.
    """

    buffer: str
    offset: int = Field(ge=0)
    type: ScalarType


class KernelStep(Message):
    """One kernel launch."""

    kind: Literal["kernel"] = "kernel"
    program: str
    kernel: str
    args: tuple[Arg, ...]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    items: ItemCount | None = None


class CopyStep(Message):
    """One device-to-device copy of a whole buffer's payload."""

    kind: Literal["copy"] = "copy"
    source: str
    target: str


class FillStep(Message):
    """One fill of a buffer's payload with the pattern `value` of the buffer's unit."""

    kind: Literal["fill"] = "fill"
    buffer: str
    value: int = Field(ge=0, lt=2**64)


class UntilBelow(Message):
    """Condition that ends a repetition: the sum of a buffer's elements after an iteration is less than `below`."""

    buffer: str
    type: ScalarType
    below: float


class RepeatSteps(Message):
    """Repetition of steps: at most `times` iterations. After each iteration, the buffers of each pair in `swap` change
    places.

    The result may be in either buffer of a pair after the last iteration. It is copied to the second one if necessary.
    A kernel may write any value to the buffer of `until`, so only `times` bounds the iterations.
    """

    kind: Literal["repeat"] = "repeat"
    times: int = Field(gt=0, le=TURNS)
    steps: "tuple[Step, ...]" = Field(min_length=1)
    swap: tuple[tuple[str, str], ...] = ()
    until: UntilBelow | None = None


Command = KernelStep | CopyStep | FillStep
"""A step that a device carries out."""

Step = Annotated[Command | RepeatSteps, Field(discriminator="kind")]

RepeatSteps.model_rebuild()


def with_runs(steps: Sequence[Step], times: int = 1) -> Iterator[tuple[Command, int]]:
    """Yield each command, including those in repetitions, and the maximum number of its runs. The steps run `times`
    times.
    """
    for step in steps:
        if isinstance(step, RepeatSteps):
            yield from with_runs(step.steps, times * step.times)
        else:
            yield step, times


def commands(steps: Sequence[Step]) -> tuple[Command, ...]:
    """Return the commands of these steps, including those in repetitions, each once and in order."""
    return tuple(command for command, _ in with_runs(steps))


def repetitions(steps: Sequence[Step]) -> Iterator[RepeatSteps]:
    """Yield the repetitions of these steps, the outer ones first."""
    for step in steps:
        if isinstance(step, RepeatSteps):
            yield step
            yield from repetitions(step.steps)


def _runs(steps: Sequence[Step], times: int = 1) -> int:
    """Return the maximum number of runs of commands and of begun repetitions."""
    return sum(
        times + (_runs(step.steps, times * step.times) if isinstance(step, RepeatSteps) else 0) for step in steps
    )


def _bounded(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    if _runs(steps) > MOST_RUNS:
        raise ValueError(f"commands run and repetitions begin more than {MOST_RUNS:,} times")
    return steps


BoundedSteps = Annotated[tuple[Step, ...], AfterValidator(_bounded)]
"""A sequence of steps, in which the bounds of repetitions multiply."""
