"""Finds what a text declares, in one pass over the text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PART = re.compile(r"\w+|[^\s\w]|\n")

QUALIFIERS = frozenset({"restrict", "__restrict", "const", "volatile"})
"""Words that may stand between a type and a declared name, as in `float *restrict A`."""

KEYWORDS = frozenset({"return", "else", "case", "sizeof"})
"""Words that may precede a name but are not types."""

IMAGE = re.compile(r"image[123]d_t")

ENDS = frozenset(";(){},")
"""Signs that end the part of a declaration to which a qualifier belongs."""


@dataclass(frozen=True, kw_only=True)
class Declarations:
    """The declarations of a text. `types` contains the words before each name that may be its type, and `sized` the
    lines in which an index or a length follows such a name. `volatile` contains the names that follow this qualifier.
    """

    types: Mapping[str, frozenset[str]]
    sized: Mapping[str, frozenset[int]]
    volatile: frozenset[str]

    def is_image(self, name: str) -> bool:
        """True if a parameter with this name is an image."""
        return any(map(IMAGE.fullmatch, self.types.get(name, ())))


def declarations(lines: Sequence[str]) -> Declarations:
    """The declarations in the lines of a code without comments."""
    types: dict[str, set[str]] = {}
    sized: dict[str, set[int]] = {}
    volatile: set[str] = set()
    line, kind, is_volatile, name = 1, "", False, ""
    for part in PART.findall("\n".join(lines)):
        if part == "\n":
            line += 1
            continue
        if part == "[" and name:
            sized.setdefault(name, set()).add(line)
        name = ""
        if part[0].isalnum() or part[0] == "_":
            if kind:
                types.setdefault(part, set()).add(kind)
                name = "" if kind in KEYWORDS or kind.isdigit() else part
            if is_volatile:
                volatile.add(part)
            kind = kind if part in QUALIFIERS else part
            is_volatile = is_volatile or part == "volatile"
        else:
            kind = kind if part == "*" else ""
            is_volatile = is_volatile and part not in ENDS
    return Declarations(
        types={name: frozenset(found) for name, found in types.items()},
        sized={name: frozenset(found) for name, found in sized.items()},
        volatile=frozenset(volatile),
    )
