"""What a text of OpenCL C holds, as far as edits need it: functions, expressions that can be replaced, and what can be
seen from each.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from grader.protocol.tokens import Token

INTEGER = re.compile(r"u?(?:char|short|int|long)|unsigned|size_t|ptrdiff_t|bool|u?int(?:8|16|32|64)_t")
TYPE = re.compile(rf"(?:{INTEGER.pattern}|float|double|half|void)(?:2|3|4|8|16)?")

Role = Literal["condition", "loop condition", "step", "value", "statement", "result", "type"]


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable: the type of its elements, and how many subscripts lead to one; `is_array` tells one whose size the
    compiler knows from a pointer.
    """

    name: str
    type: str
    subscripts: int
    space: str
    constant: bool
    is_array: bool = False
    parameter: bool = False

    @property
    def is_integer(self) -> bool:
        """Whether it is a single whole number."""
        return self.subscripts == 0 and all(map(INTEGER.fullmatch, self.type.split() or [""]))

    @property
    def is_size(self) -> bool:
        """Whether it is a whole number that the host gives."""
        return self.is_integer and self.parameter


@dataclass(frozen=True, kw_only=True)
class Region:
    """An expression, by its tokens: the condition or step of a statement, the value that a variable begins with, what
    is returned, a whole statement, or the type of a declaration. `target` is the variable, if there is one.
    """

    first: int
    last: int
    role: Role
    target: str
    visible: tuple[Variable, ...]


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function that the text defines, by the places of its brackets among the tokens."""

    name: str
    parameters: tuple[int, int]
    body: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A text without its directives, as tokens; `loops` are the tokens of the conditions of its loops."""

    text: str
    kernels: tuple[str, ...]
    code: tuple[Token, ...]
    pairs: dict[int, int]
    functions: tuple[Function, ...]
    regions: tuple[Region, ...]
    loops: tuple[tuple[int, int], ...]

    def between(self, first: int, last: int) -> str:
        """The text of these tokens, on one line."""
        if first >= last:
            return ""
        return " ".join(self.text[self.code[first].start : self.end(last - 1)].split())

    def end(self, number: int) -> int:
        """Where a token ends in the text."""
        return self.code[number].start + len(self.code[number].text)

    @cached_property
    def openings(self) -> dict[int, int]:
        """The brackets: where each that closes was opened."""
        return {closing: opening for opening, closing in self.pairs.items()}

    @cached_property
    def products(self) -> tuple[tuple[str, str], ...]:
        """The pairs of names between which it has a `*`, each once."""
        threes = zip(self.code, self.code[1:], self.code[2:], strict=False)
        pairs = ((one.text, other.text) for one, sign, other in threes if (one.kind, sign.text) == ("name", "*"))
        return tuple(dict.fromkeys(pairs))

    @cached_property
    def names(self) -> frozenset[str]:
        """Those of the functions that it defines."""
        return frozenset(each.name for each in self.functions)


def outside(pairs: dict[int, int], first: int, last: int) -> Iterator[int]:
    """The tokens from first to last that no bracket between them encloses; of a pair, the one that opens it."""
    number = first
    while number < last:
        yield number
        number = pairs.get(number, number) + 1
