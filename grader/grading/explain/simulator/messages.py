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
from grader.grading.explain.simulator.oclgrind import Target
from grader.grading.explain.simulator.race_messages import copy_in, from_earlier_kernels, from_own_arrays, race
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


def of_message(message: SeenMessage, launches: Sequence[SeenKernel], scene: Scene) -> Iterator[Finding]:
    """Yield the finding for a message of the last of these launches. Unknown messages are ignored. If a function hides
    its lines (`nodebug`), its mistakes are still found, but the findings do not have places.
    """
    sign = next((each for each in SIGNS if each.begins.match(message.text)), None)
    if sign is None:
        return
    yield _finding(sign, message, launches, scene)


def _finding(sign: Sign, message: SeenMessage, launches: Sequence[SeenKernel], scene: Scene) -> Finding:
    with OptionalWork(EXPLANATION) as work:
        words = _explained(sign, message, launches, scene)
        return Finding(
            reason=sign.reason,
            message=words.mistake,
            help=words.help,
            places=words.places,
            times=message.times,
            barrier=words.barrier,
        )
    what = f"{sign.hidden.format('an array')}."
    return Finding(reason=sign.reason, message=what, help="", places=(), times=message.times, fault=work.fault)


def _explained(sign: Sign, message: SeenMessage, launches: Sequence[SeenKernel], scene: Scene) -> Words:
    *before, seen = launches
    if sign.begins is oclgrind.INVALID and oclgrind.copies(message):
        return _copied_out_of_bounds(message, seen, scene)
    lines = sign.lines(message)
    if lines and all(lines):
        entities = oclgrind.entities(message)
        return sign.explained(Heard(message=message, entities=entities, seen=seen, scene=scene, before=before))
    return Words(f"{sign.hidden.format(oclgrind.target(message, seen).array)}.", without_line(scene))


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
    what = f"{copy_in(lines)} {'writes' if writes else 'reads'} outside {target.array}{_how_far(target, scene)}."
    cause = "Check the addresses and the number of elements that you pass to async_work_group_copy."
    words = f"copies {target.array}"
    return Words(what, cause, tuple(Place(line=line, text=scene.text(line), words=words) for line in lines[:1]))


def _out_of_bounds(heard: Heard) -> Words:
    target = oclgrind.target(heard.message, heard.seen)
    entity = replace(heard.entities[0], writes=heard.message.text.startswith("Invalid write"))
    does, access = ("writes", "store") if entity.writes else ("reads", "load")
    place = (heard.scene.expanded, heard.seen.kernel, entity.line)
    if heard.scene.is_beyond(entity.global_id):
        cause = beyond(capital(heard.scene.item(entity.global_id)), access, guards(*place))
    elif "global memory" in heard.message.text:
        computed = from_earlier_kernels(heard, target.array, [entity.line])
        computed = computed or from_own_arrays(heard, target.array, entity.line)
        cause = computed or _of_a_global_index(heard, entity.line)
    elif is_unguarded(*place) and dividing(*place) is None:
        cause = f"All work-items run line {entity.line}. {SOME_LEFT_OUT}"
    else:
        cause = WRONG_INDEX
    own = "" if "global memory" in heard.message.text else _by_declaration(target.array, heard.scene)
    what = f"line {entity.line} {does} outside {target.array}{own}{_how_far(target, heard.scene)}."
    if not lines_named(cause):
        what = _with_deciding_lines(what, entity.line, heard)
    return Words(what, cause, (heard.place(entity, target.array),))


def _of_a_global_index(heard: Heard, line: int) -> str:
    """The next step if an index into global memory is too large."""
    if is_unguarded(heard.scene.expanded, heard.seen.kernel, line):
        return f"No condition guards line {line}. {ADD_GUARD}"
    return ROW if heard.scene.dimensions > 1 else LINE


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
    unnamed = "a vector" if " = extractelement " in heard.message.text else "an array"
    array, entity = heard.message.array or unnamed, heard.entities[0]
    index = oclgrind.INDEX.match(heard.message.text)
    assert index is not None, "this is what the message begins with"
    has_wrapped = ": an unsigned index has fallen below 0" if _has_wrapped(int(index[1])) else ""
    elements = f"which has elements 0 to {int(index[2]) - 1}{_by_declaration(array, heard.scene)}{has_wrapped}"
    what = f"line {entity.line} accesses element {index[1]} of {array}, {elements}."
    what = _with_deciding_lines(what, entity.line, heard)
    return Words(what, WRONG_INDEX, heard.by(entity, entity.line, f"accesses {array}"))


