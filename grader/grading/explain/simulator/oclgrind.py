"""Extracts the work-items, lines and elements from messages of Oclgrind and of grader's plugin. The messages come from
an untrusted worker, so unknown text is ignored, and numbers are limited in length.
"""

import re
from dataclasses import dataclass
from itertools import islice

from grader.protocol.observation import SeenKernel, SeenMessage

PRIVATE, GLOBAL, CONSTANT, LOCAL = 0, 1, 2, 3
"""Address spaces, as LLVM numbers them for OpenCL."""

BUFFER_BITS = 48
"""Number of bits of the offset in an address. In Oclgrind, the higher bits are the number of the buffer."""

NUMBER = r"[0-9]{1,20}"
IDS = rf"{NUMBER},{NUMBER},{NUMBER}"

ADDRESS = re.compile(r"\b(?P<space>global|local|private) memory address 0x(?P<address>[0-9a-f]{1,16})\b")
PLACE = rf"(?:At line (?P<line>{NUMBER}) \(column (?P<column>{NUMBER})\)|Debugging information not available)"
"""Pattern of the place of an instruction in the source. A function may hide it (`nodebug`)."""

ENTITY = re.compile(rf"Global\((?P<global>{IDS})\) Local\({IDS}\) Group\((?P<group>{IDS})\)\n[^\n]*\n[ \t]*{PLACE}")
GROUP_ENTITY = re.compile(rf"Entity: Group\(({IDS})\)")
SPOT = re.compile(PLACE)
REACHED = re.compile(rf"Only ({NUMBER}) out of ({NUMBER}) work-items executed (?:barrier|copy)")
WORK_GROUP = re.compile(rf"Work-group: \(({IDS})\)")

INDEX = re.compile(rf"Index \((-?{NUMBER})\) exceeds static array size \(({NUMBER})\)")
DIVERGENCE = re.compile("Work-group divergence")
RACE = re.compile("[^\n]*data race at")
BOTH_WRITE = re.compile("Write-write data race at")
INVALID = re.compile("Invalid (?:read|write) of")
MISALIGNED = re.compile("Invalid memory (?:load|store) - source pointer is not aligned")
UNALIGNED = re.compile("Unaligned address on")
UNAWAITED = re.compile("Work-item finished without waiting for events")
NO_EVENT = re.compile("Invalid wait event")
READ_ONLY = re.compile("Invalid write to read-only")
FATAL = re.compile("OCLGRIND FATAL ERROR")
"""Patterns of the first words of messages."""

ENDLESS = re.compile(rf"{FATAL.pattern}[^\n]*\n[ \t]*a loop that does not end")
"""Pattern of the plugin's message for a launch that takes so many steps that it must be in an endless loop."""


HALF_SIZE = re.compile(rf"{FATAL.pattern}[^\n]*\n[ \t]*Unsupported float size: 2 bytes")
"""Pattern of the message for a computation with numbers of the type half."""

IMAGE_TYPE = re.compile(rf"{FATAL.pattern}[^\n]*\n[ \t]*Unsupported image channel data type")
"""Pattern of the message for an image function that does not fit the image, which is a mistake in the kernel."""

HALF_ARITHMETIC = "half arithmetic"
AN_INSTRUCTION = "an instruction or a function of the kernel"
"""Phrases for constructs that the simulator cannot run."""


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A work-item in a message, and the line of its instruction. The line is 0 if it is hidden."""

    global_id: tuple[int, ...]
    group: tuple[int, ...]
    line: int
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Target:
    """The array at or near the address in a message. `array` is its name or a description. `offset` is the distance of
    the address from the start of the array in bytes, and `size` the size of the array. Both are None if they are
    unknown.
    """

    array: str
    offset: int | None = None
    size: int | None = None


def was_cut_off(kernel: SeenKernel) -> bool:
    """True if the simulator stopped this launch before its end."""
    return any(FATAL.search(message.text) for message in kernel.messages)


def unsupported(message: SeenMessage) -> str | None:
    """A phrase for the unsupported construct that stopped the simulator, or None for other messages."""
    if HALF_SIZE.search(message.text):
        return HALF_ARITHMETIC
    is_mistake = ENDLESS.search(message.text) or IMAGE_TYPE.search(message.text)
    return AN_INSTRUCTION if FATAL.search(message.text) and not is_mistake else None


def entities(message: SeenMessage) -> list[Entity]:
    """The work-items in a message, at most two."""
    found = islice(ENTITY.finditer(message.text), 2)
    return [
        Entity(
            global_id=_numbers(match["global"]),
            group=_numbers(match["group"]),
            line=int(match["line"] or 0),
            writes=any(message.writes[number : number + 1]),
        )
        for number, match in enumerate(found)
    ]


def copies(message: SeenMessage) -> bool:
    """True if a message concerns a copy by a whole group. The copy is executed when the group waits for it."""
    return GROUP_ENTITY.search(message.text) is not None


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def target(message: SeenMessage, seen: SeenKernel) -> Target:
    """The array and the address that a message concerns."""
    match = ADDRESS.search(message.text)
    if match is None or match["space"] == "private":
        return Target(array=message.array or "a private array")
    address = int(match["address"], 16)
    buffer, offset = address >> BUFFER_BITS, address & (2**BUFFER_BITS - 1)
    if offset >> (BUFFER_BITS - 1):  # a negative offset is below the start of the next buffer
        buffer, offset = buffer + 1, offset - 2**BUFFER_BITS
    space = GLOBAL if match["space"] == "global" else LOCAL
    array = next((array for array in seen.arrays if (array.space, array.buffer) == (space, buffer)), None)
    if array is None:
        return Target(array=message.array or f"{match['space']} memory")
    return Target(array=array.name, offset=offset, size=array.size)


def is_local(message: SeenMessage) -> bool:
    """True if a message contains an address in local memory."""
    match = ADDRESS.search(message.text)
    return match is not None and match["space"] == "local"


def spot(message: SeenMessage) -> tuple[str, ...]:
    """The first line and column in a message; empty if they are hidden."""
    match = SPOT.search(message.text)
    return match.group("line", "column") if match and match["line"] else ()


def lines(message: SeenMessage) -> list[int]:
    """The lines in a message, at most two; 0 for a hidden line."""
    return [int(match["line"] or 0) for match in islice(SPOT.finditer(message.text), 2)]


def lines_of_entities(message: SeenMessage) -> list[int]:
    """The lines of the work-items in a message."""
    return [each.line for each in entities(message)]


def group(message: SeenMessage) -> tuple[int, ...] | None:
    """The ids of the group that a message concerns as a whole; None if it does not contain any."""
    match = WORK_GROUP.search(message.text)
    return _numbers(match[1]) if match else None


def reached(message: SeenMessage) -> tuple[int, int] | None:
    """Number of work-items that reached a barrier, and number that should have; None if the message does not contain
    them.
    """
    match = REACHED.search(message.text)
    return (int(match[1]), int(match[2])) if match else None
