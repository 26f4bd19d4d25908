"""Loops of a source text, found by their brackets."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

NO_CODE = re.compile(r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""", re.DOTALL)
"""Pattern of a comment, a string or a character constant. A quote that is not closed extends to the end of the line."""

NO_BREAK = re.compile(r"[^\n]")
SIGN = re.compile(r"[(){};]|\b(?:for|while|do)\b")
LOOP = re.compile(r"\b(?:for|while|do)\b")


def loops(source: str) -> Iterator[range]:
    """Yield the lines of each loop statement, from its head to its end. One pass is enough for any text."""
    code = code_of(source)
    signs = list(SIGN.finditer(code))
    closing = _closing([sign[0] for sign in signs])
    ends_of_lines = line_ends(code)
    ends: dict[int, int] = {}
    for number in reversed(range(len(signs))):
        if LOOP.match(signs[number][0]):
            ends[number] = _end(number, signs, closing, ends)
            last = signs[ends[number]].start() if ends[number] < len(signs) else len(code)
            yield range(line_of(signs[number].start(), ends_of_lines), line_of(last, ends_of_lines) + 1)


def line_ends(text: str) -> list[int]:
    """The places of the line breaks, for `line_of`."""
    return [found.start() for found in re.finditer("\n", text)]


def line_of(place: int, ends: Sequence[int]) -> int:
    """The line that contains a place of a text with these line breaks. It is found in logarithmic time."""
    return bisect_left(ends, place) + 1


def code_of(source: str) -> str:
    """The text with blanks in place of comments, strings and character constants, so that all code keeps its
    position.
    """
    return NO_CODE.sub(lambda found: NO_BREAK.sub(" ", found[0]), source)


def _closing(signs: Sequence[str]) -> dict[int, int]:
    """Map each opening bracket to its closing bracket, both as numbers of signs."""
    opened: list[int] = []
    closing = {}
    for number, sign in enumerate(signs):
        if sign in "({":
            opened.append(number)
        elif sign in ")}" and opened:
            closing[opened.pop()] = number
    return closing


def _end(loop: int, signs: Sequence[re.Match[str]], closing: dict[int, int], ends: dict[int, int]) -> int:
    """Number of the sign that ends a loop: the end of its block, a semicolon, or the end of an inner loop."""
    number = loop + 1
    while number < len(signs):
        if number in ends:
            return ends[number]
        if signs[number][0] == "{":
            return closing.get(number, len(signs))
        if signs[number][0] == ";":
            return number
        number = closing.get(number, number) + 1
    return number
