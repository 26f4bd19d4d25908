"""A parser for as much of OpenCL C as mutations need: functions, their statements, and the uses of names.

The parser expects well-formed files that compile. It does not know types, and skips the lines of macros.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from grader.protocol.tokens import Token, logical_lines, tokens

OPENING = {"(": ")", "[": "]", "{": "}"}
LOOPS = frozenset({"for", "while", "do"})
ASSIGNS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
BARRIERS = frozenset({"barrier", "work_group_barrier"})
LOCAL = frozenset({"__local", "local"})
KERNEL = frozenset({"__kernel", "kernel"})
GLOBAL = frozenset({"__global", "global", "__constant", "constant"})


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement that consists of the tokens from `first` up to, but not including, `end`. `head` is the content of
    the brackets of an if or a loop. `body` contains the controlled statements, or the statements of a block.
    """

    word: str
    first: int
    end: int
    head: range = range(0)
    body: "tuple[Statement, ...]" = ()

    @property
    def tokens(self) -> range:
        """All tokens of the statement."""
        return range(self.first, self.end)

    def walk(self) -> "Iterator[Statement]":
        """Yield the statement and all statements in it."""
        yield self
        for each in self.body:
            yield from each.walk()

    def around(self, place: int) -> "list[Statement]":
        """Return the statements that contain this token, the outermost first."""
        inner = next((each for each in self.body if place in each.tokens), None)
        return [self, *(inner.around(place) if inner else [])]


@dataclass(frozen=True, kw_only=True)
class Access:
    """An access to an element of an array, directly or by a pointer."""

    array: str
    place: int
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of a function: its name, and the words of its type, including the star of a pointer."""

    name: str
    type: frozenset[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Function:
    """A function with its body."""

    name: str
    is_kernel: bool
    parameters: tuple[Parameter, ...]
    body: Statement


@dataclass(frozen=True, kw_only=True, eq=False)
class Program:
    """A parsed text: its tokens without white space and preprocessor directives."""

    source: str
    code: tuple[Token, ...]
    partners: dict[int, int] = field(default_factory=dict)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """Functions that have a body."""
        return tuple(_functions(self))

    def text(self, place: int) -> str:
        """Return the token at a place, or "" outside of the code."""
        return self.code[place].text if 0 <= place < len(self.code) else ""

    def line(self, place: int) -> int:
        """Return the line of a token."""
        return self.code[place].line

    def lines(self, places: range) -> set[int]:
        """Return the lines of these tokens."""
        return {self.code[place].line for place in places}

    def stop(self, place: int) -> int:
        """Return the end of a token in the source."""
        return self.code[place].start + len(self.code[place].text)

    def cut(self, places: range) -> str:
        """Return the source text from the first to the last of these tokens."""
        return self.source[self.code[places[0]].start : self.stop(places[-1])] if places else ""

    def accesses(self, places: range) -> Iterator[Access]:
        """Yield the accesses to array elements in these tokens. Declarations of arrays do not count."""
        for place in places:
            if self.code[place].kind != "name" or self.text(place + 1) != "[" or self._declares(place):
                continue
            after = place + 1
            while self.text(after) == "[" or (self.text(after) == "." and self.code[after + 1].kind == "name"):
                after = self.partners[after] + 1 if self.text(after) == "[" else after + 2
            writes = self.text(after) in ASSIGNS | {"++", "--"} or self.text(place - 1) in {"++", "--"}
            yield Access(array=self.text(place), place=place, writes=writes)

    def _declares(self, place: int) -> bool:
        """True if a name follows a type, as in the declaration of an array."""
        before = self.code[place - 1] if place else None
        return before is not None and before.kind == "name" and before.text not in {"return", "else"}

    def defined(self, places: range) -> set[str]:
        """Return the variables that these tokens set or declare. An array whose elements change does not count."""
        found = set()
        for place in places:
            if self.code[place].kind != "name":
                continue
            after = self.text(place + 1)
            assigned = after in ASSIGNS | {"++", "--"} or self.text(place - 1) in {"++", "--"}
            element = self.text(place - 1) in {".", "->"}
            if (assigned and not element) or (self._declares(place) and after in {"[", ";", ","}):
                found.add(self.text(place))
        return found

    def uses(self, name: str, places: range) -> Iterator[int]:
        """Yield the places of a name among these tokens."""
        return (place for place in places if self.code[place].kind == "name" and self.text(place) == name)


def parse(source: str) -> Program:
    """Parse a source text."""
    code: list[Token] = []
    for line in logical_lines(tokens(source)):
        shown = [token for token in line if token.is_code]
        if shown and shown[0].text != "#":
            code += shown
    partners: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(code):
        if token.text in OPENING:
            opened.append(place)
        elif token.text in OPENING.values() and opened:
            partners[opened.pop()] = place
    return Program(source=source, code=tuple(code), partners=partners)


def _functions(program: Program) -> Iterator[Function]:
    start = place = 0
    while place < len(program.code):
        end = program.partners.get(place)
        if program.text(place) == "(" and end is not None and program.text(end + 1) == "{":
            body = _statement(program, end + 1)
            yield Function(
                name=program.text(place - 1),
                is_kernel=any(program.text(each) in KERNEL for each in range(start, place)),
                parameters=tuple(_parameters(program, range(place + 1, end))),
                body=body,
            )
            start = place = body.end
        else:
            place += 1


def _parameters(program: Program, places: range) -> Iterator[Parameter]:
    words: list[str] = []
    for word in (*map(program.text, places), ","):
        if word != ",":
            words.append(word)
        elif words:
            *kind, name = words
            yield Parameter(name=name, type=frozenset(kind))
            words = []


def _statement(program: Program, first: int) -> Statement:
    """Return the statement that begins at this token."""
    word = program.text(first)
    if word == "{":
        return Statement(
            word="{", first=first, end=program.partners[first] + 1, body=tuple(_statements(program, first))
        )
    if word in {"if", "for", "while", "switch"}:
        return _controlled(program, first)
    if word == "do":
        body = _statement(program, first + 1)
        head = range(body.end + 2, program.partners[body.end + 1])
        return Statement(word="do", first=first, end=head.stop + 2, head=head, body=(body,))
    place = first
    while program.text(place) not in {";", ""}:
        place = program.partners.get(place, place) + 1
    return Statement(word=word, first=first, end=min(place + 1, len(program.code)))


def _statements(program: Program, opening: int) -> Iterator[Statement]:
    """Yield the statements of a block."""
    place = opening + 1
    while place < program.partners[opening]:
        statement = _statement(program, place)
        yield statement
        place = statement.end


def _controlled(program: Program, first: int) -> Statement:
    """Return an if statement with its else, or a loop."""
    close = program.partners[first + 1]
    body = [_statement(program, close + 1)]
    if program.text(first) == "if" and program.text(body[0].end) == "else":
        body.append(_statement(program, body[0].end + 1))
    return Statement(
        word=program.text(first), first=first, end=body[-1].end, head=range(first + 2, close), body=tuple(body)
    )
