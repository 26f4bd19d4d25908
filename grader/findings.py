"""What the simulator saw go wrong, in a student's words: which lines, which work-items, and what usually causes it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from grader.protocol import SeenKernel, SeenMessage, SeenUnset
from grader.result import Finding, Place, Reason

LIMIT = 8
"""Findings that are told; the first cause comes first, and what follows is mostly its consequence."""

GLOBAL, LOCAL = 1, 3
"""Address spaces, as LLVM numbers them for OpenCL."""

BUFFER_BITS = 48
"""An address of Oclgrind's is the number of a buffer above so many bits of an offset into it."""

ELEMENT_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a launch was: the source, the dimensions of its ids, the elements of each array by its name in the source,
    and how far work-items have something to do in each dimension (None where nothing is said about that).
    """

    source: str
    dimensions: int
    elements: Mapping[str, int]
    extent: tuple[int, ...] | None

    def text(self, line: int) -> str:
        """The line as it was written."""
        lines = self.source.split("\n")
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def item(self, ids: tuple[int, ...]) -> str:
        """For example "work-item (3, 0)"."""
        return f"work-item {self._ids(ids)}"

    def group(self, ids: tuple[int, ...]) -> str:
        """For example "group 2"."""
        return f"group {self._ids(ids)}"

    def is_beyond(self, ids: tuple[int, ...]) -> bool:
        """Whether a work-item with these global ids has nothing of its own to do."""
        return self.extent is not None and any(i >= end for i, end in zip(ids, self.extent, strict=False))

    def _ids(self, ids: tuple[int, ...]) -> str:
        shown = ids[: self.dimensions]
        return str(shown[0]) if len(shown) == 1 else str(shown)


def findings(seen: SeenKernel, scene: Scene) -> tuple[Finding, ...]:
    """Everything that went wrong in a launch, the first cause first, each once."""
    unset = [_unset(each, scene) for each in _first_uses(seen.unset)]
    told = [each for message in seen.messages for each in _of_message(message, seen, scene)]
    found: dict[tuple[Reason, tuple[int, ...]], Finding] = {}
    for each in sorted([*told, *unset], key=_causality):
        found.setdefault((each.reason, tuple(place.line for place in each.places)), each)
    return tuple(found.values())[:LIMIT]


CAUSALITY = (
    Reason.BARRIER_DIVERGENCE,
    Reason.INPUT_CHANGED,
    Reason.OUT_OF_BOUNDS,
    Reason.DATA_RACE,
    Reason.UNINITIALISED,
)
"""What causes the others comes first: a missed barrier makes races, a race makes reads of what is not yet written."""


def _causality(finding: Finding) -> int:
    is_address = finding.reason is Reason.UNINITIALISED and "index" in finding.message
    return -1 if is_address else CAUSALITY.index(finding.reason)


# --- messages of the simulator ----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Entity:
    """Who did something, and where: a work-item with its instruction's line, or a whole group without one."""

    global_id: tuple[int, ...]
    group: tuple[int, ...]
    line: int
    column: int
    writes: bool


ADDRESS = re.compile(r"\b(?P<space>global|local|private) memory address 0x(?P<address>[0-9a-f]+)")
ENTITY = re.compile(
    r"Global\((?P<global>[\d,]+)\) Local\([\d,]+\) Group\((?P<group>[\d,]+)\)\s*\n\s*(?P<code>[^\n]*)\n"
    r"\s*At line (?P<line>\d+) \(column (?P<column>\d+)\)"
)
LINES = re.compile(r"At line (\d+) \(column \d+\)")
REACHED = re.compile(r"Only (\d+) out of (\d+) work-items executed barrier")
WORK_GROUP = re.compile(r"Work-group: \(([\d,]+)\)")
INDEX = re.compile(r"Index \((-?\d+)\) exceeds static array size \((\d+)\)")


def _of_message(message: SeenMessage, seen: SeenKernel, scene: Scene) -> Iterator[Finding]:
    headline = message.text.partition("\n")[0]
    entities = [_entity(match) for match in ENTITY.finditer(message.text)]
    if "data race" in headline and entities:
        yield _race(message, entities, seen, scene)
    elif headline.startswith(("Invalid read of", "Invalid write of")) and entities:
        yield _out_of_bounds(message, entities[0], seen, scene)
    elif headline.startswith("Index (") and entities:
        yield _beyond_array(message, entities[0], seen, scene)
    elif headline.startswith("Work-group divergence"):
        yield _barrier(message, scene)
    elif headline.startswith("Invalid write to read-only") and entities:
        yield _input_changed(message, entities[0], seen, scene)


