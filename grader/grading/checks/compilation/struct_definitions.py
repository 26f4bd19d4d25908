"""Definitions of the assignment's structs, which precede the student's text unless the text contains them.

A text may define a struct of the assignment itself if the layout is the same. The driver then gets only the student's
definition. A definition with another layout is refused, because the arrays have the assignment's layout.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.course.elements import ELEMENTS
from grader.course.structs import Struct, StructFields, laid_out
from grader.grading.explain.problem import Problem
from grader.protocol.tokens import Token, tokens
from grader.results.verdicts import Reason

QUALIFIERS = frozenset({"const", "volatile"})
ATTRIBUTES = frozenset({"__attribute__", "__attribute"})
PACKED = frozenset({"packed", "__packed__"})

KINDS = {name: kind for kind, element in ELEMENTS.items() for name in element.names}
"""Types by their names in OpenCL C."""


@dataclass(frozen=True, kw_only=True)
class _Body:
    """A struct in a text: its line, the tokens between its braces, and the words in its attributes."""

    line: int
    fields: Sequence[Token]
    attributes: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class _Types:
    """The types that a text defines. A typedef of a struct without braces refers to the struct's tag. Any other typedef
    refers to the words of its type.
    """

    tags: dict[str, _Body] = field(default_factory=dict)
    bodies: dict[str, _Body] = field(default_factory=dict)
    words: dict[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)


def types_before(structs: Sequence[Struct], code: Sequence[str]) -> str | Problem:
    """Return the definitions that the driver compiles before the text, or the problem of a struct that the text defines
    with another layout. `code` contains the lines of the text, with macros expanded and without comments.
    """
    own, known = _types_of("\n".join(code)), {struct.name: struct for struct in structs}
    for struct in structs:
        line, body = _definition(struct.name, own)
        if line and (body is None or not _is_same(struct, body, own, known)):
            return _other_layout(line, struct.name, struct.definition)
        for inner in struct.inner:
            if not line and _definition(inner, own)[0]:
                return _without_outer(_definition(inner, own)[0], inner, struct)
    return " ".join(filter(None, (_missing(struct, own) for struct in structs)))


def _other_layout(line: int, name: str, definition: str) -> Problem:
    """The problem of a struct of the assignment that the text defines with another layout."""
    message = f"line {line} defines {name}, which grader defines with another layout; remove it."
    return Problem(
        reason=Reason.BUILD_ERROR, message=message, help=f"Grader compiles this before the file: {definition}"
    )


def _without_outer(line: int, inner: str, struct: Struct) -> Problem:
    """The problem of a text that defines a struct, but not the struct that contains it. Grader defines the outer
    struct before the text, where the inner struct is not known yet.
    """
    message = (
        f"line {line} defines {inner}, but the file does not define {struct.name}, which contains {inner}; remove it."
    )
    return Problem(
        reason=Reason.BUILD_ERROR, message=message, help=f"Grader compiles this before the file: {struct.definition}"
    )


def _missing(struct: Struct, own: _Types) -> str:
    """Return the part of a struct's definition that the text lacks."""
    if struct.name in own.bodies or (struct.name in own.words and not _is_forward(struct.name, own)):
        return ""
    if struct.name in own.words:
        return struct.tag
    return f"typedef struct {struct.name} {struct.name};" if struct.name in own.tags else struct.definition


def _is_forward(name: str, own: _Types) -> bool:
    """True if the text contains only `typedef struct NAME NAME;`, so grader must define the fields."""
    return name in own.words and own.words[name][1] == ("struct", name) and name not in own.tags


def _definition(name: str, own: _Types) -> tuple[int, _Body | None]:
    """Return the line in which a text defines a struct, and its body if it has one. The line is 0 if the text does not
    define the struct.
    """
    if name in own.bodies:
        return own.bodies[name].line, own.bodies[name]
    if name in own.words and not _is_forward(name, own):
        line, words = own.words[name]
        return line, own.tags.get(words[-1]) if words[:1] == ("struct",) else None
    return (own.tags[name].line, own.tags[name]) if name in own.tags else (0, None)


def _types_of(text: str) -> _Types:
    """Read the definitions of types. The time is proportional to the length of the text."""
    found = _Types()
    for statement in _statements([token for token in tokens(text) if token.is_code]):
        _read(statement, found)
    return found


