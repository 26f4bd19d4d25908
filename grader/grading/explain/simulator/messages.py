"""Turns the simulator's messages into sentences that a student can act on."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.common.optional import OptionalWork
from grader.common.phrases import capital, count
from grader.grading.explain.problem import EXPLANATION
from grader.grading.explain.simulator import images, oclgrind
from grader.grading.explain.simulator.conditions import dividing, guards, is_unguarded
from grader.grading.explain.simulator.heard import Heard, Words, beyond
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import Entity, Target
from grader.grading.explain.simulator.races import ADD_BARRIER, LOCK, local_race, unparted
from grader.grading.explain.simulator.source_lines import lines_in_words, told_to_decide
from grader.protocol.observation import SeenKernel, SeenMessage
from grader.results.check import Finding, Place, Reason, lines_named


@dataclass(frozen=True, kw_only=True)
class Sign:
    """A kind of message: its first words, the reason, and its explanation. `hidden` is used in place of the explanation
    if a line is hidden, so that `lines` returns none or a 0. In `hidden`, {} is replaced with the array.
    """

    begins: re.Pattern[str]
    reason: Reason
    explained: Callable[[Heard], Words]
    hidden: str
    lines: Callable[[SeenMessage], Sequence[int]] = oclgrind.lines_of_entities


def of_message(message: SeenMessage, seen: SeenKernel, scene: Scene) -> Iterator[Finding]:
    """Yield the finding for a message. Unknown messages are ignored. A function that hides its lines (`nodebug`) does
    not hide its actions, but its findings do not have places.
    """
    sign = next((each for each in SIGNS if each.begins.match(message.text)), None)
    if sign is None:
        return
    yield _finding(sign, message, seen, scene)


def _finding(sign: Sign, message: SeenMessage, seen: SeenKernel, scene: Scene) -> Finding:
    with OptionalWork(EXPLANATION) as work:
        what, cause, places = _explained(sign, message, seen, scene)
        return Finding(reason=sign.reason, message=what, help=cause, places=places, times=message.times)
    what = f"{sign.hidden.format('an array')}."
    return Finding(reason=sign.reason, message=what, help="", places=(), times=message.times, fault=work.fault)


def _explained(sign: Sign, message: SeenMessage, seen: SeenKernel, scene: Scene) -> Words:
    if sign.begins is oclgrind.INVALID and oclgrind.copies(message):
        return _copied_out_of_bounds(message, seen, scene)
    lines = sign.lines(message)
    if lines and all(lines):
        entities = oclgrind.entities(message)
        return sign.explained(Heard(message=message, entities=entities, seen=seen, scene=scene))
    return f"{sign.hidden.format(oclgrind.target(message, seen).array)}.", without_line(scene), ()


def without_line(scene: Scene) -> str:
    """Advice if the simulator does not know the line, which is to remove `nodebug` if the file contains it."""
    return "Remove `nodebug` from the file: it hides the line from the simulator." if "nodebug" in scene.source else ""


def _copied_out_of_bounds(message: SeenMessage, seen: SeenKernel, scene: Scene) -> Words:
    """Explain a copy beyond an array. The simulator executes the copy when the group waits for it, so its message
    contains a different line.
    """
    target, writes = oclgrind.target(message, seen), message.text.startswith("Invalid write")
    arrays = {each.name for each in seen.arrays}
    lines = scene.copies_outside(target.array, arrays, writes=writes)
    what = f"{_copy_in(lines)} {'writes' if writes else 'reads'} outside {target.array}{_how_far(target, scene)}."
    cause = "Check the addresses and the number of elements that you pass to async_work_group_copy."
    words = f"copies {target.array}"
    return what, cause, tuple(Place(line=line, text=scene.text(line), words=words) for line in lines[:1])


def _copy_in(lines: Sequence[int]) -> str:
    """Describe a copy, as in "the copy in line 7", or with all lines that may contain it."""
    several = sorted(set(lines))
    if len(several) > 1:
        return f"one of the copies in {lines_in_words(several)}"
    return f"the copy in line {several[0]}" if several else "a copy by the group"


def _race_with_a_copy(entity: Entity, array: str, scene: Scene) -> tuple[str, str]:
    """Explain a race in which a work-item uses an array while its group copies it. In a loop, either access may come
    first.
    """
    does, lines = "writes" if entity.writes else "reads", scene.copies_of(array)
    what = f"line {entity.line} {does} {array} while {_copy_in(lines)} still uses it."
    is_repeated = bool(lines) and scene.loop_around({entity.line, *lines}) is not None
    if lines and entity.line < min(lines) and not is_repeated:
        cause = f"{ADD_BARRIER} after line {entity.line}, before the copy."
    elif lines and entity.line > max(lines) and not is_repeated:
        cause = "Call wait_group_events, then a barrier, before you use it."
    else:
        cause = (
            "Call wait_group_events, then a barrier, before you use it. Call another barrier after its last use, "
            "before the next copy."
        )
    return what, cause


NEXT_ROW = "Its index runs into the next row."


def _race(heard: Heard) -> Words:
    array, scene = oclgrind.target(heard.message, heard.seen).array, heard.scene
    entities = sorted(heard.entities, key=lambda each: not each.writes)
    lines = [each.line for each in entities]
    if len(entities) == 1:
        what, cause = _race_with_a_copy(entities[0], array, scene)
    elif oclgrind.BOTH_WRITE.match(heard.message.text):
        where = f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]} and {lines[1]}"
        what = f"{where}: two work-items write the same element of {array}, so the result depends on which one is last."
        indexes = {scene.index_in(line, array) for line in lines}
        beyond = next((each for each in entities if scene.is_beyond(each.global_id)), None)
        if beyond:
            item = capital(scene.item(beyond.global_id))
            wraps = "Compare its coordinates with the size of the image." if scene.is_image(array) else NEXT_ROW
            cause = f"{item} lies beyond the edge and must not store. {wraps}"
        elif scene.is_in_a_lock(lines):
            what = f"{where}: two work-items write the same element of {array}, and nothing says in which order."
            cause = LOCK
        elif oclgrind.is_local(heard.message) and (lacking := unparted(what, array, lines, heard.seen, scene)):
            what, cause = lacking
        elif all(map(CONSTANT.fullmatch, indexes)):
            cause = SAME_IN_A_GROUP if oclgrind.is_local(heard.message) else SAME_IN_ALL_GROUPS
        else:
            cause = "Both work-items compute the same index. Check the ids and the row length in this index."
    elif oclgrind.is_local(heard.message):
        what, cause = local_race(array, entities, heard.seen, scene)
    else:
        what = f"line {lines[1]} reads {array} while line {lines[0]} writes it, and nothing says which comes first."
        cause = "No work-item may read what another group writes: a barrier orders only work-items of one group."
    return what, cause, tuple(heard.place(each, array) for each in entities)


def _out_of_bounds(heard: Heard) -> Words:
    target = oclgrind.target(heard.message, heard.seen)
    entity = replace(heard.entities[0], writes=heard.message.text.startswith("Invalid write"))
    does, access = ("writes", "store") if entity.writes else ("reads", "load")
    place = (heard.scene.expanded, heard.seen.kernel, entity.line)
    if heard.scene.is_beyond(entity.global_id):
        cause = beyond(capital(heard.scene.item(entity.global_id)), access, guards(*place))
    elif "global memory" in heard.message.text and is_unguarded(*place):
        cause = f"No condition guards line {entity.line}. {ADD_GUARD}"
    elif "global memory" in heard.message.text:
        cause = ROW if heard.scene.dimensions > 1 else LINE
    elif is_unguarded(*place) and dividing(*place) is None:
        cause = f"All work-items run line {entity.line}. {SOME_LEFT_OUT}"
    else:
        cause = WRONG_INDEX
    own = "" if "global memory" in heard.message.text else _by_declaration(target.array, heard.scene)
    what = f"line {entity.line} {does} outside {target.array}{own}{_how_far(target, heard.scene)}."
    if not lines_named(cause):
        what = _with_deciding_lines(what, entity.line, heard)
    return what, cause, (heard.place(entity, target.array),)


def _with_deciding_lines(what: str, line: int, heard: Heard) -> str:
    """The sentence, with a clause about the lines that determine the range of an index, if there are only few."""
    decided = told_to_decide("the index", heard.scene, heard.seen.kernel, [line])
    return f"{what.removesuffix('.')}; {decided}" if decided else what


def without_deciding_lines(what: str) -> str:
    """The sentence without its clause about the lines that determine the range of an index."""
    sentence, clause, _ = what.partition("; the index depends on ")
    return f"{sentence}." if clause else what


SOME_LEFT_OUT = "Check the size of the array, and whether a condition must keep some work-items out."
ADD_GUARD = "Add a condition that compares the index with the size of the array."


SAME_IN_A_GROUP = "The index is the same for all work-items. Let one of them write, or give each its own element."
SAME_IN_ALL_GROUPS = "The index is the same for all groups. Give each group its own element, by get_group_id."

CONSTANT = re.compile(r"(?:\[\(*(?:0[xX][\da-fA-F]+|\d+)[uUlL]*\)*\])+")
"""Pattern of an index that is a constant number."""

ROW = "Check the row length in the index, and that the guard tests the sizes of this array."
LINE = "Check the index, and that a guard compares it with the size of this array."
WRONG_INDEX = "Check the size of the array, the index, and where the loop around it starts and ends."


def _how_far(target: Target, scene: Scene) -> str:
    """The distance of an access from its array. Empty if the type of the array's elements is unknown."""
    unit = scene.element_bytes(target.array)
    if target.offset is None or target.size is None or unit is None:
        return ""
    element, elements = target.offset // unit, target.size // unit
    if element < 0:
        return f", {count(-element, 'element')} before its start"
    if element < elements:
        return f", from its {_last(elements - element)} on"
    if _has_wrapped(element):
        return f": the index has fallen below 0 and, as it is unsigned, become {element:,}"
    return f", {count(element - elements + 1, 'element')} past its end"


