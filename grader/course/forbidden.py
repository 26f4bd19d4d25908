"""Constructs that have no place in coursework, found before anything runs. The sandbox protects; this explains.

Comments and strings are not taken for code, and no way of writing hides a construct (submissions/scan.py).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grader.protocol.tokens import Token

LINE_LIMIT = 4000
"""Characters; people write lines that fit a screen, and C99 promises 4095."""

SHOWN = 80
"""Characters of a line that are shown."""


class Construct(StrEnum):
    """What is refused unless the assignment allows it; the values are those of `allow` in its YAML."""

    INCLUDE = "include"
    LINE = "line"
    ASM = "asm"
    HAS_INCLUDE = "has_include"
    LONG_LINE = "long line"
    CONTROL = "control character"


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


def first_sighting(sightings: Iterable[Sighting], allowed: Collection[Construct]) -> Sighting | None:
    """The first construct that is not allowed; what `#if` would skip counts as well."""
    refused = (each for each in sightings if each.construct not in allowed)
    return min(refused, key=lambda each: (each.line, each.construct), default=None)


def constructs(code: Sequence[Token]) -> Iterator[tuple[Construct, Token]]:
    """The constructs in a logical line of tokens, without white space."""
    match code:
        case [Token(text="#" | "%:") as mark, Token(text=name), *_] if name in DIRECTIVES:
            yield DIRECTIVES[name], mark
        case [Token(text="#" | "%:") as mark, Token(kind="number"), *_]:
            yield Construct.LINE, mark  # `# 12 "file"`, as compilers tell each other
    for token in code:
        if token.text in NAMES:
            yield NAMES[token.text], token
