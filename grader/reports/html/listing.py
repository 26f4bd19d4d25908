"""The listing of the source: its lines, with marks at the lines that an issue blames.

    lines with their marks --folded--> blocks

Blocks without marks are folded, so that the first marked line is near the top.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from grader.protocol.text import showable
from grader.reports.excerpt import TAB, ExcerptLine, excerpt_of
from grader.reports.issues import Issue

CONTEXT = 3
"""Number of lines that are shown before and after a marked line."""

SHORTEST_FOLD = 4
"""Minimum number of lines that are folded. Fewer lines take no more room than the row that would replace them."""


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A part of a line. It is `marked` if an access in it belongs to an issue."""

    text: str
    marked: bool


@dataclass(frozen=True, kw_only=True)
class LineEvent:
    """An event at a line, and the number of the issue to which it belongs."""

    issue: int
    words: str


@dataclass(frozen=True, kw_only=True)
class ListedLine:
    """A line of the source, with the numbers of the issues that blame it."""

    number: int
    segments: tuple[Segment, ...]
    issues: tuple[int, ...]
    events: tuple[LineEvent, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(segment.text for segment in self.segments)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Consecutive lines, which are either all folded or all shown."""

    lines: tuple[ListedLine, ...]
    folded: bool


def blocks_of(issues: Sequence[Issue], lines: Sequence[str]) -> tuple[Block, ...]:
    """Return the source in blocks. If no line is marked, it is one block, which is folded if there is no issue."""
    listed = tuple(_listed(issues, lines))
    marked = [line.number for line in listed if line.issues]
    if not marked:
        return (Block(lines=listed, folded=not issues),)
    near = {number for mark in marked for number in range(mark - CONTEXT, mark + CONTEXT + 1)}
    runs = [tuple(run) for _, run in groupby(listed, key=lambda line: line.number in near)]
    return tuple(_joined(Block(lines=run, folded=_is_foldable(run, near)) for run in runs))


def _is_foldable(run: Sequence[ListedLine], near: set[int]) -> bool:
    return run[0].number not in near and len(run) >= SHORTEST_FOLD


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, with neighbouring unfolded blocks joined into one."""
    for folded, run in groupby(blocks, key=lambda block: block.folded):
        yield Block(lines=tuple(line for block in run for line in block.lines), folded=folded)


def _listed(issues: Sequence[Issue], lines: Sequence[str]) -> Iterator[ListedLine]:
    blamed: dict[int, list[int]] = {}
    excerpts: dict[int, list[tuple[int, ExcerptLine]]] = {}
    for issue in issues:
        for number in issue.marked_lines:
            blamed.setdefault(number, []).append(issue.number)
        for excerpt in excerpt_of(issue, lines):
            excerpts.setdefault(excerpt.number, []).append((issue.number, excerpt))
    for number, text in enumerate(lines, start=1):
        seen = excerpts.get(number, ())
        events = (
            LineEvent(issue=issue, words=words)
            for issue, excerpt in seen
            for part in excerpt.underlined
            for words in part.words
        )
        yield ListedLine(
            number=number,
            segments=tuple(_segments(text, [excerpt for _, excerpt in seen])),
            issues=tuple(blamed.get(number, ())),
            events=tuple(dict.fromkeys(events)),
        )


def _segments(source: str, excerpts: Iterable[ExcerptLine]) -> Iterator[Segment]:
    """Yield the parts of a line. An underlined part that covers the whole line is not marked, because the line itself
    is marked.
    """
    parts = [
        (part.start, part.end)
        for excerpt in excerpts
        for part in excerpt.underlined
        if (part.start, part.end) != (0, len(excerpt.text))
    ]
    if not parts:
        yield Segment(text=showable(source), marked=False)
        return
    text = source.expandtabs(TAB)
    indent = len(text) - len(text.lstrip())
    marked = {indent + column for start, end in parts for column in range(start, end)}
    for is_marked, columns in groupby(range(len(text)), key=marked.__contains__):
        yield Segment(text=showable("".join(text[column] for column in columns)), marked=is_marked)
