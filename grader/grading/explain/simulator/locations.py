"""Locates places in a launch: work-items, groups, and lines of the source."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.course.elements import BY_NAME

COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
SIGN = re.compile(r"[(){};]|\b(?:for|while|do)\b")
LOOP = re.compile(r"\b(?:for|while|do)\b")
BARRIER = re.compile(r"\b(?:work_group_)?barrier\s*\(")
FENCE = re.compile(r"\b((?:read_|write_)?mem_fence)\s*\(")
"""Pattern of a function that orders the accesses of one work-item without waiting for others."""

COPY = re.compile(r"\basync_work_group_(?:strided_)?copy\s*\(([^;]{0,500})")
"""Pattern of a copy by all work-items of a group together, with its arguments."""

EXCHANGE = re.compile(r"\batom(?:ic)?_(?:cmp)?xchg\s*\(")
"""Pattern of an atomic function with which locks are built."""

EXCHANGE_IN_CONDITION = re.compile(rf"\b(?:if|while)\b.*{EXCHANGE.pattern}")

STEPS_OF_A_WARP = frozenset({"1", "2", "4", "8", "16"})
"""Distances in the steps of a tree within 32 work-items."""

SEVERAL_STEPS = 3
"""Minimum number of different distances that identify such steps. A stencil has fewer."""

DECLARED_TYPE = re.compile(r"(\w+)[\s*]+(?:(?:restrict|__restrict|const|volatile)[\s*]+)*\Z")
"""Pattern of the type in front of a declared name, such as `float *restrict `."""

KEYWORDS = frozenset({"return", "else", "case", "sizeof"})
"""Words that may precede a name but are not types."""

DECLARATION_CHARACTERS = 100
"""Maximum length of the text before a name that is searched for its type."""


def loops(source: str) -> Iterator[range]:
    """Yield the lines of each loop statement, from its head to its end. One pass is enough for any text."""
    code = _without_comments(source)
    signs = list(SIGN.finditer(code))
    closing = _closing([sign[0] for sign in signs])
    line_ends = [found.start() for found in re.finditer("\n", code)]
    ends: dict[int, int] = {}
    for number in reversed(range(len(signs))):
        if LOOP.match(signs[number][0]):
            ends[number] = _end(number, signs, closing, ends)
            last = signs[ends[number]].start() if ends[number] < len(signs) else len(code)
            yield range(bisect_left(line_ends, signs[number].start()) + 1, bisect_left(line_ends, last) + 2)


def _without_comments(source: str) -> str:
    """The text with its comments replaced by blanks, so that all code keeps its position."""
    return COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), source)


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


def _names(text: str, array: str) -> bool:
    return re.search(rf"\b{re.escape(array)}\b", text) is not None


def _arguments(text: str) -> tuple[str, ...]:
    """The arguments of a call, from the text after its opening bracket."""
    found, begin, depth = [], 0, 0
    for place, sign in enumerate(text):
        if depth == 0 and sign in ",)":
            found.append(text[begin:place])
            begin = place + 1
            if sign == ")":
                break
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(sign, 0)
    return tuple(found)


def _is_global_only(fences: str) -> bool:
    return "CLK_GLOBAL_MEM_FENCE" in fences and "CLK_LOCAL_MEM_FENCE" not in fences


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
        return self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""

    def element_types(self, array: str) -> frozenset[str]:
        """The types of an array's elements in its declarations, which may be in several kernels."""
        code = self.expanded or self.source
        types = set()
        for found in re.finditer(rf"\b{re.escape(array)}\b", code):
            declared = DECLARED_TYPE.search(code, max(0, found.start() - DECLARATION_CHARACTERS), found.start())
            if declared and declared[1] in BY_NAME:
                types.add(declared[1])
        return frozenset(types)

    def element_bytes(self, array: str) -> int | None:
        """The size of an array's elements, or None if their type is unknown or ambiguous."""
        sizes = {BY_NAME[name].bytes for name in self.element_types(array)}
        return sizes.pop() if len(sizes) == 1 else None

    def declared_in(self, array: str) -> int | None:
        """The line that declares an array with its length, as in `float a[16]`, or None unless exactly one
        line does.
        """
        code = _without_comments(self.expanded or self.source)
        lines = set()
        for found in re.finditer(rf"\b{re.escape(array)}\s*\[", code):
            declared = DECLARED_TYPE.search(code, max(0, found.start() - DECLARATION_CHARACTERS), found.start())
            if declared and declared[1] not in KEYWORDS and not declared[1].isdigit():
                lines.add(code.count("\n", 0, found.start()) + 1)
        return lines.pop() if len(lines) == 1 else None

    def is_image(self, name: str) -> bool:
        """True if a parameter with this name is an image."""
        return re.search(rf"\bimage[123]d_t\s+{re.escape(name)}\b", self.expanded or self.source) is not None

    def has_barrier(self, after: int, before: int) -> bool:
        """True if the source contains a barrier for local memory between these two lines."""
        return self.has_barrier_in(range(after + 1, before))

    def loop_around(self, lines: Collection[int]) -> range | None:
        """The lines of the innermost loop that contains all of these lines. None if no loop contains them, for example
        because they are in different functions.
        """
        around = [loop for loop in self._loops if all(line in loop for line in lines)]
        return min(around, key=len, default=None)

    def end_of_loops(self, line: int, other: int) -> int:
        """The last line of the loops that contain a line but not the other one; the line itself without such loops."""
        return max([line, *(loop.stop - 1 for loop in self._loops if line in loop and other not in loop)])

    def is_without_braces(self, loop: range) -> bool:
        """True if the body of the loop in these lines is one statement without braces."""
        code = "\n".join(self._code[loop.start - 1 : loop.stop - 1])
        head = LOOP.search(code)
        depth = 0
        for sign in SIGN.finditer(code, head.end() if head else 0):
            depth += {"(": 1, ")": -1}.get(sign[0], 0)
            if sign[0] == ")" and not depth:
                return not code[sign.end() :].lstrip().startswith("{")
        return False

    def has_barrier_in(self, lines: range) -> bool:
        """True if one of these lines contains a barrier for local memory."""
        place = bisect_left(self._barriers, lines.start)
        return place < len(self._barriers) and self._barriers[place] < lines.stop

    def global_barrier_in(self, lines: Iterable[range]) -> int | None:
        """The first of these lines with a barrier that orders only global memory; None if there is none."""
        return next((line for some in lines for line in self._global_barriers if line in some), None)

    def fence_in(self, lines: Iterable[range]) -> tuple[int, str] | None:
        """The first of these lines with a memory fence that is not a barrier, and the name of the fence; None if there
        is none.
        """
        return next((each for some in lines for each in self._memory_fences if each[0] in some), None)

    def is_in_a_lock(self, lines: Collection[int]) -> bool:
        """True if these lines are protected by a lock. In this case a condition above them exchanges a word to take the
        lock, and a line below them exchanges a word to release it.
        """
        taken = any(line <= min(lines) and self._decides(line) for line in self._exchanges)
        return taken and any(line >= max(lines) for line in self._exchanges if not self._decides(line))

    def _decides(self, line: int) -> bool:
        """True if a condition in this line exchanges a word atomically."""
        return EXCHANGE_IN_CONDITION.search(self._code[line - 1]) is not None

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
        distance = re.compile(rf"\b{re.escape(array)}\s*\[[^][;]*?[-+]\s*(\w+)[^][;+-]*\]")
        if self.has_barrier(first, last) or not any(distance.search(self._code[line - 1]) for line in lines):
            return False
        place = bisect_left(self._barriers, first)
        above = self._barriers[place - 1] if place else 0
        below = next((line for line in self._barriers if line > last), len(self._code) + 1)
        around = "\n".join(self._code[above : below - 1])
        steps = {found[1].rstrip("uU") for found in distance.finditer(around)} & STEPS_OF_A_WARP
        is_volatile = re.search(rf"\bvolatile\b[^;(){{}},]*\b{re.escape(array)}\b", "\n".join(self._code)) is not None
        return is_volatile or len(steps) >= SEVERAL_STEPS

    def copies_of(self, array: str) -> tuple[int, ...]:
        """The lines in which a group copies from or to an array."""
        return tuple(line for line, given in self._copies if _names(",".join(given), array))

    def copies_outside(self, array: str, arrays: Collection[str], *, writes: bool) -> tuple[int, ...]:
        """The lines of the copies that may write or read outside an array. If no copy mentions the array, these are the
        lines of the copies that do not mention any of `arrays`, because they use a pointer.
        """
        sides = [(line, given[0 if writes else 1]) for line, given in self._copies if len(given) > 1]
        named = tuple(line for line, side in sides if _names(side, array))
        return named or tuple(line for line, side in sides if not any(_names(side, each) for each in arrays))

    @property
    def copies(self) -> tuple[int, ...]:
        """The lines of all copies by a group."""
        return tuple(line for line, _ in self._copies)

    def item(self, ids: tuple[int, ...]) -> str:
        """Describe a work-item by its global ids, as in "work-item (3, 0)"."""
        return f"work-item {self._ids(ids)}"

    def group(self, ids: tuple[int, ...]) -> str:
        """Describe a work-group by its ids, as in "group 2"."""
        return f"group {self._ids(ids)}"

    def is_beyond(self, ids: tuple[int, ...]) -> bool:
        """True if a work-item with these global ids is beyond the extent, so that it does not have work."""
        return self.extent is not None and any(i >= end for i, end in zip(ids, self.extent, strict=False))

    @cached_property
    def _lines(self) -> list[str]:
        return self.source.split("\n")

    @cached_property
    def _loops(self) -> list[range]:
        return list(loops(self.source))

    @cached_property
    def _copies(self) -> list[tuple[int, tuple[str, ...]]]:
        """Pairs of the line of a copy and its arguments."""
        code = _without_comments(self.expanded or self.source)
        line_ends = [found.start() for found in re.finditer("\n", code)]
        return [(bisect_left(line_ends, found.start()) + 1, _arguments(found[1])) for found in COPY.finditer(code)]

    @cached_property
    def _exchanges(self) -> list[int]:
        return [number for number, line in enumerate(self._code, start=1) if EXCHANGE.search(line)]

    @cached_property
    def _code(self) -> list[str]:
        """The lines of the text after macro expansion, without comments."""
        return _without_comments(self.expanded or self.source).split("\n")

    @cached_property
    def _barriers(self) -> list[int]:
        return [line for line, fences in self._fences if not _is_global_only(fences)]

    @cached_property
    def _global_barriers(self) -> list[int]:
        return [line for line, fences in self._fences if _is_global_only(fences)]

    @cached_property
    def _memory_fences(self) -> list[tuple[int, str]]:
        found = ((number, FENCE.search(line)) for number, line in enumerate(self._code, start=1))
        return [(number, fence[1]) for number, fence in found if fence]

    @cached_property
    def _fences(self) -> list[tuple[int, str]]:
        """Pairs of a line with a barrier and the text after the barrier's opening parenthesis."""
        found = ((number, BARRIER.search(line), line) for number, line in enumerate(self._code, start=1))
        return [(number, line[barrier.end() :]) for number, barrier, line in found if barrier]

    def _ids(self, ids: tuple[int, ...]) -> str:
        shown = ids[: self.dimensions]
        return str(shown[0]) if len(shown) == 1 else str(shown)
