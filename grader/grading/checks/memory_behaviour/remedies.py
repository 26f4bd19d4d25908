"""Adapts advice on memory behaviour to the source: replaces advice that the source rules out or already follows."""

import re
from functools import lru_cache

from grader.grading.checks.memory_behaviour.reading import Reading
from grader.grading.explain.simulator.loops import loops
from grader.grading.source.outline import Variable
from grader.grading.source.reading import outline

VECTOR = re.compile(r"[A-Za-z_]+(?:2|3|4|8|16)")
"""Pattern of the name of a vector type."""

HALVES = re.compile(r"/=\s*2|>>=\s*1|\*=\s*2|<<=\s*1")
"""Pattern of the step of a loop that adds in a tree."""

ADD_MORE = "This work is already a tree. Before the tree, let each work-item add several words in a variable."

SIDE_BY_SIDE = (
    "This tree uses work-items that are far apart. Let the first half of the work-items add, then the first "
    "quarter, and so on."
)


def fitted(reading: Reading, source: str) -> str:
    """The help of a reading, adapted to the source. If the source is empty, the help is unchanged."""
    if not source:
        return reading.help
    if reading.lengthens and not _can_be_longer(reading.lengthens, source):
        return (
            f"Work-items that are neighbours in get_local_id(0) should use neighbouring words of {reading.lengthens}."
        )
    tree = _tree_around(reading.tree_for, source) if reading.tree_for else ""
    if tree:
        return SIDE_BY_SIDE if "%" in tree else ADD_MORE
    return reading.help


def _can_be_longer(array: str, source: str) -> bool:
    """True if a kernel declares the array with a constant size, and its elements are not vectors. The size of a
    parameter comes from the host, and a longer row of vectors does not help because words of one vector do not
    conflict.
    """
    declared = [each for each in _variables(source) if each.name == array]
    return bool(declared) and all(each.is_array and not VECTOR.fullmatch(each.type) for each in declared)


@lru_cache(maxsize=4)
def _variables(source: str) -> frozenset[Variable]:
    """The variables of all functions in a text; empty if the text cannot be parsed."""
    seen = outline(source, [])
    if seen is None:
        return frozenset()
    read = outline(source, [each.name for each in seen.functions])
    return frozenset(variable for region in (read.regions if read else ()) for variable in region.visible)


def _tree_around(line: int, source: str) -> str:
    """The text of the innermost loop around a line if its step halves or doubles a variable; otherwise ""."""
    around = [each for each in loops(source) if line in each]
    inner = min(around, key=len, default=None)
    lines = source.split("\n")
    if inner is None or not HALVES.search(lines[inner.start - 1]):
        return ""
    return "\n".join(lines[inner.start - 1 : inner.stop - 1])
