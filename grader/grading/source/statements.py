"""Parses the bodies of functions: the expressions in them, and the variables that are visible in each expression."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.grading.source.outline import TYPE, Function, Region, Role, Variable, outside
from grader.protocol.tokens import Token

QUALIFIERS = frozenset({"const", "volatile", "restrict", "static", "inline", "register", "__restrict", "signed"})
SPACES = {spelling: name for name in ("global", "local", "constant", "private") for spelling in (name, f"__{name}")}
VARIABLES, DEEPEST = 64, 50
"""Maximum number of variables that are visible at once, and maximum nesting depth of statements. A text beyond these
limits is not parsed.
"""


EDITED_TOKENS = 250
"""Maximum number of tokens of an expression that is edited. The limit is needed because each edit repeats the
expression.
"""


class UnreadableError(Exception):
    """The text is not valid C, or it exceeds a limit."""


@dataclass(kw_only=True)
class Reader:
    """Parses the bodies of functions. `scope` contains the variables that are visible at the current token."""

    code: Sequence[Token]
    pairs: dict[int, int]
    types: dict[str, str]
    whole: frozenset[str]
    regions: list[Region] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)
    scope: list[Variable] = field(default_factory=list)
    wanted: bool = True

    def read(self, function: Function, *, wanted: bool) -> None:
        """Parse a function. Its regions are kept only if they are wanted."""
        self.wanted = wanted
        first, last = function.parameters
        self.scope = [each for part in self._parts(first + 1, last) for each in self._declare(*part, parameter=True)]
        self._block(function.body[0], 0)

    def _text(self, number: int) -> str:
        return self.code[number].text if number < len(self.code) else ""

    def _find(self, text: str, first: int, last: int) -> int:
        """Number of the first token with this text outside brackets, or `last` if there is none."""
        return next((number for number in outside(self.pairs, first, last) if self._text(number) == text), last)

    def _parts(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the token ranges between commas."""
        while first < last:
            comma = self._find(",", first, last)
            yield first, comma
            first = comma + 1

    # --- statements ---------------------------------------------------------------------------

    def _block(self, opening: int, depth: int) -> int:
        """Parse the block after an opening brace. Returns the number of the token after the block."""
        seen, number, last = len(self.scope), opening + 1, self.pairs[opening]
        while number < last:
            number = self._statement(number, last, depth + 1)
        del self.scope[seen:]
        return last + 1

    def _statement(self, first: int, last: int, depth: int) -> int:
        """Parse a statement. Returns the number of the token after it."""
        if depth > DEEPEST or first >= last:
            raise UnreadableError
        match self._text(first):
            case "{":
                after = self._block(first, depth)
            case "if" | "while" | "switch":
                after = self._controlled(first, last, depth)
            case "for":
                after = self._for(first, last, depth)
            case "do":
                after = self._do(first, last, depth)
            case "else":
                after = self._statement(first + 1, last, depth + 1)
            case "case" | "default":
                after = self._find(":", first, last) + 1
            case _:
                after = self._find(";", first, last) + 1
                self._simple(first, after - 1)
        return after

    def _bracket(self, number: int) -> tuple[int, int]:
        if self._text(number) != "(":
            raise UnreadableError
        return number + 1, self.pairs[number]

    def _controlled(self, first: int, last: int, depth: int) -> int:
        condition = self._bracket(first + 1)
        is_loop = self._text(first) == "while"
        self._condition(condition, is_loop=is_loop)
        return self._statement(condition[1] + 1, last, depth + 1)

    def _condition(self, tokens: tuple[int, int], *, is_loop: bool) -> None:
        if is_loop:
            self.loops.append(tokens)
        self._add(*tokens, "loop condition" if is_loop else "condition")

    def _for(self, first: int, last: int, depth: int) -> int:
        begin, end = self._bracket(first + 1)
        condition = self._find(";", begin, end) + 1
        step = self._find(";", condition, end) + 1
        if step > end:
            raise UnreadableError
        seen = len(self.scope)
        self._simple(begin, condition - 1)
        self._condition((condition, step - 1), is_loop=True)
        self._add(step, end, "step")
        after = self._statement(end + 1, last, depth + 1)
        del self.scope[seen:]
        return after

    def _do(self, first: int, last: int, depth: int) -> int:
        after = self._statement(first + 1, last, depth + 1)
        if self._text(after) != "while":
            raise UnreadableError
        condition = self._bracket(after + 1)
        self._condition(condition, is_loop=True)
        return self._find(";", condition[1], last) + 1

    def _simple(self, first: int, last: int) -> None:
        """Parse a declaration, a `return` or an expression, without the token that ends it."""
        if self._text(first) == "return":
            self._add(first + 1, last, "result")
        elif self._is_declaration(first, last):
            self._declare_all(first, last)
        elif self._text(first) not in {"break", "continue", "goto"} and self._text(first + 1) != ":":
            name = self._text(first) if self.code[first].kind == "name" else ""
            self._add(first, last, "statement", name)

    def _add(self, first: int, last: int, role: Role, target: str = "") -> None:
        texts = {token.text for token in self.code[first:last]}
        is_short = 0 < last - first <= EDITED_TOKENS
        if self.wanted and is_short and not texts & self.whole and not texts & {"{", "}"}:
            visible = {each.name: each for each in self.scope}  # an inner variable hides an outer one of the same name
            self.regions.append(
                Region(first=first, last=last, role=role, target=target, visible=tuple(visible.values()))
            )

    # --- declarations -------------------------------------------------------------------------

    def _is_type(self, number: int) -> bool:
        text = self._text(number)
        known = text in QUALIFIERS or text in SPACES or text in self.types or text in {"struct", "union", "enum"}
        return known or TYPE.fullmatch(text) is not None

    def _is_declaration(self, first: int, last: int) -> bool:
        two_names = all(self.code[number].kind == "name" for number in range(first, min(first + 2, last)))
        return first < last and (self._is_type(first) or (last - first > 1 and two_names))

    def _declare_all(self, first: int, last: int) -> None:
        """Parse all variables of a declaration. Each is visible from the end of its declarator on."""
        type_ends = first
        while type_ends < last and self._is_type(type_ends):
            type_ends += 1
        begin = first
        for part, end in self._parts(first, last):
            head = self._find("=", part, end)
            declared = list(self._declare(part, head, words=() if part == begin else (first, type_ends)))
            if declared and head + 1 < end and self._text(head + 1) != "{":
                self._add(head + 1, end, "value", declared[0].name)
            elif declared and head + 1 < end and declared[0].space != "constant":
                self._elements(head + 1)
            self.scope += declared
            if declared:
                self._add(first, type_ends, "type", declared[0].name)
            if len(self.scope) > VARIABLES:
                raise UnreadableError

    def _elements(self, opening: int) -> None:
        """Parse the values in braces that initialise an array or a struct. They do not belong to a single variable."""
        for first, last in self._parts(opening + 1, self.pairs[opening]):
            self._add(first, last, "value")

    def _declare(
        self, first: int, last: int, *, words: tuple[int, ...] = (), parameter: bool = False
    ) -> Iterator[Variable]:
        """Yield the variable of one declarator. `words` is the token range of its type if the type does not directly
        precede it.
        """
        number, names = first, [token.text for token in self.code[slice(*words)]] if words else []
        while number < last and self._is_type(number):
            names.append(self._text(number))
            number += 1
        rest = [self._text(each) for each in outside(self.pairs, number, last)]
        declared = [text for text in rest if text.isidentifier() and text not in QUALIFIERS]
        if not declared:
            return
        types = [self.types.get(name, name) for name in names if name not in QUALIFIERS and name not in SPACES]
        types = types or declared[-2:-1] or ["int"]  # the name of an unknown type; without a type, C assumes int
        spaces = [SPACES[name] for name in names if name in SPACES]
        yield Variable(
            name=declared[-1],
            type=" ".join(types),
            subscripts=rest.count("*") + rest.count("["),
            is_array="[" in rest and "*" not in rest and not parameter,
            space=spaces[0] if spaces else "private",
            constant="const" in names or "constant" in spaces,
            parameter=parameter,
        )
