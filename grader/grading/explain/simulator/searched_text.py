"""Finds in a submission's text what explanations need. It finds each thing once, in linear time."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from grader.grading.explain.simulator.declarations import Declarations, declarations
from grader.grading.explain.simulator.loops import code_of, line_ends, line_of, loops
from grader.grading.source.reading import KEPT, is_too_long

BARRIER = re.compile(r"\b(?:work_group_)?barrier\s*\(")
FENCE = re.compile(r"\b((?:read_|write_)?mem_fence)\s*\(")
"""Pattern of a function that orders the accesses of one work-item without waiting for others."""

COPY = re.compile(r"\basync_work_group_(?:strided_)?copy\s*\(([^;]{0,500})")
"""Pattern of a copy by all work-items of a group together, with its arguments."""

EXCHANGE = re.compile(r"\batom(?:ic)?_(?:cmp)?xchg\s*\(")
"""Pattern of an atomic function with which locks are built."""

CONDITION = re.compile(r"\b(?:if|while)\b")

INDEX = re.compile(r"\b(\w+)\s*\[([^][;]*)\]")
"""Pattern of a name with an index that contains no other index."""

DISTANCE = re.compile(r"\s*(\w+)")
WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """An atomic exchange in a line. `decides` is true if it is in a condition."""

    line: int
    decides: bool


@dataclass(frozen=True, kw_only=True)
class GroupCopy:
    """A copy by a group: its line, and the words of each argument."""

    line: int
    arguments: tuple[frozenset[str], ...]


@dataclass(frozen=True, kw_only=True)
class IndexDistance:
    """An index that adds or subtracts a distance, as in `s[i + 16]`: its line and the distance."""

    line: int
    distance: str


@dataclass(frozen=True, kw_only=True)
class SearchedText:
    """A text as the student wrote it (`source`), and after macro expansion with the same lines (`expanded`). Nothing is
    found in a text that is too long.
    """

    source: str
    expanded: str

    @cached_property
    def is_too_long(self) -> bool:
        """True if the text is too long to be searched."""
        return is_too_long(self.source) or is_too_long(self.expanded)

    @cached_property
    def lines(self) -> list[str]:
        """The lines as the student wrote them."""
        return self.source.split("\n")

    @cached_property
    def code(self) -> list[str]:
        """The lines of the text after macro expansion, without comments, strings and character constants."""
        return [] if self.is_too_long else code_of(self.expanded).split("\n")

    @cached_property
    def loops(self) -> list[range]:
        """The lines of each loop."""
        return [] if self.is_too_long else list(loops(self.source))

    @cached_property
    def declarations(self) -> Declarations:
        """The declarations of the text."""
        return declarations(self.code)

    @cached_property
    def copies(self) -> list[GroupCopy]:
        """The copies by a group."""
        return [
            GroupCopy(
                line=self._line(found.start()),
                arguments=tuple(frozenset(WORD.findall(each)) for each in _arguments(found[1])),
            )
            for found in COPY.finditer(self._whole)
        ]

    @cached_property
    def copied(self) -> Mapping[str, Sequence[int]]:
        """The lines of the copies that contain each word in an argument."""
        lines: dict[str, list[int]] = {}
        for each in self.copies:
            for word in frozenset().union(*each.arguments):
                lines.setdefault(word, []).append(each.line)
        return lines

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """The lines with an atomic exchange, in ascending order."""
        return [each for number, line in enumerate(self.code, start=1) for each in _exchange(number, line)]

    @cached_property
    def barriers(self) -> list[int]:
        """The lines of the barriers that order local memory, in ascending order."""
        return [line for line, fences in self._fences if not _is_global_only(fences)]

    @cached_property
    def global_barriers(self) -> list[int]:
        """The lines of the barriers that order only global memory."""
        return [line for line, fences in self._fences if _is_global_only(fences)]

    @cached_property
    def memory_fences(self) -> list[tuple[int, str]]:
        """The lines of memory fences that are not barriers, each with the name of the fence."""
        found = ((number, FENCE.search(line)) for number, line in enumerate(self.code, start=1))
        return [(number, fence[1]) for number, fence in found if fence]

    @cached_property
    def steps(self) -> Mapping[str, Sequence[IndexDistance]]:
        """The distances in the indexes of each array, in ascending order of the lines."""
        steps: dict[str, list[IndexDistance]] = {}
        for found in INDEX.finditer(self._whole):
            array, index = found.groups()
            sign = max(index.rfind("+"), index.rfind("-"))
            distance = DISTANCE.match(index, sign + 1) if sign >= 0 else None
            if distance:
                step = IndexDistance(line=self._line(found.start()), distance=distance[1].rstrip("uU"))
                steps.setdefault(array, []).append(step)
        return steps

    @cached_property
    def _fences(self) -> list[tuple[int, str]]:
        """Pairs of a line with a barrier and the text after the barrier's opening parenthesis."""
        found = ((number, BARRIER.search(line), line) for number, line in enumerate(self.code, start=1))
        return [(number, line[barrier.end() :]) for number, barrier, line in found if barrier]

    @cached_property
    def _whole(self) -> str:
        return "\n".join(self.code)

    @cached_property
    def _line_ends(self) -> list[int]:
        return line_ends(self._whole)

    def _line(self, place: int) -> int:
        return line_of(place, self._line_ends)


@lru_cache(maxsize=KEPT)
def searched(source: str, expanded: str) -> SearchedText:
    """The text with everything that was found in it. All launches of a run share it."""
    return SearchedText(source=source, expanded=expanded)


def _exchange(number: int, line: str) -> list[Exchange]:
    """The exchange of a line. The line is a condition if one begins before its last exchange."""
    places = [found.start() for found in EXCHANGE.finditer(line)]
    if not places:
        return []
    condition = CONDITION.search(line)
    return [Exchange(line=number, decides=condition is not None and condition.start() < places[-1])]


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
