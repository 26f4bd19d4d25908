"""Two attempts side by side: which lines were removed, added, or stayed.

The comparison takes a step for each 64 pairs of lines at most, whatever the lines are (rapidfuzz's bit-parallel longest
common subsequence): 5,000 lines against as many took 0.05 s here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import LCSseq

from grader.service.submissions.accept import LINES

WIDTH = 300
"""Characters of a line that are shown; nobody writes longer ones."""

SHOWN = 1_000
"""Lines of a comparison that are shown: a page of more is slow to make, and nobody reads it."""

AROUND = 3
"""Lines around a change; those further away are left out."""


@dataclass(frozen=True, kw_only=True)
class ComparedLine:
    """A line of the comparison, with its number in each file that has it; "gap" stands for lines that are left out,
    "more" for all further ones.
    """

    kind: Literal["same", "removed", "added", "gap", "more"]
    old: int | None
    new: int | None
    text: str


def compared(old: bytes, new: bytes) -> list[ComparedLine]:
    """What has changed from one file to the other, with a few lines around each change; empty if nothing has."""
    every = list(_lines(_texts(old), _texts(new)))
    near = {
        place + offset
        for place, line in enumerate(every)
        if line.kind != "same"
        for offset in range(-AROUND, AROUND + 1)
    }
    shown: list[ComparedLine] = []
    for place, line in enumerate(every):
        if place in near:
            shown.append(line)
        elif shown and shown[-1].kind != "gap":
            shown.append(ComparedLine(kind="gap", old=None, new=None, text=""))
    if shown and shown[-1].kind == "gap":
        shown.pop()
    if len(shown) > SHOWN:
        return [*shown[:SHOWN], ComparedLine(kind="more", old=None, new=None, text="")]
    return shown


def _texts(data: bytes) -> list[str]:
    """The lines; what is no UTF-8 is shown as such."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n")[:LINES]


def _lines(old: list[str], new: list[str]) -> Iterator[ComparedLine]:
    """All lines; where some were replaced, those that were removed come first."""
    added: list[ComparedLine] = []
    for step in LCSseq.opcodes(old, new):
        if step.tag == "equal":
            yield from added
            added.clear()
            for place in range(step.src_end - step.src_start):
                at, there = step.src_start + place, step.dest_start + place
                yield ComparedLine(kind="same", old=at + 1, new=there + 1, text=old[at][:WIDTH])
            continue
        for at in range(step.src_start, step.src_end):
            yield ComparedLine(kind="removed", old=at + 1, new=None, text=old[at][:WIDTH])
        places = range(step.dest_start, step.dest_end)
        added += (ComparedLine(kind="added", old=None, new=at + 1, text=new[at][:WIDTH]) for at in places)
    yield from added
