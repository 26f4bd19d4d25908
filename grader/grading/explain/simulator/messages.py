"""Turns the simulator's messages into sentences that a student can act on."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.common.optional import OptionalWork
from grader.common.phrases import count, quoted
from grader.grading.explain.problem import EXPLANATION
from grader.grading.explain.simulator import bounds_messages, images, oclgrind
from grader.grading.explain.simulator.conditions import dividing
from grader.grading.explain.simulator.heard import Heard, Words
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.race_messages import copy_in, race
from grader.grading.explain.simulator.source_lines import lines_in_words
from grader.grading.source.reading import TEXT_CHARACTERS, TOKENS
from grader.protocol.observation import SeenKernel, SeenMessage
from grader.results.findings import Finding
from grader.results.verdicts import Reason


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


def reason_of(message: SeenMessage) -> Reason | None:
    """The reason of the finding for a message; None for an unknown message."""
    sign = _sign(message)
    return sign.reason if sign else None


def _sign(message: SeenMessage) -> Sign | None:
    return next((each for each in SIGNS if each.begins.match(message.text)), None)


def of_message(message: SeenMessage, launches: Sequence[SeenKernel], scene: Scene) -> Iterator[Finding]:
    """Yield the finding for a message of the last of these launches. Unknown messages are ignored. If a function hides
    its lines (`nodebug`), its mistakes are still found, but the findings do not have places.
    """
    sign = _sign(message)
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
    if scene.is_too_long:
        return Words(f"{sign.hidden.format(quoted(oclgrind.target(message, seen).array))}.", TOO_LONG)
    if sign.begins is oclgrind.INVALID and oclgrind.copies(message):
        return bounds_messages.copied_outside(message, seen, scene)
    lines = sign.lines(message)
    if lines and all(lines):
        entities = oclgrind.entities(message)
        return sign.explained(Heard(message=message, entities=entities, seen=seen, scene=scene, before=before))
    return Words(f"{sign.hidden.format(quoted(oclgrind.target(message, seen).array))}.", without_line(scene))


TOO_LONG = (
    f"The grader explains only files of up to {TEXT_CHARACTERS:,} characters and {TOKENS:,} tokens, after macro "
    "expansion. Shorten the file, and the report names the line."
)


def without_line(scene: Scene) -> str:
    """Advice if the simulator does not know the line, which is to remove `nodebug` if the file contains it."""
    return "Remove `nodebug` from the file: it hides the line from the simulator." if "nodebug" in scene.source else ""


def _misaligned(heard: Heard) -> Words:
    array = heard.message.array or "a value"
    entity = replace(heard.entities[0], writes="memory load" not in heard.message.text)
    does = "writes" if entity.writes else "reads"
    what = f"line {entity.line} {does} {quoted(array)} at an address that is not a multiple of the size of the value."
    cause = "A float4 must start at a multiple of 16 bytes; vload4 and vstore4 can start at any element."
    return Words(what, cause, (heard.place(entity, array),))


def _unaligned_atomic(heard: Heard) -> Words:
    array, entity = heard.message.array or "an array", heard.entities[0]
    what = (
        f"line {entity.line} calls an atomic function with an address in {quoted(array)} that is not a multiple of "
        "4 bytes."
    )
    cause = "Atomic functions need the address of a whole element: do not cast a pointer to bytes."
    return Words(what, cause, heard.by(entity, entity.line, f"calls an atomic function on {quoted(array)}"))


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
    what = f"line {entity.line} writes {quoted(array)}, which is an input and may only be read."
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
        explained=bounds_messages.outside,
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
        hidden="it calls an atomic function with an address in {} that is not a multiple of 4 bytes",
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
        explained=bounds_messages.beyond_array,
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
