"""A text in C as the tokens that a compiler reads (C99, 5.1.1.2, phases 1 to 3)."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """A preprocessing token: its kind by the name of its group in `TOKEN`, and the line it begins on."""

    kind: str
    text: str
    line: int

    @property
    def is_code(self) -> bool:
        """Whether it is more than white space."""
        return self.kind not in {"space", "newline"}


def tokens(source: str) -> Iterator[Token]:
    """The preprocessing tokens of a text, of which nothing but trigraphs and continuations is lost."""
    pieces: list[str] = []
    starts: list[int] = []  # where in the joined text each line of the source begins
    size = 0
    for line in TRIGRAPH.sub(lambda match: TRIGRAPHS[match[1]], source).split("\n"):
        piece = CONTINUED.sub("", line)
        if piece == line:
            piece += "\n"
        pieces.append(piece)
        starts.append(size)
        size += len(piece)
    joined = "".join(pieces).removesuffix("\n")
    for match in TOKEN.finditer(joined):
        yield Token(kind=match.lastgroup or "", text=match[0], line=bisect_right(starts, match.start()))


def logical_lines(source: str) -> Iterator[list[Token]]:
    """The tokens in lines as directives have them: a backslash or a comment at its end goes on with the next."""
    line: list[Token] = []
    for token in tokens(source):
        line.append(token)
        if token.kind == "newline":
            yield line
            line = []
    if line:
        yield line
