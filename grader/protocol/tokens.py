"""A text in C as the tokens that a compiler reads (C99, 5.1.1.2, phases 1 to 3)."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

TRIGRAPH = re.compile(r"\?\?([=/'()!<>-])")
TRIGRAPHS = dict(zip("=/'()!<>-", "#\\^[]|{}~", strict=True))

CONTINUED = re.compile(r"\\[ \t\v\f\r]*$")
"""The end of a line that the next one continues; like all compilers, we forgive blanks behind the backslash."""

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
"""A preprocessing token (C99, 6.4); a comment is a space, and a quote without its end takes the rest of the line."""


class Token(NamedTuple):
    """A preprocessing token: its kind by the name of its group in `TOKEN`, where it begins in the joined text, and the
    line that this is.
    """

    kind: str
    text: str
    start: int
    line: int

    @property
    def is_code(self) -> bool:
        """Whether it is more than white space."""
        return self.kind not in {"space", "newline"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Joined:
    """A text without trigraphs, in which a line that a backslash continues is one with the next; `starts` are where the
    lines of the source begin in it.
    """

    text: str
    starts: list[int]

    def line(self, place: int) -> int:
        """The line of the source, from 1, that this place is in."""
        return bisect_right(self.starts, place)

    def tokens(self) -> Iterator[Token]:
        """All of it, piece by piece."""
        for match in TOKEN.finditer(self.text):
            start = match.start()
            yield Token(match.lastgroup or "", match[0], start, bisect_right(self.starts, start))


def join(source: str) -> Joined:
    """The text as its tokens are read from it; nothing but trigraphs and continuations is lost."""
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
    """The tokens in lines as directives have them: a backslash or a comment at its end goes on with the next."""
    line: list[Token] = []
    for token in tokens:
        line.append(token)
        if token.kind == "newline":
            yield line
            line = []
    if line:
        yield line
