"""What a text of OpenCL C holds, as far as edits need it: functions, expressions that can be replaced, and what can be
seen from each. It is read from tokens in one pass; a text that does not read as C does has no outline.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from grader.protocol.tokens import Token, join, logical_lines

LONGEST = 64 * 1024
"""Characters of a text that is read here. Hand-written kernels have a tenth of it with their macros expanded."""

TOKENS, FUNCTIONS, VARIABLES, DEEPEST = 8_000, 64, 64, 50
"""The most that are read: tokens, functions, variables that can be seen at once, and statements within each other."""

CLOSING = {"(": ")", "[": "]", "{": "}"}

QUALIFIERS = frozenset({"const", "volatile", "restrict", "static", "inline", "register", "__restrict", "signed"})
SPACES = {spelling: name for name in ("global", "local", "constant", "private") for spelling in (name, f"__{name}")}
INTEGER = re.compile(r"u?(?:char|short|int|long)|unsigned|size_t|ptrdiff_t|bool|u?int(?:8|16|32|64)_t")
TYPE = re.compile(rf"(?:{INTEGER.pattern}|float|double|half|void)(?:2|3|4|8|16)?")

BARRIERS = frozenset({"barrier", "work_group_barrier", "async_work_group_copy", "wait_group_events"})
"""Every work-item of a group must reach these: none of them is part of an edit."""

Role = Literal["condition", "loop condition", "step", "value", "statement", "result"]


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable: the type of its elements, and how many subscripts lead to one (pointers are arrays)."""

    name: str
    type: str
    subscripts: int
    space: str
    constant: bool
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
    is returned, or a whole statement. `target` is the variable, if there is one.
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
    def names(self) -> frozenset[str]:
        """Those of the functions that it defines."""
        return frozenset(each.name for each in self.functions)


class _UnreadableError(Exception):
    """This does not read as C does."""


def outline(source: str, kernels: Iterable[str]) -> Outline | None:
    """The outline of a text whose macros are expanded, with the regions of these kernels and what they call; None of
    a text that is too long or does not read as C does.
    """
    if len(source) > LONGEST:
        return None
    joined = join(source)
    code = tuple(token for line in logical_lines(joined.tokens()) for token in _code(line))
    try:
        pairs = _pairs(code)
        functions = tuple(_functions(code, pairs))
        if max(len(code) / TOKENS, len(functions) / FUNCTIONS) > 1:
            return None
        reader = _Reader(code=code, pairs=pairs, types=_types(code, pairs), whole=_whole(code, functions))
        reached = _reached(code, functions, kernels)
        for function in functions:
            reader.read(function, wanted=function.name in reached)
    except _UnreadableError:
        return None
    return Outline(
        text=joined.text,
        code=code,
        pairs=pairs,
        functions=functions,
        regions=tuple(
            each
            for each in reader.regions
            if "#" not in joined.text[code[each.first].start : code[each.last - 1].start]
        ),
        loops=tuple(reader.loops),
    )


def _code(line: list[Token]) -> Iterator[Token]:
    """The tokens of a logical line but white space; none of a directive's."""
    code = [token for token in line if token.is_code]
    return iter(()) if code and code[0].text.startswith(("#", "%:")) else iter(code)


