"""Locates places in a launch: work-items, groups, and lines of the source."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from grader.course.elements import BY_NAME
from grader.grading.explain.simulator.loops import LOOP, SIGN
from grader.grading.explain.simulator.searched_text import SearchedText, searched

STEPS_OF_A_WARP = frozenset({"1", "2", "4", "8", "16"})
"""Distances in the steps of a tree within 32 work-items."""

SEVERAL_STEPS = 3
"""Minimum number of different distances that identify such steps. A stencil has fewer."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The context of a launch. `source` is the text, and `expanded` is the text after macro expansion, with the same
    lines. `dimensions` is the number of dimensions of its ids. `extent` is the number of work-items that have work, in
    each dimension; None if it is unknown.
    """

    source: str
    dimensions: int
    extent: tuple[int, ...] | None
    expanded: str = ""

    def text(self, line: int) -> str:
        """The line as the student wrote it, without surrounding blanks."""
        lines = self._text.lines
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    @property
    def is_too_long(self) -> bool:
        """True if the text is too long to be searched. Then all searches find nothing."""
        return self._text.is_too_long

    def element_types(self, array: str) -> frozenset[str]:
        """The types of an array's elements in its declarations, which may be in several kernels."""
        return frozenset(self._text.declarations.types.get(array, frozenset()) & BY_NAME.keys())

    def element_bytes(self, array: str) -> int | None:
        """The size of an array's elements, or None if their type is unknown or ambiguous."""
        sizes = {BY_NAME[name].bytes for name in self.element_types(array)}
        return sizes.pop() if len(sizes) == 1 else None

    def declared_in(self, array: str) -> int | None:
        """The line that declares an array with its length, as in `float a[16]`, or None unless exactly one
        line does.
        """
        lines = self._text.declarations.sized.get(array, frozenset())
        return next(iter(lines)) if len(lines) == 1 else None

    def is_image(self, name: str) -> bool:
        """True if a parameter with this name is an image."""
        return self._text.declarations.is_image(name)

    def has_barrier(self, after: int, before: int) -> bool:
        """True if the source contains a barrier for local memory between these two lines."""
        return self.has_barrier_in(range(after + 1, before))

    def loop_around(self, lines: Collection[int]) -> range | None:
        """The lines of the innermost loop that contains all of these lines. None if no loop contains them, for example
        because they are in different functions.
        """
        return min(self._loops_around(min(lines), max(lines)), key=len, default=None)

    def loop_outside(self, lines: range) -> range | None:
        """The innermost loop that contains all of these lines and at least one more, or None without such a loop."""
        around = self._loops_around(lines[0], lines[-1])
        return min((loop for loop in around if loop != lines), key=len, default=None)

    def _loops_around(self, first: int, last: int) -> list[range]:
        return [loop for loop in self._text.loops if loop.start <= first and last < loop.stop]

    def end_of_loops(self, line: int, other: int) -> int:
        """The last line of the loops that contain a line but not the other one; the line itself without such loops."""
        return max([line, *(loop.stop - 1 for loop in self._text.loops if line in loop and other not in loop)])

    def is_without_braces(self, loop: range) -> bool:
        """True if the body of the loop in these lines is one statement without braces."""
        code = "\n".join(self._text.code[loop.start - 1 : loop.stop - 1])
        head = LOOP.search(code)
        depth = 0
        for sign in SIGN.finditer(code, head.end() if head else 0):
            depth += {"(": 1, ")": -1}.get(sign[0], 0)
            if sign[0] == ")" and not depth:
                return not code[sign.end() :].lstrip().startswith("{")
        return False

    def has_barrier_in(self, lines: range) -> bool:
        """True if one of these lines contains a barrier for local memory."""
        barriers = self._text.barriers
        place = bisect_left(barriers, lines.start)
        return place < len(barriers) and barriers[place] < lines.stop

    def global_barrier_in(self, lines: Iterable[range]) -> int | None:
        """The first of these lines with a barrier that orders only global memory; None if there is none."""
        return next((line for some in lines for line in self._text.global_barriers if line in some), None)

    def fence_in(self, lines: Iterable[range]) -> tuple[int, str] | None:
        """The first of these lines with a memory fence that is not a barrier, and the name of the fence; None if there
        is none.
        """
        return next((each for some in lines for each in self._text.memory_fences if each[0] in some), None)

    def is_in_a_lock(self, lines: Collection[int]) -> bool:
        """True if these lines are protected by a lock. In this case a condition above them exchanges a word to take the
        lock, and a line below them exchanges a word to release it.
        """
        exchanges = self._text.exchanges
        taken = any(each.decides and each.line <= min(lines) for each in exchanges)
        return taken and any(not each.decides and each.line >= max(lines) for each in exchanges)

    def is_loop(self, line: int) -> bool:
        """True if the line contains the head of a loop, not counting a comment at its end."""
        return LOOP.search(self.text(line).partition("//")[0]) is not None

    def index_in(self, line: int, array: str) -> str:
        """The first index of an array in a line, without spaces, such as "[y][x+1]"; "" if the line does not index
        it.
        """
        found = re.search(rf"\b{re.escape(array)}\s*((?:\[[^][]*\]\s*)+)", self.text(line))
        return re.sub(r"\s", "", found[1]) if found else ""

    def is_warp_synchronous(self, array: str, lines: Collection[int]) -> bool:
        """True if these lines are steps within a warp that leave out barriers on purpose. Either they use a neighbour's
        element of a volatile array, or the lines around them, up to the next barriers, have constant distances.
        """
        first, last = min(lines), max(lines)
        steps = self._text.steps.get(array, ())
        if self.has_barrier(first, last) or all(each.line not in lines for each in steps):
            return False
        barriers = self._text.barriers
        place = bisect_left(barriers, first)
        above = barriers[place - 1] if place else 0
        below = next((line for line in barriers[place:] if line > last), len(self._text.code) + 1)
        distances = {each.distance for each in steps if above < each.line < below} & STEPS_OF_A_WARP
        return array in self._text.declarations.volatile or len(distances) >= SEVERAL_STEPS

    def copies_of(self, array: str) -> tuple[int, ...]:
        """The lines in which a group copies from or to an array."""
        return tuple(self._text.copied.get(array, ()))

    def copies_outside(self, array: str, arrays: Collection[str], *, writes: bool) -> tuple[int, ...]:
        """The lines of the copies that may write or read outside an array. If no copy mentions the array, these are the
        lines of the copies that do not mention any of `arrays`, because they use a pointer.
        """
        sides = [
            (each.line, each.arguments[0 if writes else 1]) for each in self._text.copies if len(each.arguments) > 1
        ]
        named = tuple(line for line, side in sides if array in side)
        return named or tuple(line for line, side in sides if side.isdisjoint(arrays))

    @property
    def copies(self) -> tuple[int, ...]:
        """The lines of all copies by a group."""
        return tuple(each.line for each in self._text.copies)

    def item(self, ids: tuple[int, ...]) -> str:
        """Describe a work-item by its global ids, as in "work-item (3, 0)"."""
        return f"work-item {self._ids(ids)}"

    def group(self, ids: tuple[int, ...]) -> str:
        """Describe a work-group by its ids, as in "group 2"."""
        return f"group {self._ids(ids)}"

    def is_beyond(self, ids: tuple[int, ...]) -> bool:
        """True if a work-item with these global ids is beyond the extent, so that it does not have work."""
        return self.extent is not None and any(i >= end for i, end in zip(ids, self.extent, strict=False))

    @property
    def _text(self) -> SearchedText:
        return searched(self.source, self.expanded or self.source)

    def _ids(self, ids: tuple[int, ...]) -> str:
        shown = ids[: self.dimensions]
        return str(shown[0]) if len(shown) == 1 else str(shown)
