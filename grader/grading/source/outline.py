"""Outline of an OpenCL C text with the information that edits need: its functions, the expressions that an edit can
replace, and the variables that are visible in each expression.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from grader.protocol.tokens import Token

INTEGER = re.compile(r"u?(?:char|short|int|long)|unsigned|size_t|ptrdiff_t|bool|u?int(?:8|16|32|64)_t")
TYPE = re.compile(rf"(?:{INTEGER.pattern}|float|double|half|void)(?:2|3|4|8|16)?")

LONGEST_TERM = 12
"""Maximum number of tokens of a term that an edit adds at another place."""

Role = Literal["condition", "loop condition", "step", "value", "statement", "result", "type"]


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable. `type` is the type of its elements, and `subscripts` is the number of subscripts that select an
    element. `is_array` is true if the compiler knows its size, and false for a pointer.
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
        """True if the variable is a single integer."""
        return self.subscripts == 0 and all(map(INTEGER.fullmatch, self.type.split() or [""]))

    @property
    def is_size(self) -> bool:
        """True if the variable is an integer that the host passes to the kernel."""
        return self.is_integer and self.parameter


@dataclass(frozen=True, kw_only=True)
class Region:
    """An expression, given by its tokens. It is the condition or step of a statement, the initial value of a variable,
    a returned value, a whole statement, or the type of a declaration. `target` is the variable that it concerns, if
    any.
    """

    first: int
    last: int
    role: Role
    target: str
    visible: tuple[Variable, ...]


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function that is defined in the text. `parameters` and `body` contain the token numbers of the opening and
    closing brackets.
    """

    name: str
    parameters: tuple[int, int]
    body: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Term:
    """A term of a sum in an index, and the names in it."""

    text: str
    names: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A text as tokens, without its directives. `pairs` maps each opening bracket to its closing bracket. `loops`
    contains the token ranges of the loop conditions.
    """

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
        """The offset in the text at which a token ends."""
        return self.code[number].start + len(self.code[number].text)

    @cached_property
    def openings(self) -> dict[int, int]:
        """Map from each closing bracket to its opening bracket, by token number."""
        return {closing: opening for opening, closing in self.pairs.items()}

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Terms of the sums in indexes, and products of two names such as `row * width`. Each text occurs once."""
        opened = (number for each in self.regions for number in range(each.first, each.last))
        sums = ((number + 1, self.pairs[number]) for number in opened if self.code[number].text == "[")
        threes = zip(self.code, self.code[1:], self.code[2:], strict=False)
        pairs = ((one.text, other.text) for one, sign, other in threes if (one.kind, sign.text) == ("name", "*"))
        found = [*(term for each in sums for term in self.terms_of(*each)), *map(_product, pairs)]
        return tuple({term.text: term for term in found}.values())

    @cached_property
    def strides(self) -> dict[str, frozenset[str]]:
        """Names that are factors in the indexes of each array, such as `width` in `A[row * width + column]`."""
        found: dict[str, set[str]] = defaultdict(set)
        for opening, closing in self.pairs.items():
            before = self.code[opening - 1]
            if self.code[opening].text == "[" and before.kind == "name":
                inside = zip(self.code[opening + 1 : closing], self.code[opening + 2 : closing], strict=False)
                found[before.text] |= {name.text for sign, name in inside if (sign.text, name.kind) == ("*", "name")}
        return {array: frozenset(names) for array, names in found.items()}

    @cached_property
    def terms_of_arrays(self) -> dict[str, tuple[Term, ...]]:
        """Terms of the sums in the indexes of each array. Each text occurs once."""
        found: dict[str, dict[str, Term]] = defaultdict(dict)
        for opening, closing in self.pairs.items():
            if self.code[opening].text == "[":
                array = self.code[self._array_of(opening)]
                if array.kind == "name":
                    found[array.text] |= {term.text: term for term in self.terms_of(opening + 1, closing)}
        return {array: tuple(terms.values()) for array, terms in found.items()}

    def _array_of(self, opening: int) -> int:
        """Number of the token before the first of neighbouring subscripts."""
        while self.code[opening - 1].text == "]":
            opening = self.openings[opening - 1]
        return opening - 1

    def terms_of(self, first: int, last: int) -> Iterator[Term]:
        """Yield the terms of the sum in these tokens, including those inside brackets. Skips terms that contain an
        element of an array.
        """
        begin = first
        for number in (*outside(self.pairs, first, last), last):
            text = self.code[number].text
            if text == "(" and self.code[number - 1].kind != "name":
                yield from self.terms_of(number + 1, self.pairs[number])
            if number == last or text in {"+", "-"}:
                tokens = self.code[begin:number]
                if 0 < len(tokens) <= LONGEST_TERM and all(token.text != "[" for token in tokens):
                    names = frozenset(token.text for token in tokens if token.kind == "name")
                    yield Term(text=self.between(begin, number), names=names)
                begin = number + 1

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the functions that the text defines."""
        return frozenset(each.name for each in self.functions)


def _product(names: tuple[str, str]) -> Term:
    return Term(text=" * ".join(names), names=frozenset(names))


def outside(pairs: dict[int, int], first: int, last: int) -> Iterator[int]:
    """Yield the tokens from `first` up to but not including `last` that are not enclosed in brackets between them. Of a
    pair of brackets, only the opening one is yielded.
    """
    number = first
    while number < last:
        yield number
        number = pairs.get(number, number) + 1
