"""Finds the stores of a kernel to an array, including those that no work-item reaches."""

import re

from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.source.origins import pointers
from grader.grading.source.values import ASSIGNMENTS

IMAGE = re.compile(r"write_image(?:f|i|ui)")
VECTOR = re.compile(r"vstore(?:_half)?(?:2|3|4|8|16)?")


def stores(launch: SimulatedLaunch, array: str) -> list[int]:
    """The tokens at which a kernel's own text stores to an array: by an assignment, through a pointer into the array,
    by vstore, or to a pixel of an image.
    """
    code = launch.text.outline.code
    names = [each for each in range(*launch.text.function.body) if code[each].kind == "name"]
    return [each for each in names if _is_store(launch, each, array)]


def _is_store(launch: SimulatedLaunch, place: int, array: str) -> bool:
    """True if the text stores at this name, which is the array, a pointer into it, or a function that stores."""
    outline = launch.text.outline
    after = outline.code[place + 1].text
    if after == "[":
        return _is_assigned(launch, place + 1) and _is_into(launch, place, array)
    if after != "(":
        return False
    if IMAGE.fullmatch(outline.code[place].text):
        return outline.code[place + 2].text == array
    if VECTOR.fullmatch(outline.code[place].text):
        *_, last = launch.values.split((place + 2, outline.pairs[place + 1]), ",")
        first = next((each for each in range(*last) if outline.code[each].kind == "name"), None)
        return first is not None and _is_into(launch, first, array)
    return False


def _is_assigned(launch: SimulatedLaunch, place: int) -> bool:
    """True if an assignment sign follows the indexes and members that begin here."""
    outline = launch.text.outline
    while outline.code[place].text in {"[", "."}:
        place = outline.pairs[place] + 1 if outline.code[place].text == "[" else place + 2
    return outline.code[place].text in ASSIGNMENTS


def _is_into(launch: SimulatedLaunch, place: int, array: str) -> bool:
    """True if a name is the array or a pointer into it."""
    return launch.text.outline.code[place].text == array or bool(pointers(launch.text.outline, place, array))
