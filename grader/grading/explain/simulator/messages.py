"""Turns the simulator's messages into sentences that a student can act on."""

import re
from collections.abc import Iterator
from dataclasses import replace

from grader.common.phrases import capital, count
from grader.grading.explain.simulator import oclgrind
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import Entity, Target
from grader.protocol.observation import SeenKernel, SeenMessage
from grader.results.result import Finding, Place, Reason


def of_message(message: SeenMessage, seen: SeenKernel, scene: Scene) -> Iterator[Finding]:
    """The finding of a message; none if the message is unknown.

    A function that hides its lines (`nodebug`) does not hide what it does: then the finding has no place.
    """
    headline = message.text.partition("\n")[0]
    entities = oclgrind.entities(message)
    index = oclgrind.INDEX.match(headline)
    if headline.startswith("Work-group divergence") and oclgrind.spot(message):
        yield _barrier(message, scene)
    elif not entities:
        yield from _unplaced(message, headline, seen)
    elif "data race at" in headline:
        yield _race(message, entities, seen, scene)
    elif headline.startswith(oclgrind.INVALID):
        yield _out_of_bounds(message, entities[0], seen, scene)
    elif index is not None:
        yield _beyond_array(message, entities[0], index, scene)
    elif headline.startswith(oclgrind.MISALIGNED):
        yield _misaligned(message, entities[0], scene)
    elif headline.startswith("Invalid write to read-only"):
        yield _input_changed(message, entities[0], seen, scene)
    elif headline.startswith(oclgrind.FATAL) and oclgrind.ENDLESS in message.text:
        yield _endless(message, entities[0], seen, scene)
    elif headline.startswith(oclgrind.FATAL):
        yield _broken_off(message, entities[0], scene)


def _unplaced(message: SeenMessage, headline: str, seen: SeenKernel) -> Iterator[Finding]:
    """The finding of a message that names no line."""
    array = oclgrind.target(message, seen).array
    known = (
        (
            headline.startswith("Work-group divergence"),
            Reason.BARRIER_DIVERGENCE,
            "not every work-item reaches a barrier",
        ),
        (
            "data race at" in headline,
            Reason.DATA_RACE,
            f"two work-items use the same element of {array}, and one writes it",
        ),
        (
            headline.startswith((*oclgrind.INVALID, *oclgrind.MISALIGNED)),
            Reason.OUT_OF_BOUNDS,
            f"it uses {array} wrongly",
        ),
        (oclgrind.INDEX.match(headline) is not None, Reason.OUT_OF_BOUNDS, f"it uses {array} beyond its end"),
        (headline.startswith("Invalid write to read-only"), Reason.INPUT_CHANGED, f"it writes {array}, an input"),
        (oclgrind.ENDLESS in message.text, Reason.TIME_LIMIT, "a loop does not end"),
        (
            headline.startswith(oclgrind.FATAL),
            Reason.CRASH,
            "the simulator stopped at something that it does not support",
        ),
    )
    found = next(((reason, what) for is_it, reason, what in known if is_it), None)
    if found is not None:
        reason, what = found
        yield Finding(reason=reason, message=f"{what}.", cause=NO_LINE, places=(), times=message.times)


NO_LINE = "The file hides the line from the simulator: take `nodebug` out of it, and the line is named."


def _place(entity: Entity, array: str, scene: Scene) -> Place:
    does = "writes" if entity.writes else "reads"
    words = f"{scene.item(entity.global_id)} of {scene.group(entity.group)} {does} {array}"
    return Place(line=entity.line, text=scene.text(entity.line), words=words)


def _race(message: SeenMessage, entities: list[Entity], seen: SeenKernel, scene: Scene) -> Finding:
    array = oclgrind.target(message, seen).array
    entities = sorted(entities, key=lambda each: not each.writes)
    lines = [each.line for each in entities]
    both_write = message.text.startswith("Write-write")
    if len(entities) == 1:
        what = f"line {lines[0]} uses {array} while the group still copies into it."
        cause = "Call wait_group_events, then a barrier, before you use it."
    elif both_write:
        where = f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]} and {lines[1]}"
        what = f"{where}: two work-items write the same element of {array}, so the result depends on which one is last."
        beyond = next((each for each in entities if scene.is_beyond(each.global_id)), None)
        cause = (
            f"{capital(scene.item(beyond.global_id))} lies beyond the edge and must not store: "
            "its index runs into the next row."
            if beyond
            else "Both compute the same index: check the ids and the row length that it is made of."
        )
    elif oclgrind.is_local(message):
        what, cause = _local_race(array, entities, seen, scene)
    else:
        what = f"line {lines[1]} reads {array} while line {lines[0]} writes it, and nothing says which comes first."
        cause = "A barrier only orders work-items of the same group: no work-item may read what another group writes."
    places = tuple(_place(each, array, scene) for each in entities)
    return Finding(reason=Reason.DATA_RACE, message=what, cause=cause, places=places, times=message.times)


def _local_race(array: str, entities: list[Entity], seen: SeenKernel, scene: Scene) -> tuple[str, str]:
    """Which of the two comes first. It is the write, if it stands above without a barrier between, or if the read found
    words that no work-item had written. Otherwise it is the read, and the write belongs to the next step.
    """
    write, read = entities
    parted = scene.has_barrier(write.line, read.line)
    unset = any(each.name == array and each.line == read.line for each in seen.unset)
    too_early = unset or (write.line < read.line and not parted)
    if too_early:
        what = f"line {read.line} reads words of {array} that another work-item writes in line {write.line}."
        cause = (
            f"A barrier(CLK_LOCAL_MEM_FENCE) is missing between them: after line {write.line}, before any work-item "
            "reads."
        )
    else:
        what = f"line {write.line} overwrites words of {array} that another work-item still reads in line {read.line}."
        cause = (
            f"A barrier(CLK_LOCAL_MEM_FENCE) is missing between them: after line {read.line}, before the next step "
            f"writes {array} again."
        )
    return what, cause