def _by_declaration(array: str, scene: Scene) -> str:
    """The line of the array's declaration, in brackets, because the length there may be wrong; "" if the line is
    unknown.
    """
    line = scene.declared_in(array)
    return f" (declared in line {line})" if line is not None else ""


def _misaligned(heard: Heard) -> Words:
    array = heard.message.array or "memory"
    entity = replace(heard.entities[0], writes="memory load" not in heard.message.text)
    does = "writes" if entity.writes else "reads"
    named = f"`{heard.message.array}`" if heard.message.array else array
    what = f"line {entity.line} {does} {named} at an address that is not a multiple of the size of the value."
    cause = "A float4 must start at a multiple of 16 bytes; vload4 and vstore4 can start at any element."
    return Words(what, cause, (heard.place(entity, array),))


def _unaligned_atomic(heard: Heard) -> Words:
    array, entity = heard.message.array or "memory", heard.entities[0]
    what = f"line {entity.line} calls an atomic function at an address of {array} that is not a multiple of 4 bytes."
    cause = "Atomic functions need the address of a whole element: do not cast a pointer to bytes."
    return Words(what, cause, heard.by(entity, entity.line, f"calls an atomic function on {array}"))


def _unawaited(heard: Heard) -> Words:
    entity = heard.entities[0]
    copies = heard.scene.copies
    waits = f": nothing waits for {copy_in(copies)}" if copies else ""
    what = f"the kernel ends before an asynchronous copy is complete{waits}."
    cause = (
        "Keep the event that async_work_group_copy returns, and pass it to wait_group_events before the kernel ends."
    )
    return Words(what, cause, heard.by(entity, entity.line, "ends without waiting for the copy"))


def _no_event(heard: Heard) -> Words:
    entity = heard.entities[0]
    what = f"line {entity.line} waits for an event that belongs to no copy."
    cause = "Pass wait_group_events the event that async_work_group_copy returned, and their exact number."
    return Words(what, cause, heard.by(entity, entity.line, "waits here"))


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
    return Words(what, cause, tuple(places))


ALL_MUST = "Every work-item of a group must reach every barrier."


def _input_changed(heard: Heard) -> Words:
    here, entity = oclgrind.spot(heard.message), replace(heard.entities[0], writes=True)
    stores = (each for each in heard.seen.accesses if each.writes and (str(each.line), str(each.column)) == here)
    array = next((each.array for each in stores), heard.message.array) or "an array"
    named = array if array == "an array" else f"`{array}`"
    what = f"line {entity.line} writes {named}, which is an input and may only be read."
    cause = "The result belongs in the output; declare inputs `__global const`, and the compiler finds such lines."
    return Words(what, cause, (heard.place(entity, array),))


def _endless(heard: Heard) -> Words:
    """Explain a kernel that does not end, by one of its loops.

    The candidates are loops whose condition never changed. The loop with the most iterations is reported, because the
    loops around it may have begun only one iteration. Of several such loops, the outermost is reported. If there are no
    candidates, the innermost loop around the line that was executing is reported, or else this line.
    """
    loops = [each for each in heard.seen.branches if each.constant and heard.scene.is_loop(each.line)]
    most = max(loops, key=lambda each: (each.reached, -each.line), default=None)
    here = heard.entities[0].line
    around = heard.scene.loop_around({here})
    line = most.line if most is not None else around.start if around is not None else here
    where = f"line {line}: this loop" if loops or around is not None else f"line {line}"
    what = f"{where} was still running when the simulator stopped the kernel."
    cause = (
        "The usual cause is a loop that never ends. Check its condition, and that every iteration brings the loop "
        "closer to its end."
    )
    return Words(what, cause, heard.by(heard.entities[0], line, "was here at the end"))


def _unsupported(heard: Heard) -> Words:
    entity, what = heard.entities[0], oclgrind.unsupported(heard.message)
    if what == oclgrind.HALF_ARITHMETIC:
        words = f"line {entity.line}: the simulator cannot run half arithmetic."
        cause = "Leave it out: read the numbers with vload_half, compute with float, and store them with vstore_half."
        return Words(words, cause, heard.by(entity, entity.line, "got this far"))
    what = f"line {entity.line}: the simulator stopped at an instruction that it does not support."
    cause = "Use simpler OpenCL C here, or ask your instructor."
    return Words(what, cause, heard.by(entity, entity.line, "got this far"))


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
        explained=race,
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
