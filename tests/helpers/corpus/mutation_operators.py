"""Typical mistakes of students as edits of one function: the tokens that could be mistyped, and their replacements."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise

from opencl_parser import GLOBAL, LOCAL, Function, Program


class Kind(StrEnum):
    """Kind of a mutation."""

    RELATION = "relation"
    BOUND = "bound"
    EXCHANGE = "exchange"
    TERM = "index term"
    SIGN = "sign"
    OPERAND = "operand"
    CONSTANT = "constant"
    NO_BARRIER = "no barrier"
    MOVED_BARRIER = "barrier moved"
    GUARD = "guard"
    LOGIC = "logic"
    ARRAY = "array"
    SIZE = "size"
    ACCUMULATOR = "accumulator"
    INITIAL = "initial value"
    TYPE = "type"
    LENGTH = "length"
    RETURN = "early return"


@dataclass(frozen=True, kw_only=True)
class Edit:
    """Replacement of tokens by a text. An empty range inserts the text before its start."""

    tokens: range
    text: str


@dataclass(frozen=True, kw_only=True)
class View:
    """A function of a program, as operators see it."""

    program: Program
    function: Function

    @property
    def places(self) -> range:
        """Tokens of the function's body."""
        return self.function.body.tokens

    def text(self, place: int) -> str:
        """Return the token at a place."""
        return self.program.text(place)

    def is_value(self, place: int) -> bool:
        """True if an operand ends at this place, so that an operator after it is binary."""
        token = self.program.code[place]
        return token.kind in {"name", "number"} or token.text in {")", "]"}

    def indices(self) -> Iterator[range]:
        """Yield the tokens within the square brackets of accesses, but not those of declarations."""
        accesses = list(self.program.accesses(self.places))
        for access in accesses:
            opening = access.place + 1
            while self.text(opening) == "[":
                close = self.program.partners[opening]
                yield range(opening + 1, close)
                opening = close + 1

    def declared(self) -> Iterator[range]:
        """Yield the tokens within the square brackets of declarations of local arrays."""
        for statement in self.function.body.walk():
            if statement.word not in LOCAL:
                continue
            elements = {access.place for access in self.program.accesses(statement.tokens)}
            for place in statement.tokens:
                opening = place + 1
                if self.program.code[place].kind == "name" and place not in elements and self.text(opening) == "[":
                    while self.text(opening) == "[":
                        close = self.program.partners[opening]
                        yield range(opening + 1, close)
                        opening = close + 1


Operator = Callable[[View], Iterator[Edit]]


# --- operators, conditions and numbers --------------------------------------------------------

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPERANDS = {"*": "+", "/": "*", "%": "/"}
SIGNS = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
TYPES = frozenset({"real", "float", "float4", "real4", "const", "uint", "int"})
ENDS_A_BOUND = frozenset({";", ")", "&&", "||", "?"})


def _replaced(others: dict[str, str], view: View) -> Iterator[Edit]:
    """Replace each of these binary operators by its counterpart."""
    declared = {place for each in view.declared() for place in each}
    for place in (each for each in view.places if each not in declared):
        other = others.get(view.text(place))
        if other is not None and view.is_value(place - 1) and not _is_of_a_type(view, place):
            yield Edit(tokens=range(place, place + 1), text=other)


def _is_of_a_type(view: View, place: int) -> bool:
    """True if a star belongs to a pointer's type or is a dereference."""
    before, after = view.text(place - 1), view.text(place + 1)
    return view.text(place) == "*" and (before in TYPES or (before in {")", "]"} and after in {"const", ")"}))


def _bounds(view: View) -> Iterator[Edit]:
    for place in view.places:
        if view.text(place) in {"<", "<=", ">", ">="} and view.text(place + 2) in ENDS_A_BOUND:
            for text in (f"{view.text(place + 1)} - 1", f"{view.text(place + 1)} + 1"):
                yield Edit(tokens=range(place + 1, place + 2), text=text)


