"""Finds the arrays whose elements an index is computed from."""

from collections.abc import Iterator

from grader.grading.source.outline import Outline, Region
from grader.grading.source.reading import outline

ASSIGNED = frozenset({"value", "statement"})
"""Roles of the expressions that assign a value to a variable."""


def arrays_behind(source: str, kernel: str, line: int, array: str) -> frozenset[str]:
    """The arrays whose elements determine the indexes of `array` in a line, directly or through variables. Macros in
    the text must already be expanded. The result is empty if the text cannot be parsed.
    """
    seen = outline(source, [kernel])
    if seen is None:
        return frozenset()
    found: set[str] = set()
    known: set[str] = {array}
    waiting = [number for span in _indexes(seen, line, array) for number in range(*span)]
    while waiting:
        number = waiting.pop()
        token = seen.code[number]
        if token.kind != "name":
            continue
        if seen.code[number + 1].text == "[":
            found.add(token.text)
        elif token.text not in known:
            known.add(token.text)
            waiting += [each for region in _definitions(seen, number) for each in range(region.first, region.last)]
    return frozenset(found)


def _indexes(seen: Outline, line: int, array: str) -> Iterator[tuple[int, int]]:
    """Yield the range of tokens of each index of an array in a line. The expressions that set a pointer into the array
    also determine its indexes.
    """
    for number, token in enumerate(seen.code[:-1]):
        if token.line != line or token.kind != "name" or seen.code[number + 1].text != "[":
            continue
        pointed = [] if token.text == array else pointers(seen, number, array)
        if token.text == array or pointed:
            yield from pointed
            opening = number + 1
            while opening < len(seen.code) and seen.code[opening].text == "[":
                yield opening + 1, seen.pairs[opening]
                opening = seen.pairs[opening] + 1


def pointers(seen: Outline, place: int, array: str) -> list[tuple[int, int]]:
    """The expressions that let the variable at this token point into an array."""
    found = _definitions(seen, place)
    values = (each for each in found if each.role == "value" or seen.code[each.first + 1].text != "[")
    return [(each.first, each.last) for each in values if _has_address(seen, each, array)]


def _has_address(seen: Outline, region: Region, array: str) -> bool:
    """True if an expression contains the address of an array or of a row of it, or `&` and an element."""
    subscripts = next((each.subscripts for each in region.visible if each.name == array), 1)
    places = (number for number in range(region.first, region.last) if seen.code[number].text == array)
    return any(seen.code[each - 1].text == "&" or _indexes_after(seen, each) < subscripts for each in places)


def _indexes_after(seen: Outline, place: int) -> int:
    """The number of indexes that follow a name."""
    number, opening = 0, place + 1
    while opening < len(seen.code) and seen.code[opening].text == "[":
        number, opening = number + 1, seen.pairs[opening] + 1
    return number


def _definitions(seen: Outline, place: int) -> Iterator[Region]:
    """Yield the expressions that assign a value to the variable at this token, within the function that contains the
    token.
    """
    name = seen.code[place].text
    for function in seen.functions:
        begin, end = function.body
        if begin < place < end:
            inside = (each for each in seen.regions if begin < each.first < end)
            yield from (each for each in inside if each.target == name and each.role in ASSIGNED)