WRAPPED = 2**24
"""Maximum distance below 2**32 at which an unsigned index is assumed to have wrapped around from slightly below 0.
Arrays of a course are not that long.
"""


def _has_wrapped(index: int) -> bool:
    return 2**32 - WRAPPED <= index < 2**32


def _last(number: int) -> str:
    return "last element" if number == 1 else f"last {number} elements"


def _beyond_array(heard: Heard) -> Words:
    array, entity = heard.message.array or "an array", heard.entities[0]
    index = oclgrind.INDEX.match(heard.message.text)
    assert index is not None, "this is what the message begins with"
    has_wrapped = ": an unsigned index has fallen below 0" if _has_wrapped(int(index[1])) else ""
    elements = f"which has elements 0 to {int(index[2]) - 1}{_by_declaration(array, heard.scene)}{has_wrapped}"
    what = f"line {entity.line} accesses element {index[1]} of {array}, {elements}."
    what = _with_deciding_lines(what, entity.line, heard)
    return what, WRONG_INDEX, heard.by(entity, entity.line, f"accesses {array}")


def _by_declaration(array: str, scene: Scene) -> str:
    """The line of the array's declaration in brackets, as the length there may be wrong; "" if it is unknown."""
    line = scene.declared_in(array)
    return f" (declared in line {line})" if line is not None else ""