def _statements(code: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield each definition that begins with `typedef` or `struct`, up to its semicolon outside braces."""
    place = 0
    while place < len(code):
        first = place
        place += 1
        if code[first].text not in {"typedef", "struct"}:
            continue
        depth = 0
        while place < len(code) and (depth or code[place].text not in {";", "(", ")"} or _is_attribute(code, place)):
            depth += {"{": 1, "}": -1, "(": 1, ")": -1}.get(code[place].text, 0)
            place += 1
        yield [*code[first:place]]


def _is_attribute(code: Sequence[Token], place: int) -> bool:
    return code[place].text == "(" and code[place - 1].text in ATTRIBUTES


def _read(statement: Sequence[Token], found: _Types) -> None:
    """Add the types that a statement defines."""
    attributes: set[str] = set()
    rest = [*_without_attributes(statement, attributes)]
    texts = [token.text for token in rest]
    line, is_typedef = rest[0].line, texts[0] == "typedef"
    if "{" in texts:
        opening = texts.index("{")
        closing = len(texts) - 1 - texts[::-1].index("}") if "}" in texts else len(texts)
        body = _Body(line=line, fields=rest[opening + 1 : closing], attributes=frozenset(attributes))
        if texts[opening - 1] != "struct":
            found.tags.setdefault(texts[opening - 1], body)
        for name in texts[closing + 1 :] if is_typedef else ():
            found.bodies.setdefault(name, body)
    elif is_typedef and len(texts) > 2:
        found.words.setdefault(texts[-1], (line, tuple(texts[1:-1])))


def _without_attributes(statement: Sequence[Token], attributes: set[str]) -> Iterator[Token]:
    """Yield the tokens of a statement outside its attributes, and add the words of the attributes to `attributes`."""
    depth = 0
    for token, before in zip(statement, (None, *statement), strict=False):
        if token.text == "(" and (depth or (before is not None and before.text in ATTRIBUTES)):
            depth += 1
        elif depth:
            depth -= token.text == ")"
            attributes |= {token.text} - {")"}
        elif token.text not in ATTRIBUTES:
            yield token


def _is_same(struct: Struct, body: _Body, own: _Types, known: Mapping[str, Struct]) -> bool:
    """True if a body has the fields of the struct at the same offsets."""
    if not body.attributes <= PACKED:
        return False
    kinds = {**KINDS, **{name: each.name for each in known.values() for name in each.names}}
    fields = [*_fields(body.fields, own.words, kinds)]
    if None in fields:
        return False
    stated = dict(each for each in fields if each is not None)
    if not stated or len(stated) < len(fields):
        return False
    if struct.name in stated.values():
        return False
    other = laid_out(struct.name, StructFields(fields=stated, packed=bool(body.attributes)), known)
    return _places(other) == _places(struct) and other.bytes == struct.bytes


def _places(struct: Struct) -> list[tuple[str, str, int, int]]:
    return [(each.name, each.element.dtype, each.element.lanes, each.offset) for each in struct.members]


def _fields(
    body: Sequence[Token], words: Mapping[str, tuple[int, tuple[str, ...]]], kinds: Mapping[str, str]
) -> Iterator[tuple[str, str] | None]:
    """Yield the name and the type of each field, or None for a declaration of a type that is not in `kinds`."""
    declaration: list[str] = []
    for token in body:
        if token.text != ";":
            declaration.append(token.text)
            continue
        yield from _declared([word for word in declaration if word not in QUALIFIERS], words, kinds)
        declaration = []
    yield from [None] if declaration else []


def _declared(
    declaration: Sequence[str], words: Mapping[str, tuple[int, tuple[str, ...]]], kinds: Mapping[str, str]
) -> Iterator[tuple[str, str] | None]:
    """Yield the fields of one declaration, such as `float sum, best`."""
    first = " ".join(declaration).split(" , ")
    kind, _, name = first[0].rpartition(" ")
    _, renamed = words.get(kind, (0, (kind,)))
    found = kinds.get(kind) or kinds.get(" ".join(renamed))
    for each in (name, *first[1:]):
        yield None if found is None or not each.isidentifier() else (each, found)
