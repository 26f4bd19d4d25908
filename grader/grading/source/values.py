"""Computes the values of integer expressions in a function, as far as its text determines them."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from grader.grading.source.outline import TYPE, Function, Outline, Region, outside
from grader.grading.source.polynomial import Polynomial, atom, constant

ASSIGNMENTS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="})

STEPS = frozenset({"++", "--"})

DEEPEST = 20
"""Maximum number of variables through which a value is traced back."""

TERMS, DEGREE, LARGEST = 32, 8, 2**63
"""Maximum number of terms of a value, maximum number of atoms of a term, and limit on a factor. An index has only a few
of them.
"""

MOST_STEPS = 3_000_000
"""Maximum number of steps to analyse a function, which take a second or two. Functions in the test corpus take at most
160,000. In a hostile text, conditions can double with each line.
"""

Span = tuple[int, int]
"""Number of the first token, and of the token after the last one."""


class TooComplexError(Exception):
    """A function takes too many steps to analyse."""


@dataclass(kw_only=True)
class Effort:
    """The steps that are left to analyse a function."""

    left: int = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Use up this many steps. Raises TooComplexError if too few are left."""
        self.left -= steps
        if self.left < 0:
            raise TooComplexError


@dataclass(frozen=True, kw_only=True)
class Values:
    """Values in a function. `calls` contains the values of calls without side effects, such as "get_local_size(0)".
    Methods raise TooComplexError if they take too many steps together.
    """

    outline: Outline
    function: Function
    calls: Mapping[str, Polynomial]
    effort: Effort = field(default_factory=Effort)

    def of(self, span: Span, depth: int = 0) -> Polynomial | None:
        """The value of an expression; None if it is not a polynomial of variables and calls. A variable with a single
        definition is replaced with its value, unless the value may have changed in the meantime.
        """
        parts = self.split(span, "+", "-")
        if len(parts) > 1 or self._text(span[0]) in {"+", "-"}:
            return self._sum(span, depth)
        factors = self.split(span, "*")
        if len(factors) > 1:
            product: Polynomial | None = constant(1)
            for factor in factors:
                value = self.of(factor, depth)
                product = None if value is None or product is None else self._product(product, value)
            return product
        return self._primary(span, depth)

    def _product(self, one: Polynomial, other: Polynomial) -> Polynomial | None:
        pairs = len(one.terms) * len(other.terms)
        self.effort.spend(pairs * pairs)
        return _limited(one * other)

    def split(self, span: Span, *signs: str) -> list[Span]:
        """The parts of an expression between these signs outside brackets."""
        first, last = span
        self.effort.spend(last - first)
        marks = [each for each in outside(self.outline.pairs, first, last) if self._text(each) in signs]
        marks = [each for each in marks if each > first and not self._is_sign(each - 1)]
        return list(zip([first, *(mark + 1 for mark in marks)], [*marks, last], strict=True))

    def bare(self, span: Span) -> Span:
        """The expression without surrounding brackets and casts."""
        first, last = span
        while last - first > 1 and self._text(first) == "(":
            closing = self.outline.pairs[first]
            if self._is_cast(first):
                first = closing + 1
            elif closing == last - 1:
                first, last = first + 1, closing
            else:
                break
        return first, last

    def traced(self, span: Span) -> Span:
        """The definition of the variable if the expression is a variable with a single definition; otherwise the
        expression.
        """
        for _ in range(DEEPEST):
            span = self.bare(span)
            found = self._definition(span)
            if found is None:
                return span
            span = found
        return span

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The expressions of the function."""
        begin, end = self.function.body
        return tuple(each for each in self.outline.regions if begin < each.first < end)

    @cached_property
    def changes(self) -> Mapping[str, list[int]]:
        """The tokens at which each variable is changed."""
        found: dict[str, list[int]] = defaultdict(list)
        for number in range(self.function.body[0] + 1, self.function.body[1]):
            before, after = self._text(number - 1), self._text(number + 1)
            is_own = self.outline.code[number].kind == "name" and before not in {".", "->"}
            is_taken = before == "&" and self._text(number - 2) in {"(", ","}
            if is_own and (after in ASSIGNMENTS or after in STEPS or before in STEPS or is_taken):
                found[self._text(number)].append(number)
        return found

    def is_changed(self, value: Polynomial, first: int, last: int) -> bool:
        """True if a variable of a value is changed by one of these tokens."""
        return any(first <= place < last for name in value.atoms for place in self.changes.get(name, ()))

    @cached_property
    def _known(self) -> dict[str, Polynomial | None]:
        """Cache of the values of definitions, so that each definition is analysed only once."""
        return {}

    @cached_property
    def _definitions(self) -> Mapping[str, Span]:
        """The definition of each variable that gets only one value."""
        found: dict[str, Span] = {}
        for each in self.regions:
            if len(self.changes.get(each.target, ())) != 1:
                continue
            if each.role == "value":
                found[each.target] = (each.first, each.last)
            elif each.role == "statement" and self._text(each.first + 1) == "=":
                found[each.target] = (each.first + 2, each.last)
        return found

    def _definition(self, span: Span) -> Span | None:
        """The definition of a variable if the expression consists only of this variable; otherwise None."""
        if span[1] - span[0] != 1:
            return None
        found = self._definitions.get(self._text(span[0]))
        return found if found is not None and found[1] <= span[0] else None

    def _sum(self, span: Span, depth: int) -> Polynomial | None:
        total: Polynomial | None = constant(0)
        for part in self.split(span, "+", "-"):
            first, last = part
            is_signed = self._text(first) in {"+", "-"}
            sign = self._text(first if is_signed else first - 1) if is_signed or first > span[0] else "+"
            value = self.of((first + is_signed, last), depth)
            if value is None or total is None:
                return None
            total = _limited(total - value if sign == "-" else total + value)
        return total

    def _primary(self, span: Span, depth: int) -> Polynomial | None:
        first, last = inner = self.bare(span)
        if first >= last or depth > DEEPEST:
            return None
        if inner != span:
            return self.of(inner, depth)
        if last - first > 1:
            return self._shifted(span, depth) or self._call(span)
        token = self.outline.code[first]
        if token.kind == "number":
            digits = token.text.rstrip("uUlL")
            return constant(int(digits)) if re.fullmatch(r"0|[1-9]\d{0,9}", digits) else None
        return self._variable(first, depth) if token.kind == "name" else None

    def _variable(self, place: int, depth: int) -> Polynomial:
        """The value of a variable's definition, or the variable itself if the definition is unknown."""
        name, found = self._text(place), self._definition((place, place + 1))
        if found is None:
            return atom(name)
        if name not in self._known:
            self._known[name] = self.of(found, depth + 1)
        value = self._known[name]
        return atom(name) if value is None or self.is_changed(value, found[1], place) else value

    def _shifted(self, span: Span, depth: int) -> Polynomial | None:
        parts = self.split(span, "<<")
        if len(parts) != 2:
            return None
        value, places = (self.of(part, depth) for part in parts)
        if value is None or places is None or places.number is None or not 0 <= places.number < 32:
            return None
        return value * constant(2**places.number)

    def _call(self, span: Span) -> Polynomial | None:
        text = self.outline.between(*span).replace(" ", "")
        return self.calls.get(text)

    def _text(self, number: int) -> str:
        return self.outline.code[number].text

    def _is_sign(self, number: int) -> bool:
        """True if no operand ends with this token, so that a sign after the token is unary."""
        token = self.outline.code[number]
        return token.kind not in {"name", "number"} and token.text not in {")", "]"}

    def _is_cast(self, opening: int) -> bool:
        inside = self.outline.code[opening + 1 : self.outline.pairs[opening]]
        return bool(inside) and all(TYPE.fullmatch(token.text) for token in inside)


def _limited(value: Polynomial) -> Polynomial | None:
    """The value, or None if it is too large to be an index."""
    is_small = len(value.terms) <= TERMS and all(map(_is_small, value.terms.items()))
    return value if is_small else None


def _is_small(term: tuple[tuple[str, ...], int]) -> bool:
    return len(term[0]) <= DEGREE and abs(term[1]) < LARGEST
