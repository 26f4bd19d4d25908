"""Explains messages about races, in which two work-items use one element in no defined order. An example is an update
without an atomic function, as in `counts[x[i]] += 1`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.common.phrases import capital, quoted
from grader.grading.explain.simulator import oclgrind
from grader.grading.explain.simulator.conditions import guards
from grader.grading.explain.simulator.heard import Heard, Words
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import GLOBAL, Entity
from grader.grading.explain.simulator.races import ADD_BARRIER, LOCK, OWN_ELEMENT, local_race, stored_by_all, unparted
from grader.grading.explain.simulator.source_lines import FEW, called_in, lines_in_words, writers
from grader.grading.source.origins import arrays_behind
from grader.grading.source.stores import store_lines
from grader.results.findings import AdvisedBarrier


def copy_in(lines: Sequence[int]) -> str:
    """Describe a copy, as in "the copy in line 7", or with all lines that may contain it."""
    several = sorted(set(lines))
    if len(several) > 1:
        return f"one of the copies in {lines_in_words(several)}"
    return f"the copy in line {several[0]}" if several else "a copy by the group"


def _race_with_a_copy(entity: Entity, array: str, scene: Scene) -> Words:
    """Explain a race in which a work-item uses an array while its group copies it. In a loop, either access may come
    first.
    """
    does, lines = "writes" if entity.writes else "reads", scene.copies_of(array)
    what = f"line {entity.line} {does} {quoted(array)} while {copy_in(lines)} still uses it."
    is_repeated = bool(lines) and scene.loop_around({entity.line, *lines}) is not None
    if lines and entity.line < min(lines) and not is_repeated:
        advice = f"{ADD_BARRIER} after line {entity.line}, before the copy."
        return Words(what, advice, barrier=AdvisedBarrier(line=entity.line, race=what))
    if lines and entity.line > max(lines) and not is_repeated:
        return Words(what, "Call wait_group_events, then a barrier, before you use it.")
    advice = (
        "Call wait_group_events, then a barrier, before you use it. Call another barrier after its last use, "
        "before the next copy."
    )
    return Words(what, advice)


NEXT_ROW = "Its index runs into the next row."


def race(heard: Heard) -> Words:
    """Explain a race between two work-items, or between a work-item and a copy by its group."""
    array, scene = oclgrind.target(heard.message, heard.seen).array, heard.scene
    entities = sorted(heard.entities, key=lambda each: not each.writes)
    lines = [each.line for each in entities]
    if len(entities) == 1:
        words = _race_with_a_copy(entities[0], array, scene)
    elif updates := _race_of_updates(heard, array, lines):
        words = updates
    elif oclgrind.BOTH_WRITE.match(heard.message.text):
        words = _race_of_writes(heard, array, lines)
    elif oclgrind.is_local(heard.message):
        words = local_race(array, entities, heard.seen, scene)
    else:
        words = Words(
            f"line {lines[1]} reads {quoted(array)} while line {lines[0]} writes it, in an undefined order.",
            "No work-item may read what another group writes: a barrier orders only work-items of one group.",
        )
    return words._replace(places=tuple(heard.place(each, array) for each in entities))


def _race_of_updates(heard: Heard, array: str, lines: Sequence[int]) -> Words | None:
    """Explain a race in which two work-items update one element in one line. Returns None for other races."""
    scene, line = heard.scene, lines[0]
    update = update_in(line, array, scene) if {*lines} == {line} else None
    if update is None or any(scene.is_beyond(each.global_id) for each in heard.entities):
        return None
    is_local = oclgrind.is_local(heard.message)
    is_same = CONSTANT.fullmatch(update.index) is not None or line in stored_by_all(heard.seen)
    if scene.is_in_a_lock(lines):
        cause = LOCK
    elif is_same:
        cause = OWN_ELEMENT if is_local else SAME_IN_ALL_GROUPS
    else:
        cause = advice_on(update, heard.seen.kernel, line, array, scene) or SAME_INDEX
    return Words(f"line {line}: two work-items {update.in_words.format(quoted(array))}.", cause)


def _race_of_writes(heard: Heard, array: str, lines: Sequence[int]) -> Words:
    """Explain a race in which two work-items write one element."""
    scene, message = heard.scene, heard.message
    where = f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]} and {lines[1]}"
    same = f"{where}: two work-items write the same element of {quoted(array)}"
    what = f"{same}, so the result depends on which one is last."
    beyond = next((each for each in heard.entities if scene.is_beyond(each.global_id)), None)
    if beyond:
        item = capital(scene.item(beyond.global_id))
        wraps = "Compare its coordinates with the size of the image." if scene.is_image(array) else NEXT_ROW
        return Words(what, f"{item} lies beyond the edge and must not store. {wraps}")
    if scene.is_in_a_lock(lines):
        return Words(f"{same}, in an undefined order.", LOCK)
    if oclgrind.is_local(message) and (words := unparted(what, array, lines, heard.seen, scene)):
        return words
    if all(map(CONSTANT.fullmatch, {scene.index_in(line, array) for line in lines})):
        return Words(what, SAME_IN_A_GROUP if oclgrind.is_local(message) else SAME_IN_ALL_GROUPS)
    return Words(what, from_earlier_kernels(heard, array, lines) or _let_through(heard, lines) or SAME_INDEX)


def _let_through(heard: Heard, lines: Sequence[int]) -> str:
    """The next step if conditions choose the work-items that write by an equality, as in `if (r == 0)`; "" if no
    condition does.
    """
    kernel, scene = heard.seen.kernel, heard.scene
    tests = {each for line in lines for each in guards(scene.expanded, kernel, line) if "==" in scene.text(each)}
    if not tests:
        return ""
    let = "condition in {} lets" if len(tests) == 1 else "conditions in {} let"
    return LET_THROUGH.format(let.format(lines_in_words(tests)))


def from_earlier_kernels(heard: Heard, array: str, lines: Sequence[int]) -> str:
    """The next step if indexes in these lines depend on an array that an earlier kernel has written, or "" if they do
    not.
    """
    kernel, source = heard.seen.kernel, heard.scene.expanded
    behind = {name for line in lines for name in arrays_behind(source, kernel, line, array)}
    for launch in reversed(heard.before):
        for name in sorted(behind):
            called = called_in(launch, heard.seen, name)
            written = writers(called, GLOBAL, launch)
            if written and not writers(name, GLOBAL, heard.seen):
                return FROM_EARLIER.format(name, launch.kernel, called, lines_in_words(written))
    return ""


def from_own_arrays(heard: Heard, array: str, line: int) -> str:
    """The next step if the index in a line depends on an array that the kernel itself computes, or "" if it does not,
    or if many lines compute it.
    """
    kernel, scene = heard.seen.kernel, heard.scene
    buffers = {each.name for each in heard.seen.arrays if each.space == GLOBAL}
    for name in sorted(arrays_behind(scene.expanded, kernel, line, array) - buffers):
        computed = store_lines(scene.expanded, kernel, name)
        if 1 <= len(computed) <= FEW and line not in computed:
            return FROM_OWN.format(name, lines_in_words(computed))
    return ""


FROM_OWN = "The index depends on values of `{}`. First check how they are computed in {}."
FROM_EARLIER = "The index depends on values of `{}`. First check how {} computes `{}` in {}."
LET_THROUGH = "The {} both work-items write, and their indexes are equal. Check the condition and the index."
SAME_IN_A_GROUP = "The index is the same for all work-items. Let one of them write, or give each its own element."
SAME_IN_ALL_GROUPS = "The index is the same for all groups. Give each group its own element, by get_group_id."

CONSTANT = re.compile(r"(?:\[\(*(?:0[xX][\da-fA-F]+|\d+)[uUlL]*\)*\])+")
"""Pattern of an index that is a constant number."""

SAME_INDEX = "Both work-items compute the same index. Check the ids and the row length in this index."


CHANGE = re.compile(r"\s*(?:(?P<step>\+\+|--)|(?P<sign>[-+|&^]?)=(?!=)\s*(?P<value>[^;]*))")
"""Pattern of the text that follows an element in a statement that changes it."""

ATOMIC = {"+": "atomic_add", "-": "atomic_sub", "|": "atomic_or", "&": "atomic_and", "^": "atomic_xor"}

WORDS = frozenset({"int", "uint", "unsigned", "int32_t", "uint32_t"})
"""Types for which OpenCL 1.2 provides these atomic functions."""


@dataclass(frozen=True, kw_only=True)
class Update:
    """A statement that adds a value to an element, or changes the element by another operator."""

    element: str
    sign: str
    value: str

    @property
    def index(self) -> str:
        """The index of the element, with its brackets."""
        return self.element[self.element.index("[") :]

    @property
    def in_words(self) -> str:
        """A description of the race between two work-items, with a placeholder for the name of the array."""
        if self.sign == "+":
            return "add to the same element of {} at the same time, so an addition can be lost"
        return "change the same element of {} at the same time, so a change can be lost"

    @property
    def atomic(self) -> str:
        """The call of the atomic function that performs this update."""
        return f"{ATOMIC[self.sign]}(&{self.element}, {self.value})"


def update_in(line: int, array: str, scene: Scene) -> Update | None:
    """The statement in a line that updates an element of an array and does not use another element of the array, or
    None if the line does not contain such a statement.
    """
    text = scene.text(line).partition("//")[0]
    begins = re.search(rf"\b{re.escape(array)}\s*\[", text)
    end = _end_of_element(text, begins.end() - 1) if begins else 0
    change = CHANGE.match(text, end) if end else None
    if begins is None or change is None:
        return None
    element = text[begins.start() : end]
    if change["step"]:
        return Update(element=element, sign=change["step"][0], value="1")
    sign, value = change["sign"], change["value"].strip()
    if not sign and value.startswith(element):
        rest = value.removeprefix(element).lstrip()
        sign, value = rest[:1], rest[1:].strip()
    is_other = re.search(rf"\b{re.escape(array)}\b", value) is not None
    return None if sign not in ATOMIC or is_other or not value else Update(element=element, sign=sign, value=value)


def _end_of_element(text: str, opening: int) -> int:
    """The position after the indexes that begin at this bracket, or 0 if they do not end in this line."""
    depth = 0
    for place in range(opening, len(text)):
        depth += {"[": 1, "]": -1}.get(text[place], 0)
        if not depth and not text[place + 1 :].lstrip().startswith("["):
            return place + 1
    return 0


def advice_on(update: Update, kernel: str, line: int, array: str, scene: Scene) -> str:
    """The next step if the index of the updated element depends on elements of other arrays. Otherwise, returns "",
    because the index itself may be wrong.
    """
    if not arrays_behind(scene.expanded or scene.source, kernel, line, array):
        return ""
    types = scene.element_types(array)
    if types and types <= WORDS:
        return f"Write {update.atomic} instead."
    return "The atomic functions of OpenCL 1.2 can add only int and uint. Let only one work-item add to each element."
