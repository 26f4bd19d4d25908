"""Places of a text that can be edited, and their edits."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from grader.grading.source.guards import Guard, Guards
from grader.grading.source.outline import TYPE, Outline, Region, Role, Variable, outside
from grader.grading.source.values import ASSIGNMENTS, TooComplexError
from grader.protocol.tokens import Token

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})

DIVISIONS = frozenset({"/", "%", "/="})
"""Operators that divide. An integer division by 0 ends the process, which costs as much time as hundreds of edits."""

CHANGES = ASSIGNMENTS | {"++", "--"}

PARTS: dict[Role, str] = {
    "condition": "the condition",
    "loop condition": "the condition of the loop",
    "step": "the step of the loop",
    "value": "the first value",
    "result": "the value that is returned",
    "statement": "the statement",
    "type": "the type",
}
PARTS_OF = {
    **PARTS,
    "value": "the value that {} begins with",
    "statement": "what {} is set to",
    "type": "the type of {}",
}
"""Descriptions of the parts of a line. The second table is for parts that concern a variable."""


NO_SUM = re.compile(r"[(&|<>?]")
"""Matches characters that a sum of variables, numbers and products does not contain."""

SPLITS = (frozenset({","}), ASSIGNMENTS, frozenset({"?", ":"}), frozenset({"||"}), frozenset({"&&"}))
"""Tokens that divide an expression into parts. Those that bind least tightly come first."""


def span(outline: Outline, region: Region, first: int, last: int) -> tuple[int, int]:
    """The smallest expression of a region that contains these tokens. A shorter expression compiles faster."""
    held = region.first, region.last
    while True:
        smaller = next((part for part in _parts(outline, *held) if part != held and _holds(part, first, last)), None)
        if smaller is None:
            return held
        held = smaller


def _holds(part: tuple[int, int], first: int, last: int) -> bool:
    return part[0] <= first and last <= part[1] and part[0] < part[1]


def _parts(outline: Outline, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of an expression, which are between the tokens that divide it and inside its brackets. The target
    of an assignment is not a part.
    """
    top = list(outside(outline.pairs, first, last))
    for separators in SPLITS:
        marks = [number for number in top if outline.code[number].text in separators]
        if marks:
            begins = [marks[-1] + 1] if separators is ASSIGNMENTS else [first, *(mark + 1 for mark in marks)]
            ends = [last] if separators is ASSIGNMENTS else [*marks, last]
            yield from zip(begins, ends, strict=True)
            break
    yield from _bracketed(outline, first, last)


