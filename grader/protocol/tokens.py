"""Splits C source text into preprocessing tokens, as a compiler does (C99, 5.1.1.2, phases 1 to 3)."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

TRIGRAPH = re.compile(r"\?\?([=/'()!<>-])")
TRIGRAPHS = dict(zip("=/'()!<>-", "#\\^[]|{}~", strict=True))

CONTINUED = re.compile(r"\\[ \t\v\f\r]*$")
"""End of a line that continues on the next line. Like all compilers, it accepts blanks after the backslash."""

TOKEN = re.compile(
    r"(?P<newline>\n)"
    r"|(?P<space>(?:[ \t\v\f\r]+|//[^\n]*|/\*.*?\*/)+)"
    r"|(?P<unclosed>/\*.*)"
    r"|(?P<name>(?:[^\W\d]|\$)[\w$]*)"
    r"|(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)"
    r'|(?P<string>"(?:\\[^\n]|[^"\\\n])*"?)'
    r"|(?P<character>'(?:\\[^\n]|[^'\\\n])*'?)"
    r"|(?P<mark>%:%:|\.\.\.|<<=|>>=|##|%:|<:|:>|<%|%>|->|\+\+|--|<<|>>|&&|\|\||[-+*/%&|^<>=!]=|.)",
    re.DOTALL,
)
"""A preprocessing token (C99, 6.4). A comment counts as white space. A quote that is not closed extends to the end of
the line.
"""


class Token(NamedTuple):
    """A preprocessing token. `kind` is the name of its group in `TOKEN`, `start` its position in the joined text, and
    `line` the line of the source in which it starts.
    """

    kind: str
    text: str
    start: int
    line: int

    @property
    def is_code(self) -> bool:
        """True if the token is not white space."""
        return self.kind not in {"space", "newline"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Joined:
    """A text without trigraphs, in which each line that ends with a backslash is joined with the next one. `starts`
    has the positions at which the lines of the source begin.
    """

    text: str
    starts: list[int]

    def line(self, place: int) -> int:
        """The line of the source, counted from 1, that contains this position."""
        return bisect_right(self.starts, place)

    def tokens(self) -> Iterator[Token]:
        """The tokens of the whole text, including white space."""
        for match in TOKEN.finditer(self.text):
            start = match.start()
            yield Token(match.lastgroup or "", match[0], start, bisect_right(self.starts, start))


def join(source: str) -> Joined:
    """The text with its trigraphs replaced and its continued lines joined. All other characters stay."""
    pieces: list[str] = []
    starts: list[int] = []
    size = 0
    for line in TRIGRAPH.sub(lambda match: TRIGRAPHS[match[1]], source).split("\n"):
        piece = CONTINUED.sub("", line)
        if piece == line:
            piece += "\n"
        pieces.append(piece)
        starts.append(size)
        size += len(piece)
    return Joined(text="".join(pieces).removesuffix("\n"), starts=starts)


def tokens(source: str) -> Iterator[Token]:
    """The preprocessing tokens of a text."""
    return join(source).tokens()


def logical_lines(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """The tokens in lines as a directive sees them: a backslash or a comment can continue a line."""
    line: list[Token] = []
    for token in tokens:
        line.append(token)
        if token.kind == "newline":
            yield line
            line = []
    if line:
        yield line