def _logic(view: View) -> Iterator[Edit]:
    for place in view.places:
        if view.text(place) == "&&":
            yield Edit(tokens=range(place, place + 1), text="||")


def _guards(view: View) -> Iterator[Edit]:
    """Remove the condition of an if or a conditional expression, or either operand if the condition has one `&&`."""
    heads = [each.head for each in view.function.body.walk() if each.word == "if"]
    for place in view.places:
        if view.text(place) == "?" and view.text(place - 1) == ")":
            opening = next(start for start, end in view.program.partners.items() if end == place - 1)
            heads.append(range(opening + 1, place - 1))
    for head in heads:
        yield Edit(tokens=head, text="true")
        ands = [place for place in _outer(view, head) if view.text(place) == "&&"]
        if len(ands) == 1:
            yield Edit(tokens=range(head.start, ands[0] + 1), text="")
            yield Edit(tokens=range(ands[0], head.stop), text="")


def _outer(view: View, places: range) -> Iterator[int]:
    """Yield these tokens without those inside brackets."""
    place = places.start
    while place < places.stop:
        yield place
        place = view.program.partners.get(place, place) + 1


def _constants(view: View) -> Iterator[Edit]:
    """Change integers and macros for sizes, except in ids, initial values and declarations."""
    declared = {place for each in view.declared() for place in each}
    given = {each.name for each in view.function.parameters}
    for place in view.places:
        token = view.program.code[place]
        if place in declared or view.text(place - 1) in {"=", "["} or view.text(place - 2).startswith("get_"):
            continue
        if token.kind == "number" and token.text.isdecimal() and view.text(place - 1) != ")":
            yield Edit(tokens=range(place, place + 1), text=str(int(token.text) + 1))
        is_macro = token.kind == "name" and token.text.isupper() and token.text not in given
        if is_macro and view.text(place + 1) != "(" and not token.text.startswith("CL"):
            yield Edit(tokens=range(place, place + 1), text=f"({token.text} - 1)")


# --- indices ----------------------------------------------------------------------------------


def _ids(view: View) -> Iterator[Edit]:
    """Swap the dimensions of ids in a function that uses two dimensions."""
    calls = [place for place in view.places if view.text(place).startswith("get_") and view.text(place + 1) == "("]
    dimensions = {view.text(place + 2) for place in calls}
    for place in calls if {"0", "1"} <= dimensions else ():
        other = {"0": "1", "1": "0"}.get(view.text(place + 2))
        if other is not None:
            yield Edit(tokens=range(place + 2, place + 3), text=other)


def _pairs(view: View) -> Iterator[Edit]:
    """Swap neighbouring indices, [a][b] for [b][a], and the names in a * n + b."""
    cut = view.program.cut
    for index in view.indices():
        after = index.stop + 1
        if view.text(after) == "[":
            second = range(after + 1, view.program.partners[after])
            if cut(index) != cut(second):
                yield Edit(tokens=range(index.start - 1, second.stop + 1), text=f"[{cut(second)}][{cut(index)}]")
        yield from (edit for place in index if (edit := _turned(view, range(place, place + 5))))


def _turned(view: View, places: range) -> Edit | None:
    """Swap row and column in row * n + column, if these tokens have that form and end an index."""
    row, times, length, plus, column = map(view.text, places)
    names = all(view.program.code[place].kind == "name" for place in places[::2])
    if not names or (times, plus) != ("*", "+") or view.text(places.stop) not in {"]", ")"}:
        return None
    return Edit(tokens=places, text=f"{column} * {length} + {row}")


def _terms(view: View) -> Iterator[Edit]:
    """Leave out one summand of an index, also inside brackets."""
    for index in view.indices():
        groups = [index] + [
            range(place + 1, view.program.partners[place])
            for place in index
            if view.text(place) == "(" and view.text(place - 1) not in {"min", "max"} and not view.is_value(place - 1)
        ]
        for group in groups:
            pluses = [place for place in _outer(view, group) if view.text(place) == "+"]
            for start, end in pairwise([*pluses, group.stop]):
                yield Edit(tokens=range(start, end), text="")
            if pluses:
                yield Edit(tokens=range(group.start, pluses[0] + 1), text="")