def _out_of_bounds(message: SeenMessage, entity: Entity, seen: SeenKernel, scene: Scene) -> Finding:
    target = oclgrind.target(message, seen)
    entity = replace(entity, writes=message.text.startswith("Invalid write"))
    does, access = ("writes", "store") if entity.writes else ("reads", "load")
    if scene.is_beyond(entity.global_id):
        cause = f"{capital(scene.item(entity.global_id))} lies beyond the edge: guard the {access} with the sizes."
    elif "global memory" in message.text:
        cause = "Check the row length in the index, and that the guard tests the sizes of this array."
    else:
        cause = WRONG_INDEX
    return Finding(
        reason=Reason.OUT_OF_BOUNDS,
        message=f"line {entity.line} {does} outside {target.array}{_how_far(target)}.",
        cause=cause,
        places=(_place(entity, target.array, scene),),
        times=message.times,
    )


WRONG_INDEX = "Check the size of the array, the index, and where the loop around it starts and ends."


def _how_far(target: Target) -> str:
    if target.element is None or target.elements is None:
        return ""
    if target.element < 0:
        return f", {count(-target.element, 'element')} before its start"
    return f", {count(target.element - target.elements + 1, 'element')} past its end"


def _beyond_array(message: SeenMessage, entity: Entity, index: re.Match[str], scene: Scene) -> Finding:
    array = message.array or "an array"
    return Finding(
        reason=Reason.OUT_OF_BOUNDS,
        message=f"line {entity.line} accesses element {index[1]} of {array}, which has elements 0 to "
        f"{int(index[2]) - 1}.",
        cause=WRONG_INDEX,
        places=(_place(entity, array, scene),),
        times=message.times,
    )


def _misaligned(message: SeenMessage, entity: Entity, scene: Scene) -> Finding:
    array = message.array or "memory"
    does = "reads" if "memory load" in message.text else "writes"
    return Finding(
        reason=Reason.OUT_OF_BOUNDS,
        message=f"line {entity.line} {does} {array} at an address that is not a multiple of the size of the value.",
        cause="A float4 must start at a multiple of 16 bytes; vload4 and vstore4 can start at any element.",
        places=(_place(replace(entity, writes=does == "writes"), array, scene),),
        times=message.times,
    )


def _barrier(message: SeenMessage, scene: Scene) -> Finding:
    lines = oclgrind.lines(message)
    group = oclgrind.group(message)
    whose = f" of {scene.group(group)}" if group else ""
    reached = oclgrind.reached(message)
    places = [Place(line=line, text=scene.text(line), words="some work-items wait at this barrier") for line in lines]
    if reached is None:
        what = f"work-items{whose} wait at different barriers, in lines {' and '.join(map(str, sorted(lines)))}."
    else:
        came, all_items = reached
        missing = all_items - came
        what = f"line {lines[0]}: {came} of {all_items} work-items{whose} reach the barrier, {missing} do not."
        for line, times in message.endings:
            if line and line not in lines:
                words = f"{count(times, 'work-item')} ended here"
                places.append(Place(line=line, text=scene.text(line), words=words))
        before = [str(line) for line, _ in message.endings if 0 < line < lines[0]]
        what += f" They ended in line {' or '.join(before)}." if before else " They went past it."
    return Finding(
        reason=Reason.BARRIER_DIVERGENCE,
        message=what,
        cause="Every work-item of a group must reach every barrier: those with nothing to do skip the work, not the "
        "barrier.",
        places=tuple(places),
        times=message.times,
    )


def _input_changed(message: SeenMessage, entity: Entity, seen: SeenKernel, scene: Scene) -> Finding:
    here = oclgrind.spot(message)
    stores = (each for each in seen.accesses if each.writes and (str(each.line), str(each.column)) == here)
    array = next((each.array for each in stores), message.array) or "an array"
    return Finding(
        reason=Reason.INPUT_CHANGED,
        message=f"line {entity.line} writes {array}, which is an input and may only be read.",
        cause="The result belongs in the output; declare inputs `__global const`, and the compiler finds such lines.",
        places=(_place(replace(entity, writes=True), array, scene),),
        times=message.times,
    )


def _endless(message: SeenMessage, entity: Entity, seen: SeenKernel, scene: Scene) -> Finding:
    """The outermost loop whose condition never changed; where there is none, the line that was being executed."""
    loops = sorted(each.line for each in seen.branches if each.constant and scene.is_loop(each.line))
    line = loops[0] if loops else entity.line
    words = f"{scene.item(entity.global_id)} of {scene.group(entity.group)} was still here after millions of steps"
    return Finding(
        reason=Reason.TIME_LIMIT,
        message=f"line {line}: this loop does not end." if loops else f"line {line} is in a loop that does not end.",
        cause="Check its condition, and that every iteration brings it closer to its end.",
        places=(Place(line=line, text=scene.text(line), words=words),),
        times=message.times,
    )


def _broken_off(message: SeenMessage, entity: Entity, scene: Scene) -> Finding:
    words = f"{scene.item(entity.global_id)} of {scene.group(entity.group)} got this far"
    return Finding(
        reason=Reason.CRASH,
        message=f"line {entity.line}: the simulator stopped at an instruction that it does not support.",
        cause="Use simpler OpenCL C here, or ask your instructor.",
        places=(Place(line=entity.line, text=scene.text(entity.line), words=words),),
        times=message.times,
    )
