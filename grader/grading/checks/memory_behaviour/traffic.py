"""Traffic of a kernel by array, compared with the traffic of the model solution."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from grader.common.phrases import listed
from grader.course.elements import WORD_BYTES
from grader.results.metrics import Profile

NAMED = 3
"""Number of uses of arrays that a sentence about traffic names, the costliest first."""


@dataclass(frozen=True, kw_only=True)
class ArrayTraffic:
    """Words of an array in global memory that work-items read or write, by line, the costliest line first.

    `needed` is the number of words that the model solution reads or writes; None if it is not known.
    """

    array: str
    does: Literal["reads", "writes"]
    lines: tuple[tuple[int, int], ...]
    needed: int | None

    @property
    def words(self) -> int:
        """Number of words in all lines."""
        return sum(words for _, words in self.lines)

    @property
    def excess(self) -> int:
        """Number of words beyond the need."""
        return self.words - (self.needed or 0)


def traffic(counted: Profile, does: Literal["reads", "writes"]) -> Sequence[ArrayTraffic]:
    """Reads or writes of each array, the array with the most words first."""
    used: dict[str, Counter[int]] = {}
    for each in counted.accesses_in("global"):
        if each.does == does:
            used.setdefault(each.array, Counter())[each.line] += each.bytes
    needed = {each.array: each.bytes // WORD_BYTES for each in counted.needed if each.does == does}
    found = (
        ArrayTraffic(
            array=array,
            does=does,
            lines=tuple((line, number // WORD_BYTES) for line, number in lines.most_common()),
            needed=needed.get(array, 0) if counted.needed else None,
        )
        for array, lines in used.items()
    )
    return sorted(found, key=lambda each: each.words, reverse=True)


def worst_of(arrays: Sequence[ArrayTraffic]) -> ArrayTraffic:
    """Array with the most words beyond its need, or with the costliest line if no need is known."""
    if arrays[0].needed is None:
        return max(arrays, key=lambda each: each.lines[0][1])
    return max(arrays, key=lambda each: each.excess)


def are_updated_in_place(counted: Profile, arrays: Collection[str]) -> bool:
    """True if no line reads more words of these arrays than it writes, as in `B[i] += x`. Then work-items probably do
    not share the words.
    """
    surplus: Counter[int] = Counter()
    for each in counted.accesses_in("global"):
        if each.array in arrays:
            surplus[each.line] += each.bytes if each.does == "reads" else -each.bytes
    return max(surplus.values(), default=0) <= 0


def excess_in_words(used: ArrayTraffic) -> str:
    """Sentence about an array that is accessed more often than in the model solution; empty for any other array."""
    if used.needed is None or used.excess <= 0:
        return ""
    does = used.does if len(used.lines) == 1 else used.does.removesuffix("s")
    where = place(*(line for line, _ in used.lines))
    if not used.needed:
        return f"{where} {does} `{used.array}`, which the model solution never {used.does}"
    return f"{where} {does} `{used.array}` {_how_often(used.words / used.needed)} needed"


def _how_often(ratio: float) -> str:
    """Words for a ratio above 1, to two digits if it is small."""
    if ratio < 1.05:
        return "slightly more often than"
    return f"{ratio:,.0f} times as often as" if ratio >= 10 else f"{ratio:.2g} times as often as"


def in_words(arrays: Sequence[ArrayTraffic]) -> str:
    """Words for the arrays with the most traffic and their need, or for their costliest lines if no need is known."""
    if arrays[0].needed is not None:
        return ", ".join(f"{each.words:,} of {each.array} ({each.needed:,} needed)" for each in arrays[:NAMED])
    uses = [(words, each.array, line) for each in arrays for line, words in each.lines]
    uses.sort(key=lambda use: use[0], reverse=True)
    return ", ".join(f"{words:,} of {array} in {place(line)}" for words, array, line in uses[:NAMED])


def place(*lines: int) -> str:
    """Words for lines. A copy by a group has no line if several lines copy the array."""
    known = [line for line in lines if line]
    if len(known) < len(lines):
        return "a copy by the group or a hidden line"
    return f"{'line' if len(known) == 1 else 'lines'} {listed(known, 'and')}"