def _pairs(code: Sequence[Token]) -> dict[int, int]:
    """The brackets: where each that opens is closed."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for number, token in enumerate(code):
        if token.text in CLOSING:
            opened.append(number)
        elif token.text in CLOSING.values():
            if not opened or CLOSING[code[opened[-1]].text] != token.text:
                raise _UnreadableError
            pairs[opened.pop()] = number
    if opened:
        raise _UnreadableError
    return pairs


def _outside(pairs: dict[int, int], first: int, last: int) -> Iterator[int]:
    """The tokens from first to last that no bracket between them encloses; of a pair, the one that opens it."""
    number = first
    while number < last:
        yield number
        number = pairs.get(number, number) + 1


def _functions(code: Sequence[Token], pairs: dict[int, int]) -> Iterator[Function]:
    """Those that have a body: a name, its parameters, perhaps attributes, and the body."""
    outside = list(_outside(pairs, 0, len(code)))
    for begin, number in enumerate(outside):
        if code[number].text != "{":
            continue
        place = begin
        while place > 3 and code[outside[place - 2]].text == "__attribute__":
            place -= 2
        if place > 2 and code[outside[place - 1]].text == "(" and code[outside[place - 2]].kind == "name":
            name, bracket = code[outside[place - 2]].text, outside[place - 1]
            yield Function(name=name, parameters=(bracket, pairs[bracket]), body=(number, pairs[number]))


def _calls(code: Sequence[Token], function: Function) -> set[str]:
    return {token.text for token in code[slice(*function.body)] if token.kind == "name"}


def _reached(code: Sequence[Token], functions: Sequence[Function], kernels: Iterable[str]) -> set[str]:
    """The kernels, and the functions that they lead to."""
    called = {each.name: _calls(code, each) for each in functions}
    reached: set[str] = set()
    waiting = [name for name in kernels if name in called]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += called[name] & called.keys()
    return reached


def _whole(code: Sequence[Token], functions: Sequence[Function]) -> frozenset[str]:
    """Names of what a whole group must reach: barriers, and functions that lead to one."""
    called = {each.name: _calls(code, each) for each in functions}
    whole = set(BARRIERS)
    while new := {name for name, calls in called.items() if name not in whole and calls & whole}:
        whole |= new
    return frozenset(whole)


def _types(code: Sequence[Token], pairs: dict[int, int]) -> dict[str, str]:
    """The names that typedefs outside functions give to types: each stands for a type of its own or, where it only
    renames one, for that.
    """
    types: dict[str, str] = {}
    begun: list[str] | None = None
    for number in _outside(pairs, 0, len(code)):
        token = code[number]
        if token.text == "typedef":
            begun = []
        elif begun is not None and token.text == ";":
            if begun:
                types[begun[-1]] = begun[0] if len(begun) == 2 and TYPE.fullmatch(begun[0]) else begun[-1]
            begun = None
        elif begun is not None:
            begun.append(token.text)
    return types


@dataclass(kw_only=True)
class _Reader:
    """Reads the bodies of functions; `scope` is what can be seen where it is."""

    code: Sequence[Token]
    pairs: dict[int, int]
    types: dict[str, str]
    whole: frozenset[str]
    regions: list[Region] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)
    scope: list[Variable] = field(default_factory=list)
    wanted: bool = True

    def read(self, function: Function, *, wanted: bool) -> None:
        """Read a function; its regions count only if they are wanted."""
        self.wanted = wanted
        first, last = function.parameters
        self.scope = [each for part in self._parts(first + 1, last) for each in self._declare(*part, parameter=True)]
        self._block(function.body[0], 0)

    def _text(self, number: int) -> str:
        return self.code[number].text if number < len(self.code) else ""

    def _find(self, text: str, first: int, last: int) -> int:
        """The first such token outside brackets, or last."""
        outside = _outside(self.pairs, first, last)
        return next((number for number in outside if self._text(number) == text), last)

    def _parts(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """What stands between commas."""
        while first < last:
            comma = self._find(",", first, last)
            yield first, comma
            first = comma + 1

    # --- statements ---------------------------------------------------------------------------

    def _block(self, opening: int, depth: int) -> int:
        """Read what a brace opens; the token after it."""
        seen, number, last = len(self.scope), opening + 1, self.pairs[opening]
        while number < last:
            number = self._statement(number, last, depth + 1)
        del self.scope[seen:]
        return last + 1

    def _statement(self, first: int, last: int, depth: int) -> int:
        """Read a statement; the token after it."""
        if depth > DEEPEST or first >= last:
            raise _UnreadableError
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
            raise _UnreadableError
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
            raise _UnreadableError
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
            raise _UnreadableError
        condition = self._bracket(after + 1)
        self._condition(condition, is_loop=True)
        return self._find(";", condition[1], last) + 1

    def _simple(self, first: int, last: int) -> None:
        """Read a declaration, a `return`, or an expression, without what ends it."""
        if self._text(first) == "return":
            self._add(first + 1, last, "result")
        elif self._is_declaration(first, last):
            self._declare_all(first, last)
        elif self._text(first) not in {"break", "continue", "goto"} and self._text(first + 1) != ":":
            name = self._text(first) if self.code[first].kind == "name" else ""
            self._add(first, last, "statement", name)

    def _add(self, first: int, last: int, role: Role, target: str = "") -> None:
        texts = {token.text for token in self.code[first:last]}
        if self.wanted and first < last and not texts & self.whole and not texts & {"{", "}"}:
            visible = {each.name: each for each in self.scope}  # the innermost of a name
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
        """Each of a declaration's variables, which can be seen from its end on."""
        type_ends = first
        while type_ends < last and self._is_type(type_ends):
            type_ends += 1
        begin = first
        for part, end in self._parts(first, last):
            head = self._find("=", part, end)
            declared = list(self._declare(part, head, words=() if part == begin else (first, type_ends)))
            if declared and head + 1 < end and self._text(head + 1) != "{":
                self._add(head + 1, end, "value", declared[0].name)
            self.scope += declared
            if len(self.scope) > VARIABLES:
                raise _UnreadableError

    def _declare(
        self, first: int, last: int, *, words: tuple[int, ...] = (), parameter: bool = False
    ) -> Iterator[Variable]:
        """The variable of one declarator; `words` is where its type stands, if not before it."""
        number, names = first, [token.text for token in self.code[slice(*words)]] if words else []
        while number < last and self._is_type(number):
            names.append(self._text(number))
            number += 1
        rest = [self._text(each) for each in _outside(self.pairs, number, last)]
        declared = [text for text in rest if text.isidentifier() and text not in QUALIFIERS]
        if not declared:
            return
        types = [self.types.get(name, name) for name in names if name not in QUALIFIERS and name not in SPACES]
        spaces = [SPACES[name] for name in names if name in SPACES]
        yield Variable(
            name=declared[-1],
            type=" ".join(types),
            subscripts=rest.count("*") + rest.count("["),
            space=spaces[0] if spaces else "private",
            constant="const" in names or "constant" in spaces,
            parameter=parameter,
        )
