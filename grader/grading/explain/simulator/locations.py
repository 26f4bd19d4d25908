"""Names the places in a launch: work-items, groups, lines of the source."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LOOP = re.compile(r"\b(?:for|while|do)\b")
BARRIER = re.compile(r"\bbarrier\s*\(")


def loops(source: str) -> Iterator[range]:
    """The lines of each loop that is written as one, from its head to its end."""
    code = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), source)
    closing = _closing(code)
    for found in LOOP.finditer(code):
        end = _end(code, found.end(), closing)
        yield range(code.count("\n", 0, found.start()) + 1, code.count("\n", 0, end) + 2)


def _closing(code: str) -> dict[int, int]:
    """Where each bracket that is opened is closed again."""
    opened: list[int] = []
    closing = {}
    for place, sign in enumerate(code):
        if sign in "({":
            opened.append(place)
        elif sign in ")}" and opened:
            closing[opened.pop()] = place
    return closing


def _end(code: str, place: int, closing: dict[int, int]) -> int:
    """The end of the statement that goes on here, behind the brackets of its head: of a block, or at a semicolon."""
    while place < len(code):
        if code[place] == "{":
            return closing.get(place, len(code) - 1)
        if code[place] == ";":
            return place
        place = closing.get(place, place) + 1
    return len(code) - 1


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a launch was: the source, the dimensions of its ids, and how far work-items have something to do in each
    dimension (None where nothing is said about that).
    """

    source: str
    dimensions: int
    extent: tuple[int, ...] | None

    def text(self, line: int) -> str:
        """The line as it was written."""
        return self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""

    def has_barrier(self, after: int, before: int) -> bool:
        """Whether the source has a barrier between these two lines."""
        place = bisect_left(self._barriers, after + 1)
        return place < len(self._barriers) and self._barriers[place] < before

    def loop_around(self, lines: Collection[int]) -> range | None:
        """The lines of the innermost loop that holds all of these; None if there is none in the same function."""
        around = [loop for loop in self._loops if all(line in loop for line in lines)]
        return min(around, key=len, default=None)

    def has_barrier_in(self, lines: range) -> bool:
        """Whether a barrier stands in one of these lines."""
        return any(line in lines for line in self._barriers)

    def is_loop(self, line: int) -> bool:
        """Whether a loop is written in the line, outside of a comment at its end."""
        return LOOP.search(self.text(line).partition("//")[0]) is not None

    def item(self, ids: tuple[int, ...]) -> str:
        """For example "work-item (3, 0)"."""
        return f"work-item {self._ids(ids)}"

    def group(self, ids: tuple[int, ...]) -> str:
        """For example "group 2"."""
        return f"group {self._ids(ids)}"

    def is_beyond(self, ids: tuple[int, ...]) -> bool:
        """Whether a work-item with these global ids has nothing of its own to do."""
        return self.extent is not None and any(i >= end for i, end in zip(ids, self.extent, strict=False))

    @cached_property
    def _lines(self) -> list[str]:
        return self.source.split("\n")

    @cached_property
    def _loops(self) -> list[range]:
        return list(loops(self.source))

    @cached_property
    def _barriers(self) -> list[int]:
        return [number for number, line in enumerate(self._lines, start=1) if BARRIER.search(line)]

    def _ids(self, ids: tuple[int, ...]) -> str:
        shown = ids[: self.dimensions]
        return str(shown[0]) if len(shown) == 1 else str(shown)
