"""Finds the comparisons that must be true when an expression is evaluated."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from grader.grading.source.outline import Region, outside
from grader.grading.source.polynomial import Polynomial, constant
from grader.grading.source.values import ASSIGNMENTS, Span, Values

STRICT = {"<": (1, 0), "<=": (1, 1), ">": (-1, 0), ">=": (-1, 1)}
"""For each comparison, the sign of right minus left, and the number to add, so that the result is positive if the
comparison is true.
"""

NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

GUARD_STEPS = 1_000
"""Number of steps that are charged for parsing a comparison. It takes some tenths of a millisecond, as long as a
thousand tokens.
"""

LEAVES = frozenset({"return", "continue", "break"})


@dataclass(frozen=True, kw_only=True)
class Guard:
    """A comparison that is true when an expression is evaluated. `room` is then positive; it is None if the comparison
    cannot be analysed. `left` and `right` are its sides, `values` their values, and `names` the names in it. `is_loop`
    is true for the condition of a loop.

    `line` is the line of the comparison, and `used` is the line of the condition that uses it.
    """

    line: int
    used: int
    left: str
    right: str
    room: Polynomial | None
    values: tuple[Polynomial | None, ...]
    names: frozenset[str]
    is_loop: bool


@dataclass(frozen=True, kw_only=True)
class Guards:
    """The guards in a function."""

    values: Values

    def at(self, place: int) -> tuple[Guard, ...]:
        """The guards of a token, which come from statements around it, earlier exits, and the expression that contains
        it.
        """
        return tuple(self._of(place))

    def within(self, region: Region, place: int) -> tuple[Guard, ...]:
        """The guards of a token inside a region, such as a conditional expression."""
        return tuple(self._inside((region.first, region.last), place))

    def statement(self, condition: Region) -> Span:
        """The first and the last token of the statement that a condition controls, without its `else`."""
        return self._statements[condition.first]

    @cached_property
    def _statements(self) -> dict[int, Span]:
        """The statement of each condition, by the first token of the condition."""
        conditions = (each for each in self.values.regions if each.role in {"condition", "loop condition"})
        return {each.first: self._statement(each) for each in conditions}

    def _statement(self, condition: Region) -> Span:
        opening, pairs = condition.first - 1, self.values.outline.pairs
        while self._text(opening) != "(" or pairs[opening] < condition.last:
            opening -= 1
        first = pairs[opening] + 1
        return first, self._end(first)

    def _of(self, place: int) -> Iterator[Guard]:
        for each in self.values.regions:
            if each.first <= place < each.last:
                yield from self._inside((each.first, each.last), place)
            elif each.role in {"condition", "loop condition"}:
                yield from self._of_condition(each, place)

    def _of_condition(self, condition: Region, place: int) -> Iterator[Guard]:
        """Yield the guards that a condition provides for a later token."""
        span, is_loop = (condition.first, condition.last), condition.role == "loop condition"
        first, last = self._statements[condition.first]
        if first <= place <= last:
            yield from self._true(span, (first, place if is_loop else last), is_loop=is_loop)
            return
        if is_loop:
            return
        otherwise = last + 1
        has_else = otherwise < len(self.values.outline.code) and self._text(otherwise) == "else"
        if has_else and otherwise <= place <= self._end(otherwise + 1):
            yield from self._false(span, (otherwise, self._end(otherwise + 1)))
        elif place > last and self._leaves(first, last) and place < self._reach(condition):
            yield from self._false(span, (last, place))

    def _leaves(self, first: int, last: int) -> bool:
        """True if a statement always leaves its block."""
        if self._text(first) == "{":
            inside = list(outside(self.values.outline.pairs, first + 1, last))
            statements = [first + 1, *(each + 1 for each in inside if self._text(each) == ";")]
            return any(each < last and self._text(each) in LEAVES for each in statements)
        return self._text(first) in LEAVES

    def _reach(self, condition: Region) -> int:
        """The end of the innermost block around a condition. An exit counts only within that block."""
        self.values.effort.spend(len(self.values.outline.pairs))
        around = [
            closing
            for opening, closing in self.values.outline.pairs.items()
            if self._text(opening) == "{" and opening < condition.first < closing
        ]
        return min(around)

    def _end(self, first: int) -> int:
        """The last token of a statement."""
        pairs, body_end = self.values.outline.pairs, self.values.function.body[1]
        text = self._text(first)
        if text == "{":
            return pairs[first]
        self.values.effort.spend(body_end - first)
        if text in {"if", "for", "while"}:
            last = self._end(pairs[first + 1] + 1)
            return self._end(last + 2) if text == "if" and self._text(last + 1) == "else" else last
        if text == "do":
            last = self._end(first + 1)
            return next(each for each in range(last, body_end) if self._text(each) == ";")
        return next((each for each in outside(pairs, first, body_end) if self._text(each) == ";"), body_end)

    def _inside(self, span: Span, place: int) -> Iterator[Guard]:
        """Yield the guards that an expression provides for a token in it."""
        pairs = self.values.outline.pairs
        self.values.effort.spend(span[1] - span[0])
        top = list(outside(pairs, *span))
        assigned = [each for each in top if self._text(each) in ASSIGNMENTS]
        asked = next((each for each in top if self._text(each) == "?"), None)
        if assigned:
            if place > assigned[-1]:
                yield from self._inside((assigned[-1] + 1, span[1]), place)
        elif asked is not None:
            yield from self._chosen(span, asked, place)
        elif any(self._text(each) in {"&&", "||"} for each in top):
            yield from self._joined(span, place)
        else:
            for bracket in (each for each in top if each < place < pairs.get(each, each)):
                yield from self._inside((bracket + 1, pairs[bracket]), place)

    def _chosen(self, span: Span, asked: int, place: int) -> Iterator[Guard]:
        """Yield the guards that `?` provides for a token in one of its branches."""
        other = self._colon(asked, span[1])
        if place < asked:
            yield from self._inside((span[0], asked), place)
        elif place < other:
            yield from self._true((span[0], asked), (asked, other), is_loop=False)
            yield from self._inside((asked + 1, other), place)
        else:
            yield from self._false((span[0], asked), (other, span[1]))
            yield from self._inside((other + 1, span[1]), place)

    def _joined(self, span: Span, place: int) -> Iterator[Guard]:
        """Yield the guards that the operands before a token provide for it."""
        sign, parts = "||", self.values.split(span, "||")
        if len(parts) == 1:
            sign, parts = "&&", self.values.split(span, "&&")
        if len(parts) == 1:
            return  # the operator lacks an operand, which does not compile
        for part in parts:
            if part[0] <= place < part[1]:
                yield from self._inside(part, place)
            elif part[1] <= place and sign == "||":
                yield from self._false(part, (part[1], place))
            elif part[1] <= place:
                yield from self._true(part, (part[1], place), is_loop=False)

    def _colon(self, asked: int, last: int) -> int:
        depth = 0
        for each in outside(self.values.outline.pairs, asked, last):
            depth += {"?": 1, ":": -1}.get(self._text(each), 0)
            if depth == 0:
                return each
        return last

    def _true(self, span: Span, governed: Span, *, is_loop: bool) -> Iterator[Guard]:
        """Yield the guards that follow if a condition is true."""
        used = self.values.outline.code[span[0]].line
        span = self._condition(span)
        if self._text(span[0]) == "!" and len(self.values.split(span, "&&", "||")) == 1:
            yield from self._false((span[0] + 1, span[1]), governed)
            return
        parts = self.values.split(span, "&&")
        for part in parts if len(parts) > 1 else ():
            for each in self._true(part, governed, is_loop=is_loop):
                yield replace(each, used=used)
        if len(parts) == 1:
            for each in self._guard(span, governed, is_negated=False):
                yield replace(each, used=used, is_loop=is_loop)

    def _false(self, span: Span, governed: Span) -> Iterator[Guard]:
        """Yield the guards that follow if a condition is false."""
        used = self.values.outline.code[span[0]].line
        span = self._condition(span)
        if self._text(span[0]) == "!" and len(self.values.split(span, "&&", "||")) == 1:
            yield from self._true((span[0] + 1, span[1]), governed, is_loop=False)
            return
        parts = self.values.split(span, "||")
        for part in parts if len(parts) > 1 else ():
            for each in self._false(part, governed):
                yield replace(each, used=used)
        if len(parts) == 1:
            for each in self._guard(span, governed, is_negated=True):
                yield replace(each, used=used)

    def _condition(self, span: Span) -> Span:
        """The condition or, if it is only a variable, the condition in the definition of that variable."""
        traced = self.values.traced(span)
        is_test = any(self._text(each) in {*NEGATED, "&&", "||", "!"} for each in range(*traced))
        return traced if is_test else self.values.bare(span)

    def _guard(self, span: Span, governed: Span, *, is_negated: bool) -> Iterator[Guard]:
        """Yield a comparison as a guard. `!=` is not a guard because it does not limit a value."""
        values, outline = self.values, self.values.outline
        values.effort.spend(GUARD_STEPS)
        names = frozenset(token.text for token in outline.code[slice(*span)] if token.kind == "name")
        signs = [each for each in outside(outline.pairs, *span) if self._text(each) in NEGATED]
        joined = len(values.split(span, "||")) + len(values.split(span, "&&")) > 2
        room: Polynomial | None = None
        sides, sign = (outline.between(*span), ""), ""
        known: tuple[Polynomial | None, ...] = ()
        if len(signs) == 1 and not joined:
            left, right = (span[0], signs[0]), (signs[0] + 1, span[1])
            sides = outline.between(*values.bare(left)), outline.between(*values.bare(right))
            sign = NEGATED[self._text(signs[0])] if is_negated else self._text(signs[0])
            known = values.of(left), values.of(right)
            room = _room(known, sign)
            if room is not None and values.is_changed(room, governed[0] + 1, governed[1]):
                room = None
        if sign != "!=":
            line = outline.code[span[0]].line
            yield Guard(
                line=line,
                used=line,
                left=sides[0],
                right=sides[1],
                room=room,
                values=known,
                names=names,
                is_loop=False,
            )

    def _text(self, number: int) -> str:
        return self.values.outline.code[number].text


def _room(sides: tuple[Polynomial | None, ...], sign: str) -> Polynomial | None:
    one, other = sides
    if one is None or other is None or sign not in STRICT:
        return None
    direction, more = STRICT[sign]
    return (other - one) * constant(direction) + constant(more)