def _misaligned(heard: Heard) -> Words:
    array = heard.message.array or "memory"
    entity = replace(heard.entities[0], writes="memory load" not in heard.message.text)
    does = "writes" if entity.writes else "reads"
    what = f"line {entity.line} {does} {array} at an address that is not a multiple of the size of the value."
    cause = "A float4 must start at a multiple of 16 bytes; vload4 and vstore4 can start at any element."
    return what, cause, (heard.place(entity, array),)


def _unaligned_atomic(heard: Heard) -> Words:
    array, entity = heard.message.array or "memory", heard.entities[0]
    what = f"line {entity.line} calls an atomic function at an address of {array} that is not a multiple of 4 bytes."
    cause = "Atomic functions need the address of a whole element: do not cast a pointer to bytes."
    return what, cause, heard.by(entity, entity.line, f"calls an atomic function on {array}")


def _unawaited(heard: Heard) -> Words:
    entity = heard.entities[0]
    copies = heard.scene.copies
    waits = f": nothing waits for {_copy_in(copies)}" if copies else ""
    what = f"the kernel ends before an asynchronous copy is complete{waits}."
    cause = (
        "Keep the event that async_work_group_copy returns, and pass it to wait_group_events before the kernel ends."
    )
    return what, cause, heard.by(entity, entity.line, "ends without waiting for the copy")


def _no_event(heard: Heard) -> Words:
    entity = heard.entities[0]
    what = f"line {entity.line} waits for an event that belongs to no copy."
    cause = "Pass wait_group_events the event that async_work_group_copy returned, and their exact number."
    return what, cause, heard.by(entity, entity.line, "waits here")


def _barrier(heard: Heard) -> Words:
    lines, group = oclgrind.lines(heard.message), oclgrind.group(heard.message)
    whose = f" of {heard.scene.group(group)}" if group else ""
    reached = oclgrind.reached(heard.message)
    places = [heard.at(line, "some work-items wait at this barrier") for line in lines]
    if reached is None:
        what = f"work-items{whose} wait at different barriers, in {lines_in_words(set(lines))}."
    else:
        came, all_items = reached
        missing = all_items - came
        thing = "copy" if "executed copy" in heard.message.text else "barrier"
        for line, times in heard.message.endings:
            if line and line not in lines:
                places.append(heard.at(line, f"{count(times, 'work-item')} ended here"))
        before = [str(line) for line, _ in heard.message.endings if 0 < line <= lines[0]]
        if before:
            ends, reach = ("ends", "does not reach") if missing == 1 else ("end", "do not reach")
            what = f"{missing} of {all_items} work-items{whose} {ends} in line {' or '.join(before)}"
            what += f" and {reach} the {thing} in line {lines[0]}."
        else:
            what = f"line {lines[0]}: {came} of {all_items} work-items{whose} reach the {thing}, {missing} "
            what += "does not. It went past it." if missing == 1 else "do not. They went past it."
    around = dividing(heard.scene.expanded, heard.seen.kernel, lines[0])
    must = f"Move the barrier out of the `{around.keyword}` in line {around.lines[0]}." if around else ALL_MUST
    cause = f"{must} Work-items with nothing to do skip the work, not the barrier."
    return what, cause, tuple(places)


