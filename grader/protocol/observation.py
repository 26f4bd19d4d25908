"""Observations of a launch in the simulator. The grader's plugin (simulator/observer/) writes them, and a worker passes
them on.
"""

from typing import Annotated, Literal

from pydantic import Field

from grader.protocol.wire import MANY, Message, Name, Words, at_most

MESSAGES = 1000
"""Most messages of one launch. The quotas of the plugin allow half as many (simulator/observer/messages.h)."""

Count = Annotated[int, Field(ge=0, lt=2**63)]
Distance = Annotated[int, Field(gt=-(2**63), lt=2**63)]
Space = Literal[0, 1, 2, 3]
"""Private, global, constant and local memory, as LLVM numbers them for OpenCL."""


class SeenArray(Message):
    """An array of a kernel. Messages refer to it by its address space and its number (`buffer`). `name` is its name in
    the source, and `size` its size in bytes.
    """

    space: Space
    buffer: Count
    name: Name
    size: Count


class SeenMessage(Message):
    """A message of the simulator.

    `array` is the variable at the first place that the message names ("" if this is not clear). `times` counts the
    repetitions for these lines. `writes` is true for each quoted instruction that wrote global or local memory.
    `endings` is for barriers: how many work-items had ended at which lines.
    """

    text: Words
    array: Name
    times: Count
    writes: Annotated[tuple[bool, ...], *at_most(MANY)]
    endings: Annotated[tuple[tuple[Count, Count], ...], *at_most(MANY)]


class SeenUnset(Message):
    """A read of memory that was never set. `how` is the use of the value: it was stored, or it decided a condition, or
    it was part of an address.
    """

    line: Count
    column: Count
    name: Name
    space: Space
    used_line: Count
    how: Literal["stored", "condition", "address"]
    array: Name
    global_id: tuple[Count, Count, Count]
    local_id: tuple[Count, Count, Count]
    group: tuple[Count, Count, Count]
    times: Count


class SeenAccess(Message):
    """An expression that reads or writes an array, with its counts (metrics.Access describes them). Line 0 means a copy
    by a whole work-group.
    """

    line: Count
    column: Count
    array: Name
    space: Space
    writes: bool
    requests: Count = Field(gt=0)
    mostly_idle: Count
    active: Count
    bytes: Count
    unused: Count
    sectors: Count
    fewest: Count = Field(gt=0)
    conflicts: Count
    worst: float = Field(ge=0, lt=2**63)
    stride: Distance | None


class SeenPixels(Message):
    """An expression that reads or writes an image, and how often work-items executed it (metrics.ImageUse)."""

    line: Count
    column: Count
    image: Name
    writes: bool
    times: Count
    mostly_idle: Count = 0
    active: Count = 0


class SeenBranch(Message):
    """The conditions of a line. `constant` is true if each condition always had the same result."""

    line: Count
    reached: Count
    diverged: Count
    constant: bool


class SeenKernel(Message):
    """Observations of one launch (simulator/observer/). `steps` is the number of executed instructions.
    `busiest` is the number of words of memory that the busiest work-item reads and writes. `private` is the number of
    bytes that the variables of a work-item take up in private memory.
    """

    kernel: Name
    flop: Count
    steps: Count
    busiest: Count
    private: Count
    arrays: Annotated[tuple[SeenArray, ...], *at_most(MANY)]
    messages: Annotated[tuple[SeenMessage, ...], *at_most(MESSAGES)]
    unset: Annotated[tuple[SeenUnset, ...], *at_most(MANY)]
    accesses: Annotated[tuple[SeenAccess, ...], *at_most(MANY)]
    images: Annotated[tuple[SeenPixels, ...], *at_most(MANY)] = ()
    branches: Annotated[tuple[SeenBranch, ...], *at_most(MANY)]
