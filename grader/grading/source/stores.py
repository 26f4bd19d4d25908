"""Finds the stores in the text of a function, including those that no work-item reaches."""

import re
from collections.abc import Iterator

from grader.grading.source.origins import pointers
from grader.grading.source.outline import Function, Outline, outside
from grader.grading.source.reading import outline
from grader.grading.source.values import ASSIGNMENTS

IMAGE = re.compile(r"write_image(?:f|i|ui)")
VECTOR = re.compile(r"vstore(?:_half)?(?:2|3|4|8|16)?")


def store_lines(source: str, function: str, array: str) -> tuple[int, ...]:
    """The lines in which the text of a function stores to an array. Macros in the text must already be expanded. The
    result is empty if the text cannot be parsed.
    """
    seen = outline(source, [function])
    if seen is None:
        return ()
    places = (place for each in seen.functions if each.name == function for place in stores(seen, each, array))
    return tuple(sorted({seen.code[place].line for place in places}))


def stores(seen: Outline, function: Function, array: str) -> list[int]:
    """The tokens at which a function's own text stores to an array, by its name or through a pointer into it."""
    return [each for each in targets(seen, function) if seen.code[each].text == array or pointers(seen, each, array)]


def targets(seen: Outline, function: Function) -> Iterator[int]:
    """Yield the names of the arrays, pointers and images to which a function's own text stores, as tokens."""
    code = seen.code
    for place in range(*function.body):
        if code[place].kind != "name":
            continue
        if code[place + 1].text == "[" and _is_assigned(seen, place + 1):
            yield place
        elif code[place + 1].text == "(" and IMAGE.fullmatch(code[place].text):
            yield place + 2
        elif code[place + 1].text == "(" and VECTOR.fullmatch(code[place].text):
            yield from _destination(seen, place + 1)


def _is_assigned(seen: Outline, place: int) -> bool:
    """True if an assignment sign follows the indexes and members that begin here. An initial value in braces does
    not count, because it belongs to a declaration.
    """
    while seen.code[place].text in {"[", "."}:
        place = seen.pairs[place] + 1 if seen.code[place].text == "[" else place + 2
    return seen.code[place].text in ASSIGNMENTS and seen.code[place + 1].text != "{"


def _destination(seen: Outline, opening: int) -> Iterator[int]:
    """Yield the first name in the last argument of a call."""
    closing = seen.pairs[opening]
    commas = [each for each in outside(seen.pairs, opening + 1, closing) if seen.code[each].text == ","]
    last = range(max(commas, default=opening) + 1, closing)
    yield from [each for each in last if seen.code[each].kind == "name"][:1]
