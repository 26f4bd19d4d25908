"""Names the places in a launch: work-items, groups, lines of the source."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

LOOP = re.compile(r"\b(?:for|while|do)\b")
BARRIER = re.compile(r"\bbarrier\s*\(")
SWAP = re.compile(r"\batom(?:ic)?_cmpxchg\s*\(")
ASSIGNED = re.compile(r"\b(\w+)(?:\.\w+)?\s*=(?!=)")


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a launch was: the source, the dimensions of its ids, and how far work-items have something to do in each
    dimension (None where nothing is said about that). `expanded` is the source without macros, line by line.
    """

    source: str
    dimensions: int
    extent: tuple[int, ...] | None
    expanded: str = ""

    def text(self, line: int) -> str:
        """The line as it was written."""
        return self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""

    def has_barrier(self, after: int, before: int) -> bool:
        """Whether the source has a barrier between these two lines."""
        place = bisect_left(self._barriers, after + 1)
        return place < len(self._barriers) and self._barriers[place] < before

    def is_loop(self, line: int) -> bool:
        """Whether a loop is written in the line, outside of a comment at its end."""
        return LOOP.search(self.text(line).partition("//")[0]) is not None

    def swaps_what_was_read(self, read: int, swap: int) -> bool:
        """Whether a compare-and-swap in a line is about what another line reads into a variable: it takes place only if
        nobody has changed the word since, so the read may be a plain one.
        """
        lines = (self.expanded or self.source).split("\n")
        statement = "\n".join(lines[swap - 1 :]).partition(";")[0]
        call = SWAP.search(statement)
        if call is None or read > len(lines):
            return False
        about = statement[call.end() :] if read == swap else statement
        return any(re.search(rf"\b{name}\b", about) for name in ASSIGNED.findall(lines[read - 1]))

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
    def _barriers(self) -> list[int]:
        return [number for number, line in enumerate(self._lines, start=1) if BARRIER.search(line)]

    def _ids(self, ids: tuple[int, ...]) -> str:
        shown = ids[: self.dimensions]
        return str(shown[0]) if len(shown) == 1 else str(shown)