def _bracketed(outline: Outline, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the expressions in brackets. Arguments of OpenCL's built-in functions are left out because their types
    select the overload.
    """
    for number in outside(outline.pairs, first, last):
        token, before = outline.code[number], outline.code[number - 1]
        if token.text == "(" and before.kind == "name" and before.text not in outline.names:
            yield from _bracketed(outline, number + 1, outline.pairs[number])
        elif token.text in {"(", "["}:
            yield number + 1, outline.pairs[number]


@dataclass(frozen=True, kw_only=True, eq=False)
class Edit:
    """A change of a region. `text` replaces the tokens from `first` up to but not including `last`. If both are equal,
    it is inserted before `first`. `span` is the smallest expression around the edit, and `part` describes its place in
    words.
    """

    region: Region
    first: int
    last: int
    text: str
    part: str
    line: int
    span: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Site:
    """A token in its region. `index` are the brackets of the innermost index that contains the token, and the array's
    name. `guards` are the guards in the function.
    """

    outline: Outline
    region: Region
    number: int
    index: tuple[int, int, str] | None
    guards: Guards

    @property
    def token(self) -> Token:
        """The token at this site."""
        return self.outline.code[self.number]

    def text(self, away: int = 0) -> str:
        """The text of the token that is `away` places further on; "" outside the region."""
        number = self.number + away
        return self.outline.code[number].text if self.region.first <= number < self.region.last else ""

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The visible variables, by name."""
        return {each.name: each for each in self.region.visible}

    @property
    def variable(self) -> Variable | None:
        """The variable with the name in this token; None if there is no such visible variable."""
        return None if self.text(-1) == "." else self.variables.get(self.token.text)

    @property
    def compared(self) -> list[str]:
        """The terms that conditions and loops compare before the token is evaluated. Each occurs once."""
        return self._terms(lambda: self.guards.at(self.number))

    @property
    def compared_beside(self) -> list[str]:
        """The terms that the same expression compares before it evaluates the token, as in `i < n ? a[i] : 0`."""
        return self._terms(lambda: self.guards.within(self.region, self.number))

    def _terms(self, guards: Callable[[], Iterable[Guard]]) -> list[str]:
        try:
            sides = [side for each in guards() for side in (each.left, each.right)]
        except TooComplexError:  # no student writes such a text
            return []
        sums = (side for side in sides if not NO_SUM.search(side))
        return list(dict.fromkeys(term for side in sums for term in side.split(" + ")))

    @property
    def is_binary(self) -> bool:
        """True if the token is a binary operator, which follows an operand."""
        before = self.outline.code[self.number - 1]
        inside = self.number > self.region.first and self.text(1) != ")"
        is_operand = before.kind in {"name", "number"} and not TYPE.fullmatch(before.text)
        return inside and (is_operand or before.text in {")", "]"})

    @property
    def moves_a_pointer(self) -> bool:
        """True if an operand is a pointer itself and not one of its elements."""
        before, after = self.variables.get(self.text(-1)), self.variables.get(self.text(1))
        is_after = after is not None and bool(after.subscripts) and self.text(2) != "["
        return is_after or (before is not None and bool(before.subscripts))

    @property
    def divides_safely(self) -> bool:
        """True if the operand after the token is never 0."""
        after = self.variables.get(self.text(1))
        return self.text(1).isdigit() or (after is not None and after.is_size)

    @property
    def divides_integers(self) -> bool:
        """True if the token is between two whole numbers, of which the second is never 0. A cast may precede the second
        one.
        """
        cast = self.text(1) == "(" and TYPE.fullmatch(self.text(2)) and self.text(3) == ")"
        divisor = self.text(4 if cast else 1)
        after, before = self.variables.get(divisor), self.variables.get(self.text(-1))
        is_whole = divisor.isdigit() or (after is not None and after.is_size)
        return is_whole and (self._ends_a_sum_of_integers if before is None else before.is_integer)

    @property
    def _ends_a_sum_of_integers(self) -> bool:
        """True if the brackets before the token contain only integers."""
        closing = self.number - 1
        if self.outline.code[closing].text != ")":
            return False
        names = (each for each in self.outline.code[self.outline.openings[closing] : closing] if each.kind == "name")
        known = [self.variables.get(each.text) for each in names if not TYPE.fullmatch(each.text)]
        return all(each is not None and each.is_integer for each in known)

    @property
    def is_divisor(self) -> bool:
        """True if an operand is divided by the token."""
        return self.text(-1) in DIVISIONS

    @property
    def is_changed(self) -> bool:
        """True if the token is a variable that is changed here."""
        return self.text(1) in CHANGES or self.text(-1) in {"++", "--"}

    def replaced(self, text: str) -> Edit:
        """The edit that replaces the token with a text."""
        return self.edit(self.number, self.number + 1, text)

    def inserted(self, text: str) -> Edit:
        """The edit that inserts a text before the token."""
        return self.edit(self.number, self.number, text)

    def edit(self, first: int, last: int, text: str) -> Edit:
        """The edit that replaces the tokens from `first` up to but not including `last` with a text."""
        return Edit(
            region=self.region,
            first=first,
            last=last,
            text=text,
            part=self.part,
            line=self.token.line,
            span=span(self.outline, self.region, first, last),
        )

    @property
    def part(self) -> str:
        """The place of the token in words."""
        if self.index is not None:
            return f"the index of {self.index[2]}"
        if self.region.target:
            return PARTS_OF[self.region.role].format(self.region.target)
        return PARTS[self.region.role]