def _arrays(view: View) -> Iterator[Edit]:
    """Replace the array of an access by another array in the same memory."""
    parameters = view.function.parameters
    shared = {each.name for each in parameters if GLOBAL & each.type}
    accesses = list(view.program.accesses(view.places))
    own = {each.array for each in accesses} - {each.name for each in parameters}
    for access in accesses:
        family = shared if access.array in shared else own if access.array in own else set()
        for other in sorted(family - {access.array}):
            yield Edit(tokens=range(access.place, access.place + 1), text=other)


SIZES = frozenset({"uint32_t", "uint", "int", "size_t"})


def _sizes(view: View) -> Iterator[Edit]:
    """Replace a size by another parameter that is passed by value."""
    sizes = sorted(each.name for each in view.function.parameters if each.type & SIZES and "*" not in each.type)
    for place in view.places:
        if view.text(place) in sizes:
            for other in sizes:
                if other != view.text(place):
                    yield Edit(tokens=range(place, place + 1), text=other)


def _lengths(view: View) -> Iterator[Edit]:
    """Make local arrays one word too short, or their rows one word longer."""
    for extent in view.declared():
        yield Edit(tokens=extent, text=f"{view.program.cut(extent)} - 1")
        if view.text(extent.start - 2) == "]":
            yield Edit(tokens=extent, text=f"{view.program.cut(extent)} + 1")


# --- values -----------------------------------------------------------------------------------


def _accumulators(view: View) -> Iterator[Edit]:
    for place in view.places:
        if view.text(place) in {"+=", "-="} and not _is_in_a_head(view, place):
            yield Edit(tokens=range(place, place + 1), text="=")
        stored = view.text(place) == "=" and view.text(place - 1) == "]"
        if stored:
            yield Edit(tokens=range(place, place + 1), text="+=")


def _is_in_a_head(view: View, place: int) -> bool:
    return any(place in each.head for each in view.function.body.walk())


def _initial(view: View) -> Iterator[Edit]:
    """Replace an initial zero by one, or remove the initial value of a variable."""
    for place in view.places:
        if view.text(place) == "=" and view.text(place + 1) == "0" and view.text(place + 2) in {";", ","}:
            yield Edit(tokens=range(place + 1, place + 2), text="1")
            if view.program.code[place - 2].kind == "name" and not _is_in_a_head(view, place):
                yield Edit(tokens=range(place, place + 2), text="")


REALS = frozenset({"real", "float"})


def _types(view: View) -> Iterator[Edit]:
    """Declare a private variable as an integer."""
    for statement in view.function.body.walk():
        for place in (statement.first, statement.first + 1):
            declares = place + 1 < statement.end and view.program.code[place + 1].kind == "name"
            if declares and view.text(place) in REALS and view.text(place - 1) not in LOCAL:
                yield Edit(tokens=range(place, place + 1), text="int")


OPERATORS: dict[Kind, tuple[Operator, ...]] = {
    Kind.RELATION: (partial(_replaced, RELATIONS),),
    Kind.BOUND: (_bounds,),
    Kind.EXCHANGE: (_ids, _pairs),
    Kind.TERM: (_terms,),
    Kind.SIGN: (partial(_replaced, SIGNS),),
    Kind.OPERAND: (partial(_replaced, OPERANDS),),
    Kind.CONSTANT: (_constants,),
    Kind.GUARD: (_guards,),
    Kind.LOGIC: (_logic,),
    Kind.ARRAY: (_arrays,),
    Kind.SIZE: (_sizes,),
    Kind.ACCUMULATOR: (_accumulators,),
    Kind.INITIAL: (_initial,),
    Kind.TYPE: (_types,),
    Kind.LENGTH: (_lengths,),
}
"""Operators of each kind. Operators for barriers and returns are missing, because they need several edits or compute
their own effect.
"""
