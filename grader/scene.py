"""Where and by whom something was done in a launch, in the student's words."""

import re
from dataclasses import dataclass

LOOP = re.compile(r"\b(?:for|while|do)\b")


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
        lines = self.source.split("\n")
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

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

    def _ids(self, ids: tuple[int, ...]) -> str:
        shown = ids[: self.dimensions]
        return str(shown[0]) if len(shown) == 1 else str(shown)