def _entity(match: re.Match[str]) -> Entity:
    return Entity(
        global_id=_numbers(match["global"]),
        group=_numbers(match["group"]),
        line=int(match["line"]),
        column=int(match["column"]),
        writes=match["code"].startswith("store") or "vstore" in match["code"],
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def _target(message: SeenMessage, seen: SeenKernel) -> tuple[str, int | None]:
    """The name of the array that a message's address is in, and the element there; None in private memory."""
    match = ADDRESS.search(message.text)
    if match is None or match["space"] == "private":
        return "a private array", None
    address = int(match["address"], 16)
    buffer, offset = address >> BUFFER_BITS, address & (2**BUFFER_BITS - 1)
    if offset >> (BUFFER_BITS - 1):  # below the start of the next buffer
        buffer, offset = buffer + 1, offset - 2**BUFFER_BITS
    space = GLOBAL if match["space"] == "global" else LOCAL
    names = [array.name for array in seen.arrays if (array.space, array.buffer) == (space, buffer)]
    return names[0] if names else f"{match['space']} memory", offset // ELEMENT_BYTES


def _accessed(seen: SeenKernel, line: int, column: int) -> str:
    """The array that the expression at this place uses."""
    return next((each.array for each in seen.accesses if (each.line, each.column) == (line, column)), "an array")


def _place(entity: Entity, array: str, scene: Scene) -> Place:
    does = "writes" if entity.writes else "reads"
    words = f"{scene.item(entity.global_id)} of {scene.group(entity.group)} {does} {array}"
    return Place(line=entity.line, text=scene.text(entity.line), words=words)


def _race(message: SeenMessage, entities: list[Entity], seen: SeenKernel, scene: Scene) -> Finding:
    array, _ = _target(message, seen)
    entities = sorted(entities, key=lambda each: not each.writes)
    lines = [each.line for each in entities]
    both_write = all(each.writes for each in entities)
    if len(entities) == 1:
        what = f"line {lines[0]} uses {array} while the group still copies into it."
        cause = "Wait for the copy with wait_group_events, and for its words with a barrier."
    elif both_write:
        where = f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]} and {lines[1]}"
        what = f"{where}: two work-items write the same element of {array}, so that the result is a matter of luck."
        beyond = next((each for each in entities if scene.is_beyond(each.global_id)), None)
        cause = (
            f"{_capital(scene.item(beyond.global_id))} lies beyond the edge and must not store: "
            "its index runs into the next row."
            if beyond
            else "Their indices come out the same: check which ids and which row length they are made of."
        )
    elif ADDRESS.search(message.text) and _is_local(message):
        what, cause = _local_race(array, entities, seen)
    else:
        what = f"line {lines[1]} reads {array} while line {lines[0]} writes it, and nothing says which comes first."
        cause = "A barrier orders the work-items of one group only: let no work-item read what another group writes."
    places = tuple(_place(each, array, scene) for each in entities)
    return Finding(reason=Reason.DATA_RACE, message=what, cause=cause, places=places, times=message.times)


def _is_local(message: SeenMessage) -> bool:
    match = ADDRESS.search(message.text)
    return match is not None and match["space"] == "local"


def _local_race(array: str, entities: list[Entity], seen: SeenKernel) -> tuple[str, str]:
    """Which of the two comes first: a word that is read before anybody wrote it tells."""
    write, read = entities
    too_early = any(each.name == array and each.line == read.line for each in seen.unset)
    if too_early:
        what = f"line {read.line} reads words of {array} that another work-item writes in line {write.line}."
        cause = (
            f"Between them a barrier(CLK_LOCAL_MEM_FENCE) is missing: after line {write.line}, before anybody reads."
        )
    else:
        what = f"line {write.line} overwrites words of {array} that another work-item still reads in line {read.line}."
        cause = (
            f"Between them a barrier(CLK_LOCAL_MEM_FENCE) is missing: after line {read.line}, before the next step "
            f"writes {array} again."
        )
    return what, cause


def _out_of_bounds(message: SeenMessage, entity: Entity, seen: SeenKernel, scene: Scene) -> Finding:
    array, element = _target(message, seen)
    does = "writes" if message.text.startswith("Invalid write") else "reads"
    entity = Entity(**{**vars(entity), "writes": does == "writes"})
    what = f"line {entity.line} {does} outside {array}{_how_far(element, scene.elements.get(array))}."
    if scene.is_beyond(entity.global_id):
        access = "store" if entity.writes else "load"
        cause = f"{_capital(scene.item(entity.global_id))} lies beyond the edge: guard the {access} with the sizes."
    elif array in scene.elements:
        cause = "Check the row length in the index, and that the guard tests the sizes of this array."
    else:
        cause = "The array is too small, or the index or a loop's end is one too large."
    return Finding(
        reason=Reason.OUT_OF_BOUNDS,
        message=what,
        cause=cause,
        places=(_place(entity, array, scene),),
        times=message.times,
    )


