"""Explains races of work-items that update one element without an atomic function, as in `counts[x[i]] += 1`."""

import re
from dataclasses import dataclass

from grader.grading.explain.simulator.locations import Scene
from grader.grading.source.origins import arrays_behind

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
