"""Messages about accesses outside an array, as sentences."""

from dataclasses import replace

from grader.common.phrases import capital, count, quoted
from grader.grading.explain.simulator import oclgrind
from grader.grading.explain.simulator.conditions import deciders, dividing, is_unguarded
from grader.grading.explain.simulator.heard import Heard, Words, beyond
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import Target
from grader.grading.explain.simulator.race_messages import copy_in, from_earlier_kernels, from_own_arrays
from grader.grading.explain.simulator.source_lines import told_to_decide
from grader.protocol.observation import SeenKernel, SeenMessage
from grader.results.findings import Place, lines_named

SOME_LEFT_OUT = "Check the size of the array, and whether a condition must keep some work-items out."
ADD_GUARD = "Add a condition that compares the index with the size of the array."
ROW = "Check the row length in the index, and that the guard tests the sizes of this array."
LINE = "Check the index, and that a guard compares it with the size of this array."
WRONG_INDEX = "Check the size of the array, the index, and where the loop around it starts and ends."

WRAPPED = 2**24
"""Maximum distance below 2**32 at which an unsigned index is assumed to have wrapped around from slightly below 0.
Arrays of a course are not that long.
"""


def copied_outside(message: SeenMessage, seen: SeenKernel, scene: Scene) -> Words:
    """Explain a copy beyond an array. The simulator executes the copy when the group waits for it, so its message
    contains a different line.
    """
    target, writes = oclgrind.target(message, seen), message.text.startswith("Invalid write")
    arrays = {each.name for each in seen.arrays}
    lines = scene.copies_outside(target.array, arrays, writes=writes)
    what = (
        f"{copy_in(lines)} {'writes' if writes else 'reads'} outside {quoted(target.array)}{_how_far(target, scene)}."
    )
    cause = "Check the addresses and the number of elements that you pass to async_work_group_copy."
    words = f"copies {quoted(target.array)}"
    return Words(what, cause, tuple(Place(line=line, text=scene.text(line), words=words) for line in lines[:1]))


def outside(heard: Heard) -> Words:
    """Explain an access outside an array in global or local memory."""
    target = oclgrind.target(heard.message, heard.seen)
    entity = replace(heard.entities[0], writes=heard.message.text.startswith("Invalid write"))
    does, access = ("writes", "store") if entity.writes else ("reads", "load")
    place = (heard.scene.expanded, heard.seen.kernel, entity.line)
    if heard.scene.is_beyond(entity.global_id):
        cause = beyond(capital(heard.scene.item(entity.global_id)), access, deciders(*place))
    elif "global memory" in heard.message.text:
        computed = from_earlier_kernels(heard, target.array, [entity.line])
        computed = computed or from_own_arrays(heard, target.array, entity.line)
        cause = computed or _of_a_global_index(heard, entity.line)
    elif is_unguarded(*place) and dividing(*place) is None:
        cause = f"All work-items run line {entity.line}. {SOME_LEFT_OUT}"
    else:
        cause = WRONG_INDEX
    own = "" if "global memory" in heard.message.text else _by_declaration(target.array, heard.scene)
    what = f"line {entity.line} {does} outside {quoted(target.array)}{own}{_how_far(target, heard.scene)}."
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


def _has_wrapped(index: int) -> bool:
    return 2**32 - WRAPPED <= index < 2**32


def _last(number: int) -> str:
    return "last element" if number == 1 else f"last {number} elements"


def beyond_array(heard: Heard) -> Words:
    """Explain an index outside an array or a vector whose length is in the program."""
    unnamed = "a vector" if " = extractelement " in heard.message.text else "an array"
    array, entity = heard.message.array or unnamed, heard.entities[0]
    index = oclgrind.INDEX.match(heard.message.text)
    assert index is not None, "this is what the message begins with"
    has_wrapped = ": an unsigned index has fallen below 0" if _has_wrapped(int(index[1])) else ""
    elements = f"which has elements 0 to {int(index[2]) - 1}{_by_declaration(array, heard.scene)}{has_wrapped}"
    what = f"line {entity.line} accesses element {index[1]} of {quoted(array)}, {elements}."
    what = _with_deciding_lines(what, entity.line, heard)
    return Words(what, WRONG_INDEX, heard.by(entity, entity.line, f"accesses {quoted(array)}"))


def _by_declaration(array: str, scene: Scene) -> str:
    """The line of the array's declaration, in brackets, because the length there may be wrong; "" if the line is
    unknown.
    """
    line = scene.declared_in(array)
    return f" (declared in line {line})" if line is not None else ""