def _how_far(element: int | None, elements: int | None) -> str:
    if element is None or elements is None:
        return ""
    if element < 0:
        return f", {_count(-element, 'element')} before its start"
    return f", {_count(element - elements + 1, 'element')} past its end"


def _beyond_array(message: SeenMessage, entity: Entity, seen: SeenKernel, scene: Scene) -> Finding:
    match = INDEX.search(message.text)
    assert match is not None, "the headline starts so"
    array = _accessed(seen, entity.line, entity.column)
    return Finding(
        reason=Reason.OUT_OF_BOUNDS,
        message=f"line {entity.line} takes element {match[1]} of {match[2]} in a row of {array}: the last is "
        f"{int(match[2]) - 1}.",
        cause="The array is too small, or the index or a loop's end is one too large.",
        places=(_place(entity, array, scene),),
        times=message.times,
    )


def _barrier(message: SeenMessage, scene: Scene) -> Finding:
    lines = [int(line) for line in LINES.findall(message.text)]
    group = WORK_GROUP.search(message.text)
    whose = f" of {scene.group(_numbers(group[1]))}" if group else ""
    reached = REACHED.search(message.text)
    places = [Place(line=line, text=scene.text(line), words="some work-items wait at this barrier") for line in lines]
    if reached is None:
        what = f"work-items{whose} wait at different barriers, in lines {' and '.join(map(str, sorted(lines)))}."
    else:
        missing = int(reached[2]) - int(reached[1])
        what = f"line {lines[0]}: {reached[1]} of {reached[2]} work-items{whose} reach the barrier, {missing} do not."
        for line, times in message.endings:
            if line and line not in lines:
                words = f"{_count(times, 'work-item')} ended here"
                places.append(Place(line=line, text=scene.text(line), words=words))
                what = f"{what[:-1]}: they ended in line {line}."
    return Finding(
        reason=Reason.BARRIER_DIVERGENCE,
        message=what,
        cause="Every work-item of a group must reach every barrier: those with nothing to do skip the work, not the "
        "barrier.",
        places=tuple(places),
        times=message.times,
    )


def _input_changed(message: SeenMessage, entity: Entity, seen: SeenKernel, scene: Scene) -> Finding:
    array = _accessed(seen, entity.line, entity.column)
    return Finding(
        reason=Reason.INPUT_CHANGED,
        message=f"line {entity.line} writes {array}, which is an input and may only be read.",
        cause="The result belongs in the output; declare inputs `__global const`, and the compiler finds such a line.",
        places=(_place(entity, array, scene),),
        times=message.times,
    )


# --- values that were never set ---------------------------------------------------------------


def _first_uses(unset: Iterable[SeenUnset]) -> Iterator[SeenUnset]:
    """The first use of each unset value: an address before a condition before a store."""
    uses = sorted(unset, key=lambda each: (each.line, each.column, each.name, each.how, each.used_line))
    known: set[tuple[int, int, str]] = set()
    for each in uses:
        key = (each.line, each.column, each.name)
        if key not in known:
            known.add(key)
            yield each


def _unset(seen: SeenUnset, scene: Scene) -> Finding:
    name = seen.name or "a value"
    use = {
        "stored": f"what comes of it is stored in {seen.array} in line {seen.used_line}",
        "condition": f"the condition in line {seen.used_line} depends on it",
        "address": f"an index in line {seen.used_line} depends on it",
    }[seen.how]
    if seen.space == LOCAL:
        what = f"line {seen.line} reads words of {name} that nobody has written; {use}."
        cause = f"Every word that is read must be written first: store a zero in {name} where there is nothing to load."
    elif seen.space == GLOBAL:
        what = f"line {seen.line} reads {name} before anything is written there; {use}."
        cause = "An output holds no zeros at the start: add up in a variable, and store that."
    else:
        what = f"line {seen.line} reads {name}, which has no value yet; {use}."
        cause = f"Give {name} a value where it is declared, such as 0."
    words = f"{scene.item(seen.global_id)} of {scene.group(seen.group)} reads {name}"
    places = [Place(line=seen.line, text=scene.text(seen.line), words=words)]
    if seen.used_line != seen.line:
        places.append(Place(line=seen.used_line, text=scene.text(seen.used_line), words=use.partition(" in line")[0]))
    return Finding(reason=Reason.UNINITIALISED, message=what, cause=cause, places=tuple(places), times=seen.times)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
