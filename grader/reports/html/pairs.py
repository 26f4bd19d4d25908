"""Two sources side by side for a visual comparison. It shows equal and different lines, without the lines of the
skeleton.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from grader.protocol.tokens import tokens
from grader.reports.html.similarity import word_of

LINES = 400
"""Maximum number of lines of each source. A file with all five kernels has this many."""


@dataclass(frozen=True, kw_only=True)
class PairLine:
    """A line of a source, with its key for the comparison, which is its words of code or else its comment."""

    number: int
    text: str
    key: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PairRow:
    """Two lines next to each other. One of them is None if the other has no counterpart."""

    one: PairLine | None
    other: PairLine | None
    same: bool


def side_by_side(one: str, other: str, skeleton: str) -> tuple[PairRow, ...]:
    """Return the lines of both sources, without blank lines and lines of the skeleton. Names, layout and comments next
    to code do not matter.
    """
    given = {line.key for line in _lines(skeleton)}
    left, right = ([line for line in _lines(source) if line.key not in given][:LINES] for source in (one, other))
    return tuple(_rows(left, right))


def _rows(left: Sequence[PairLine], right: Sequence[PairLine]) -> Iterator[PairRow]:
    matcher = SequenceMatcher(None, [line.key for line in left], [line.key for line in right], autojunk=False)
    for what, start, end, from_, to in matcher.get_opcodes():
        for mine, theirs in zip_longest(left[start:end], right[from_:to]):
            yield PairRow(one=mine, other=theirs, same=what == "equal")


def _lines(source: str) -> Iterator[PairLine]:
    """Yield the lines that are not blank."""
    words: dict[int, list[str]] = {}
    for token in tokens(source):
        if token.is_code:
            words.setdefault(token.line, []).append(word_of(token))
    for number, text in enumerate(source.split("\n"), start=1):
        if text.strip():
            key = tuple(words.get(number, ())) or ("//", *text.split())
            yield PairLine(number=number, text=text.rstrip(), key=key)
