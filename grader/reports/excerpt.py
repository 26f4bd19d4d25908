"""Excerpts of the source: the lines of an issue, with the access at each place underlined."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.protocol.text import showable
from grader.reports.issues import Issue
from grader.results.findings import Place

TAB = 4
"""Width of a tab in columns."""

PLACES = 4
"""Maximum number of places of an issue in an excerpt. Further places only repeat these in other lines."""

LONGEST = 500
"""Maximum length of a line in which accesses are located. Longer lines are underlined as a whole."""

ACCESS = re.compile(r"\b(reads|writes) `?(\w+)")
"""Matches the end of a place's description, such as "work-item 1 of group 0 writes `scratch`"."""


@dataclass(frozen=True, kw_only=True)
class Underlined:
    """A part of a line, from column `start` up to but not including column `end`, and what happens there."""

    start: int
    end: int
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ExcerptLine:
    """A line of the source without its indentation, with its underlined parts."""

    number: int
    text: str
    underlined: tuple[Underlined, ...]


def excerpt_of(issue: Issue, lines: Sequence[str]) -> tuple[ExcerptLine, ...]:
    """Return the lines of an issue."""
    return excerpt_at(issue.line, issue.places, lines)


def excerpt_at(line: int | None, places: Sequence[Place], lines: Sequence[str]) -> tuple[ExcerptLine, ...]:
    """Return the lines of these places in the order of the events, preceded by `line` if that is a different one. A
    line without words, such as the end of a loop, is left out if there are other lines. The result is empty if no line
    is known.
    """
    places = places[:PLACES]
    numbers = [*dict.fromkeys(place.line for place in places)]
    if line is not None and line not in numbers:
        numbers.insert(0, line)
    filled = [number for number in numbers if lines[number - 1].strip()]
    shown = [number for number in filled if re.search(r"\w", lines[number - 1])] or filled
    return tuple(_line(number, lines[number - 1], [each for each in places if each.line == number]) for number in shown)


def _line(number: int, source: str, places: Sequence[Place]) -> ExcerptLine:
    text = showable(source.expandtabs(TAB).strip())
    events: dict[tuple[int, int], list[str]] = {}
    for place in places:
        events.setdefault(_span(text, place), []).append(showable(place.words))
    parts = events or {(0, len(text)): []}
    underlined = tuple(Underlined(start=start, end=end, words=tuple(words)) for (start, end), words in parts.items())
    return ExcerptLine(number=number, text=text, underlined=underlined)


def _span(text: str, place: Place) -> tuple[int, int]:
    """Return the columns of the access to the place's array, or of the whole line if the access is not found.

    In a line that reads and writes an array, the write comes first in the text, as in `sum[i] += sum[i + 1]`.
    """
    access = ACCESS.search(place.words) if len(text) <= LONGEST else None
    spans = [*_accesses(text, access[2])] if access else []
    if access is None or not spans:
        return 0, len(text)
    return spans[0 if access[1] == "writes" else -1]


def _accesses(text: str, array: str) -> Iterator[tuple[int, int]]:
    """Yield the columns of each use of an array with its indexes, from its name to its last closing bracket."""
    for found in re.finditer(rf"\b{re.escape(array)}\b", text):
        end = found.end()
        while (closing := _closing(text, end)) is not None:
            end = closing
        yield found.start(), end


def _closing(text: str, start: int) -> int | None:
    """Return the column after the bracketed index that begins at this column, or None if no index begins there or it
    does not end.
    """
    begins = start + len(text[start:]) - len(text[start:].lstrip())
    if text[begins : begins + 1] != "[":
        return None
    depth = 0
    for column in range(begins, len(text)):
        depth += {"[": 1, "]": -1}.get(text[column], 0)
        if depth == 0:
            return column + 1
    return None