ALL_MUST = "Every work-item of a group must reach every barrier."


def _input_changed(heard: Heard) -> Words:
    here, entity = oclgrind.spot(heard.message), replace(heard.entities[0], writes=True)
    stores = (each for each in heard.seen.accesses if each.writes and (str(each.line), str(each.column)) == here)
    array = next((each.array for each in stores), heard.message.array) or "an array"
    what = f"line {entity.line} writes {array}, which is an input and may only be read."
    cause = "The result belongs in the output; declare inputs `__global const`, and the compiler finds such lines."
    return what, cause, (heard.place(entity, array),)


def _endless(heard: Heard) -> Words:
    """Explain a kernel that does not end, by one of its loops.

    The candidates are loops whose condition never changed. The loop with the most iterations is reported, because the
    loops around it may have begun only one iteration. Of several such loops, the outermost is reported. If there are no
    candidates, the line that was executing is reported.
    """
    loops = [each for each in heard.seen.branches if each.constant and heard.scene.is_loop(each.line)]
    most = max(loops, key=lambda each: (each.reached, -each.line), default=None)
    line = heard.entities[0].line if most is None else most.line
    where = f"line {line}: this loop" if loops else f"line {line}"
    what = f"{where} was still running when the simulator stopped the kernel."
    cause = (
        "The simulator stops a kernel after millions of steps, or after thousands of wrong accesses. The usual cause "
        "is a loop that never ends: check its condition, and that every iteration brings the loop closer to its end."
    )
    return what, cause, heard.by(heard.entities[0], line, "was here when the simulator stopped")


def _unsupported(heard: Heard) -> Words:
    entity = heard.entities[0]
    what = f"line {entity.line}: the simulator stopped at an instruction that it does not support."
    cause = "Use simpler OpenCL C here, or ask your instructor."
    return what, cause, heard.by(entity, entity.line, "got this far")


SIGNS = (
    Sign(
        begins=oclgrind.DIVERGENCE,
        reason=Reason.BARRIER_DIVERGENCE,
        explained=_barrier,
        hidden="not every work-item reaches a barrier",
        lines=oclgrind.lines,
    ),
    Sign(
        begins=oclgrind.RACE,
        reason=Reason.DATA_RACE,
        explained=_race,
        hidden="two work-items use the same element of {}, and one writes it",
    ),
    Sign(
        begins=oclgrind.INVALID,
        reason=Reason.OUT_OF_BOUNDS,
        explained=_out_of_bounds,
        hidden="it uses {} wrongly",
    ),
    Sign(
        begins=images.OUTSIDE,
        reason=Reason.OUT_OF_BOUNDS,
        explained=images.outside,
        hidden="it uses {} outside its pixels",
    ),
    Sign(
        begins=images.OTHER_NUMBERS,
        reason=Reason.CRASH,
        explained=images.other_numbers,
        hidden="it uses {} with a function for other numbers",
    ),
    Sign(
        begins=oclgrind.MISALIGNED,
        reason=Reason.OUT_OF_BOUNDS,
        explained=_misaligned,
        hidden="it uses {} wrongly",
    ),
    Sign(
        begins=oclgrind.UNALIGNED,
        reason=Reason.OUT_OF_BOUNDS,
        explained=_unaligned_atomic,
        hidden="it calls an atomic function at an address of {} that is not a multiple of 4 bytes",
    ),
    Sign(
        begins=oclgrind.UNAWAITED,
        reason=Reason.DATA_RACE,
        explained=_unawaited,
        hidden="the kernel ends before an asynchronous copy is complete",
    ),
    Sign(
        begins=oclgrind.NO_EVENT,
        reason=Reason.DATA_RACE,
        explained=_no_event,
        hidden="it waits for an event that belongs to no copy",
    ),
    Sign(
        begins=oclgrind.INDEX,
        reason=Reason.OUT_OF_BOUNDS,
        explained=_beyond_array,
        hidden="it uses {} beyond its end",
    ),
    Sign(
        begins=oclgrind.READ_ONLY,
        reason=Reason.INPUT_CHANGED,
        explained=_input_changed,
        hidden="it writes {}, an input",
    ),
    Sign(
        begins=oclgrind.ENDLESS,
        reason=Reason.TIME_LIMIT,
        explained=_endless,
        hidden="the kernel was still running when the simulator stopped it",
    ),
    Sign(
        begins=oclgrind.FATAL,
        reason=Reason.CRASH,
        explained=_unsupported,
        hidden="the simulator stopped at something that it does not support",
    ),
)
"""The kinds of messages. The first one that matches a message is used."""
