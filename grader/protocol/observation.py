"""What the simulator saw of a launch, as our plugin (simulator/observer/) writes it and a worker passes it on."""

from typing import Annotated, Literal

from pydantic import Field

from grader.protocol.wire import MANY, Message, Name, Words, at_most

MESSAGES = 1000
"""Most messages of one launch. The quotas of our plugin allow half as many (simulator/observer/messages.h)."""

Count = Annotated[int, Field(ge=0, lt=2**63)]
Distance = Annotated[int, Field(gt=-(2**63), lt=2**63)]
Space = Literal[0, 1, 2, 3]
"""Private, global, constant and local memory, as LLVM numbers them for OpenCL."""


class SeenArray(Message):
    """An array of a kernel: its address space and number by which messages mean it, its name in the source, and its
    size in bytes.
    """

    space: Space
    buffer: Count
    name: Name
    size: Count


class SeenMessage(Message):
    """A message of the simulator: its text, the variable at its first place ("" if that is not clear), its number of
    repetitions about the same lines, whether each quoted instruction has written global or local memory, and for
    barriers how many work-items had ended at which lines.
    """

    text: Words
    array: Name
    times: Count
    writes: Annotated[tuple[bool, ...], *at_most(MANY)]
    endings: Annotated[tuple[tuple[Count, Count], ...], *at_most(MANY)]


class SeenUnset(Message):
    """A read of something that was never set, and what became of the value: stored, a condition, or an address."""

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
    """An expression that reads or writes an array, with its counts (metrics.Access says which); line 0 is a copy by a
    whole group.
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


class SeenBranch(Message):
    """The conditions of a line; `constant` is whether each always went the same way."""

    line: Count
    reached: Count
    diverged: Count
    constant: bool


class SeenKernel(Message):
    """What the simulator saw of one launch (simulator/observer/); `steps` are the instructions that it executed."""

    kernel: Name
    flop: Count
    steps: Count
    arrays: Annotated[tuple[SeenArray, ...], *at_most(MANY)]
    messages: Annotated[tuple[SeenMessage, ...], *at_most(MESSAGES)]
    unset: Annotated[tuple[SeenUnset, ...], *at_most(MANY)]
    accesses: Annotated[tuple[SeenAccess, ...], *at_most(MANY)]
    branches: Annotated[tuple[SeenBranch, ...], *at_most(MANY)]
