"""Constructs that have no place in coursework, found before anything runs: the sandbox is the wall, this a clear word.

The text is read as compilers read it (C99, 5.1.1.2, phases 1 to 3), so that neither trigraphs nor
continued lines nor comments hide anything, and nothing in a comment or a string is taken for code.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from grader.text import showable
from grader.tokens import Token, logical_lines

LINE_LIMIT = 4000
"""Characters; people write lines that fit a screen, and C99 promises 4095."""

SHOWN = 80
"""Characters of a line that are enough to know it by."""


class Construct(StrEnum):
    """What is refused unless the assignment allows it; the values are those of `allow` in its YAML."""

    INCLUDE = "include"
    LINE = "line"
    ASM = "asm"
    HAS_INCLUDE = "has_include"
    LONG_LINE = "long line"


DIRECTIVES = {
    "include": Construct.INCLUDE,
    "include_next": Construct.INCLUDE,
    "import": Construct.INCLUDE,
    "embed": Construct.INCLUDE,
    "line": Construct.LINE,
}

NAMES = {
    "asm": Construct.ASM,
    "__asm": Construct.ASM,
    "__asm__": Construct.ASM,
    "__has_include": Construct.HAS_INCLUDE,
    "__has_include_next": Construct.HAS_INCLUDE,
    "__has_embed": Construct.HAS_INCLUDE,
}


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """Where a construct was seen: the line's number, from 1, and its text."""

    construct: Construct
    line: int
    text: str


def first_sighting(source: str, allowed: Collection[Construct]) -> Sighting | None:
    """The first construct in a text that is not allowed; what `#if` would skip counts as well."""
    seen = [(line, construct) for line, construct in _constructs(source) if construct not in allowed]
    if not seen:
        return None
    line, construct = min(seen)
    text = source.split("\n")[line - 1].strip()
    return Sighting(construct=construct, line=line, text=showable(text[:SHOWN]))


def _constructs(source: str) -> Iterator[tuple[int, Construct]]:
    for number, text in enumerate(source.split("\n"), start=1):
        if len(text) > LINE_LIMIT:
            yield number, Construct.LONG_LINE
    for line in logical_lines(source):
        code = [token for token in line if token.is_code]
        match code:
            case [Token(text="#" | "%:") as mark, Token(text=name), *_] if name in DIRECTIVES:
                yield mark.line, DIRECTIVES[name]
            case [Token(text="#" | "%:") as mark, Token(kind="number"), *_]:
                yield mark.line, Construct.LINE  # `# 12 "file"`, as compilers tell each other
        for token in code:
            if token.text in NAMES:
                yield token.line, NAMES[token.text]
