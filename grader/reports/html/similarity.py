"""Finds nearly identical sources of an assignment. The result is a hint where to look, and never more than that.

Sources are compared as tokens, without layout and comments. All names that the language does not define become the same
token, consecutive declarations are sorted, and runs from the skeleton are left out. Therefore, renaming, reformatting,
other comments and an exchange of declarations hide nothing. The measure is the longest common subsequence: twice its
length divided by the sum of both lengths (`rapidfuzz.distance.Indel`). Names numbered in order of appearance would
distinguish more sources, but then one additional declaration at the top would hide a copy.

Two sources can be shown side by side, with equal and different lines, and without the lines of the skeleton.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, islice, zip_longest

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from grader.common.people import SortKey, sort_key
from grader.grading.explain.compiler_hints import FUNCTIONS
from grader.protocol.tokens import Token, tokens
from grader.results.gradebook import StudentRow

ALIKE = 0.95
"""Lowest similarity that is reported. The value is based on the course's own sources (tests/submissions, reference).
Among 249 pairs of right solutions of one assignment, the most similar reach 0.932 (medians 0.54 to 0.65), although most
were made from one model and are closer to each other than strangers' work. Copies of them that were renamed,
reformatted, stripped of comments, and with declarations exchanged reach 1; with a declaration added, they reach 0.96 or
more (tests/reports/html/test_similarity.py).
"""

FEWEST = 60
"""Minimum number of tokens beyond the skeleton's. Shorter sources are similar by nature. A transposition without a
tile, which takes two lines, has 45; the shortest solution of any other kind has 71.
"""

MOST = 5000
"""Maximum number of tokens of a source that are compared. It is six times a file with all five kernels, so that a
megabyte costs little.
"""

PAIRS = 3
"""Number of pairs of a group that the page shows side by side."""

GIVEN = 8
"""Length in tokens from which a run that also occurs in the skeleton counts as taken from the skeleton."""

KEYWORDS = frozenset(
    (  # noqa: SIM905 - a line for each would fill pages
        "if else for while do return break continue switch case default goto sizeof struct union typedef enum "
        "const restrict volatile static inline define undef pragma unroll include ifdef ifndef endif defined "
        "__kernel kernel __global global __local local __constant constant __private private __attribute__ "
        "CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE"
    ).split()
)
"""Names that all students write in the same way, like the functions that `slips` lists. Types are not included."""

NO_DECLARATION = frozenset({"return", "else", "goto", "case", "typedef", "struct", "union", "enum"})
"""Words that may precede a name without declaring a variable."""

HandInLabels = tuple[str, ...]
"""Labels of students who handed in together, which is either one label or the members of a group."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Submissions of which each is nearly identical to at least one other in the group. The labels are sorted.

    `least` and `most` are the similarities of the linked pairs, between `ALIKE` and 1. If several students handed in
    the same bytes, the first by label is in the group, and `Row.same_as` lists the others. `pairs` contains the most
    similar of the linked pairs.
    """

    labels: tuple[str, ...]
    least: float
    most: float
    pairs: tuple[tuple[str, str], ...] = ()


def near_identical(rows: Iterable[StudentRow], skeleton: str) -> tuple[Group, ...]:
    """Return the groups of nearly identical sources among the rows of one assignment, the largest first."""
    labels, sources = _compared(rows, skeleton)
    if len(labels) < 2:
        return ()
    alike = cdist(
        sources, sources, scorer=Indel.normalized_similarity, score_cutoff=ALIKE, dtype=np.float32, workers=-1
    )
    np.fill_diagonal(alike, 0)
    groups = (_group(labels, alike, members) for members in _components(alike > 0))
    return tuple(sorted(groups, key=lambda group: (-len(group.labels), _order(group.labels))))


def identical(rows: Iterable[StudentRow]) -> tuple[tuple[HandInLabels, ...], ...]:
    """Return the files that were handed in more than once with the same bytes, as the labels of each hand-in, the
    largest group first.

    Members of one hand-in have equal `same_as`, and no other student has the same value.
    """
    hand_ins: dict[HandInLabels, list[str]] = {}
    for row in rows:
        if row.same_as:
            hand_ins.setdefault(row.same_as, []).append(row.student.label)
    files: dict[HandInLabels, list[HandInLabels]] = {}
    for others, labels in hand_ins.items():
        files.setdefault(_sorted({*others, *labels}), []).append(_sorted(labels))
    groups = (tuple(sorted(group, key=_order)) for group in files.values())
    return tuple(sorted(groups, key=lambda group: (-len(group), *map(_order, group))))


def _sorted(labels: Iterable[str]) -> HandInLabels:
    return tuple(sorted(labels, key=sort_key))


def _order(labels: HandInLabels) -> tuple[SortKey, ...]:
    return tuple(map(sort_key, labels))


def comparable(source: str, skeleton: str) -> list[str]:
    """Return the tokens of a source for the comparison, in their normal form and without runs that occur in the
    skeleton.
    """
    given, own = _normal(skeleton), _normal(source)
    runs = {tuple(given[i : i + GIVEN]) for i in range(len(given) - GIVEN + 1)}
    starts = (i for i in range(len(own) - GIVEN + 1) if tuple(own[i : i + GIVEN]) in runs)
    left_out = {i + j for i in starts for j in range(GIVEN)}
    return [token for i, token in enumerate(own) if i not in left_out]


def _compared(rows: Iterable[StudentRow], skeleton: str) -> tuple[list[str], list[list[str]]]:
    """Return labels and sources, with one entry for all sources with equal bytes, and without sources that are too
    short to be evidence.
    """
    first: dict[str, StudentRow] = {}
    for row in sorted(rows, key=lambda row: row.student.order):
        if row.grade is not None:
            first.setdefault(row.grade.sha256, row)
    pairs = [(row.student.label, comparable(row.grade.source, skeleton)) for row in first.values() if row.grade]
    long = [(label, source) for label, source in pairs if len(source) >= FEWEST]
    return [label for label, _ in long], [source for _, source in long]


def _components(linked: np.ndarray) -> Iterator[list[int]]:
    """Yield the connected components with more than one node in a symmetric matrix of links."""
    seen = np.zeros(len(linked), dtype=bool)
    for start in range(len(linked)):
        if seen[start] or not linked[start].any():
            continue
        members = np.zeros(len(linked), dtype=bool)
        front = np.array([start])
        while front.size:
            members[front] = True
            front = np.flatnonzero(linked[front].any(axis=0) & ~members)
        seen |= members
        yield [int(member) for member in np.flatnonzero(members)]


def _group(labels: list[str], alike: np.ndarray, members: list[int]) -> Group:
    block = alike[np.ix_(members, members)]
    links = block[block > 0]
    pairs = np.argwhere(np.triu(block) > 0)
    nearest = sorted(((int(i), int(j)) for i, j in pairs), key=lambda pair: (-block[pair], pair))[:PAIRS]
    return Group(
        labels=tuple(labels[i] for i in members),
        least=float(links.min()),
        most=float(links.max()),
        pairs=tuple((labels[members[i]], labels[members[j]]) for i, j in nearest),
    )


def _normal(source: str) -> list[str]:
    """Return the tokens with one word for all names, and with neighbouring declarations sorted by their tokens."""
    normal: list[str] = []
    run: list[list[str]] = []
    for statement in _statements(islice((token for token in tokens(source) if token.is_code), MOST)):
        words = [word_of(token) for token in statement]
        if _declares(statement):
            run.append(words)
            continue
        normal += [*chain.from_iterable(sorted(run)), *words]
        run = []
    return [*normal, *chain.from_iterable(sorted(run))]


def word_of(token: Token) -> str:
    """Return the form of a code token for the comparison. All names that a student chose become one word."""
    is_own = token.kind == "name" and token.text not in KEYWORDS and token.text not in FUNCTIONS
    return "name" if is_own else token.text


def _statements(code: Iterable[Token]) -> Iterator[list[Token]]:
    """Yield pieces of code that end with a brace, or with a semicolon outside of brackets."""
    piece: list[Token] = []
    depth = 0
    for token in code:
        piece.append(token)
        depth += (token.text in {"(", "["}) - (token.text in {")", "]"})
        if token.text in {"{", "}"} or (token.text == ";" and depth <= 0):
            yield piece
            piece = []
    if piece:
        yield piece


def _declares(statement: list[Token]) -> bool:
    """True for a declaration of a variable, which begins with two names and ends with a semicolon."""
    names = all(token.kind == "name" for token in statement[:2]) and len(statement) > 2
    return names and statement[-1].text == ";" and statement[0].text not in NO_DECLARATION


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
