"""Finds constructs that do not belong in coursework, before anything runs. The sandbox is the protection; this module
gives explanations.

Comments and strings do not count as code, and no spelling can hide a construct (submissions/scan.py).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grader.protocol.tokens import Token

LINE_LIMIT = 4000
"""Maximum number of characters in a line. People write lines that fit on a screen, and C99 guarantees 4095."""

SHOWN = 80
"""Maximum number of characters of a line that a message shows."""


class Construct(StrEnum):
    """A construct that is refused unless the assignment allows it. The values are the words for `allow` in
    assignment.yaml.
    """

    INCLUDE = "include"
    LINE = "line"
    ASM = "asm"
    HAS_INCLUDE = "has_include"
    LINKAGE = "linkage"
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


LINKING = (("redefine_extname",), ("weak",), ("clang", "attribute"))
"""First words of pragmas that change which function a call executes. With such a pragma, a device may execute a
function of the submission, while the simulator executes a built-in function with the same name.
"""

INLINE = frozenset({"inline", "__inline", "__inline__"})


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """A construct that was found, with the number of its line, starting at 1, and the text of the line."""

    construct: Construct
    line: int
    text: str


def first_sighting(sightings: Iterable[Sighting], allowed: Collection[Construct]) -> Sighting | None:
    """Return the first construct that is not allowed. Code that `#if` would skip counts, too."""
    refused = (each for each in sightings if each.construct not in allowed)
    return min(refused, key=lambda each: (each.line, each.construct), default=None)


def constructs(code: Sequence[Token]) -> Iterator[tuple[Construct, Token]]:
    """Yield the constructs in a logical line, which is given as tokens without white space."""
    match code:
        case [Token(text="#" | "%:") as mark, Token(text=name), *_] if name in DIRECTIVES:
            yield DIRECTIVES[name], mark
        case [Token(text="#" | "%:") as mark, Token(kind="number"), *_]:
            yield Construct.LINE, mark  # `# 12 "file"` is a form that compilers produce for each other
        case [Token(text="#" | "%:") as mark, Token(text="pragma"), *rest] if _is_linking([each.text for each in rest]):
            yield Construct.LINKAGE, mark
    for place, token in enumerate(code):
        if token.text in NAMES:
            yield NAMES[token.text], token
        if token.text == "_Pragma" and _is_linking(_stated(code[place + 1 : place + 4])):
            yield Construct.LINKAGE, token


def _stated(code: Sequence[Token]) -> list[str]:
    """Return the words of the pragma in the tokens that follow `_Pragma`, such as `(`, `L` and a string."""
    return next((token.text.strip('"').split() for token in code if token.kind == "string"), [])


def _is_linking(words: Sequence[str]) -> bool:
    return any(tuple(words[: len(each)]) == each for each in LINKING)
