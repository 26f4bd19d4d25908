"""OpenCL C as far as mutations need it: the functions of a text, their statements, and where names are used.

A parser of well-formed files only: it reads what compiles, without types and without macros, whose lines it leaves out.
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
    """Tokens from `first` to before `end`; `head` is what stands in the brackets of an if or a loop, `body` what it
    controls, or the statements of a block.
    """

    word: str
    first: int
    end: int
    head: range = range(0)
    body: "tuple[Statement, ...]" = ()

    @property
    def tokens(self) -> range:
        """All of it."""
        return range(self.first, self.end)

    def walk(self) -> "Iterator[Statement]":
        """It and all statements in it."""
        yield self
        for each in self.body:
            yield from each.walk()

    def around(self, place: int) -> "list[Statement]":
        """The statements that this token is in, the outermost first."""
        inner = next((each for each in self.body if place in each.tokens), None)
        return [self, *(inner.around(place) if inner else [])]


@dataclass(frozen=True, kw_only=True)
class Access:
    """An element of an array, or a pointer that is followed."""

    array: str
    place: int
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """Of a function: the words of its type, among them the star of a pointer, and its name."""

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
    """The code of a text: its tokens without white space and directives."""

    source: str
    code: tuple[Token, ...]
    partners: dict[int, int] = field(default_factory=dict)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """Those that have a body."""
        return tuple(_functions(self))

    def text(self, place: int) -> str:
        """The token there; "" where there is none."""
        return self.code[place].text if 0 <= place < len(self.code) else ""

    def line(self, place: int) -> int:
        """The line that the token is in."""
        return self.code[place].line

    def lines(self, places: range) -> set[int]:
        """The lines of these tokens."""
        return {self.code[place].line for place in places}

    def stop(self, place: int) -> int:
        """Where the token ends in the source."""
        return self.code[place].start + len(self.code[place].text)

    def cut(self, places: range) -> str:
        """These tokens as they are written."""
        return self.source[self.code[places[0]].start : self.stop(places[-1])] if places else ""

    def accesses(self, places: range) -> Iterator[Access]:
        """Elements of arrays that these tokens name, but for declarations of arrays."""
        for place in places:
            if self.code[place].kind != "name" or self.text(place + 1) != "[" or self._declares(place):
                continue
            after = place + 1
            while self.text(after) == "[" or (self.text(after) == "." and self.code[after + 1].kind == "name"):
                after = self.partners[after] + 1 if self.text(after) == "[" else after + 2
            writes = self.text(after) in ASSIGNS | {"++", "--"} or self.text(place - 1) in {"++", "--"}
            yield Access(array=self.text(place), place=place, writes=writes)

    def _declares(self, place: int) -> bool:
        """Whether a name stands behind a type, as an array does where it is declared."""
        before = self.code[place - 1] if place else None
        return before is not None and before.kind == "name" and before.text not in {"return", "else"}

    def defined(self, places: range) -> set[str]:
        """The variables that get a value, or room, in these tokens; not the arrays that a store changes."""
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
        """Where a name stands among these tokens."""
        return (place for place in places if self.code[place].kind == "name" and self.text(place) == name)


def parse(source: str) -> Program:
    """The code of a text."""
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
    """The statement that begins there."""
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
    """Those of a block."""
    place = opening + 1
    while place < program.partners[opening]:
        statement = _statement(program, place)
        yield statement
        place = statement.end


def _controlled(program: Program, first: int) -> Statement:
    """An if, with its else, or a loop."""
    close = program.partners[first + 1]
    body = [_statement(program, close + 1)]
    if program.text(first) == "if" and program.text(body[0].end) == "else":
        body.append(_statement(program, body[0].end + 1))
    return Statement(
        word=program.text(first), first=first, end=body[-1].end, head=range(first + 2, close), body=tuple(body)
    )
