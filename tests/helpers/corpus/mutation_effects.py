"""The direct effects of a mistake: lines that an explanation may point to instead of the line with the mistake.

A changed statement affects its own lines. It also affects further lines if

- it sets variables: the lines that use them, or variables that are computed from them, such as `inside` from `row`;
- it controls other statements: their elements;
- it returns: the elements after it, and, if it returns a value, the calls of its function;
- it calls a function: the elements that the function uses;
- it stores into a local array: the lines that read that array, also in callers;
- it declares an array: the uses of the array.

A barrier affects elements that are used on both of its sides and written on at least one. In a loop, the sides continue
from its end to its start.
"""

from functools import lru_cache

from opencl_parser import BARRIERS, GLOBAL, LOCAL, LOOPS, Access, Function, Program, Statement

VECTORS = frozenset(f"{does}{length}" for does in ("vload", "vstore") for length in (2, 3, 4, 8, 16))
"""Functions that use several elements of an array."""

PIXELS = frozenset(f"{does}_image{numbers}" for does in ("read", "write") for numbers in ("f", "i", "ui"))
"""Functions that use a pixel of an image."""


def of_tokens(program: Program, function: Function, changed: range) -> frozenset[int]:
    """Return the lines that a change of these tokens affects directly."""
    around = function.body.around(changed.start)
    statement = next((each for each in reversed(around) if each.word != "{"), function.body)
    own = statement.head if statement.body else statement.tokens
    found = program.lines(own)
    found |= _of_values(program, function, own)
    found |= _of_local_stores(program, function, own)
    if statement.body:
        found |= _controlled(program, function, statement)
    return frozenset(found | _called(program, own) | _calling(program, function, statement))


def _called(program: Program, own: range) -> set[int]:
    """Return the lines that access array elements in the functions that these tokens call."""
    called = [each for each in program.functions if any(program.uses(each.name, own))]
    return {program.line(access.place) for each in called for access in program.accesses(each.body.tokens)}


def _calling(program: Program, function: Function, statement: Statement) -> set[int]:
    """Return the lines in callers that use the return value of a function or the local arrays that it fills."""
    if function.is_kernel:
        return set()
    found = set()
    if any(program.text(place) == "return" for place in statement.tokens):
        found |= _calls(program, function)
    filled = {each.array for each in program.accesses(statement.tokens) if each.writes}
    if filled & local_arrays(program, function).keys():
        for other in program.functions:
            roots = local_arrays(program, other)
            accesses = program.accesses(other.body.tokens)
            found |= {program.line(each.place) for each in accesses if each.array in roots}
    return found


def _calls(program: Program, function: Function) -> set[int]:
    """Return the lines that use the return value of a function."""
    others = (each.body.tokens for each in program.functions if each is not function)
    return {program.line(place) for places in others for place in program.uses(function.name, places)}


def _of_values(program: Program, function: Function, own: range) -> set[int]:
    """Return the lines that use the variables set by these tokens, or variables that are computed from them."""
    lines: set[int] = set()
    known: set[str] = set()
    todo = program.defined(own)
    while todo:
        name = todo.pop()
        known.add(name)
        for place in program.uses(name, function.body.tokens):
            if place in own:
                continue
            lines.add(program.line(place))
            user = function.body.around(place)[-1]
            if not user.body and _makes_a_variable(program, user, place):
                todo |= program.defined(user.tokens) - known
    return lines


def _makes_a_variable(program: Program, statement: Statement, place: int) -> bool:
    """True if this token is in the value that a declaration gives to a private variable."""
    signs = [each for each in statement.tokens if program.text(each) == "="]
    declares = program.code[statement.first].kind == "name" and program.code[statement.first + 1].kind == "name"
    return declares and bool(signs) and signs[0] < place and program.text(statement.first) != "return"


def _of_local_stores(program: Program, function: Function, own: range) -> set[int]:
    """Return the lines that use local arrays into which these tokens store."""
    roots = local_arrays(program, function)
    stored = {roots.get(each.array) for each in program.accesses(own) if each.writes} - {None}
    uses = program.accesses(function.body.tokens)
    return {program.line(each.place) for each in uses if roots.get(each.array) in stored}


def _controlled(program: Program, function: Function, statement: Statement) -> set[int]:
    """Return the lines of the array accesses and barriers that a condition controls."""
    decided = range(statement.head.stop, statement.end)
    if any(each.word == "return" for each in statement.walk()):
        decided = range(statement.head.stop, function.body.end)
    values: set[int] = set()
    if statement.word == "if":
        values = _of_values(program, function, decided) | _of_local_stores(program, function, decided)
    used = {"[", *BARRIERS, *VECTORS, *PIXELS}
    return {program.line(place) for place in decided if program.text(place) in used} | values


def after_an_insertion(program: Program, function: Function, statement: Statement) -> frozenset[int]:
    """Return the lines of the barriers that are skipped if a return is inserted before this statement."""
    places = range(statement.first, function.body.end)
    return frozenset(program.line(place) for place in places if program.text(place) in BARRIERS)


# --- barriers ---------------------------------------------------------------------------------


def around_a_barrier(program: Program, function: Function, barrier: Statement) -> frozenset[int]:
    """Return the lines that race with each other without this barrier."""
    roots = local_arrays(program, function)
    if any("GLOBAL" in program.text(place) for place in barrier.tokens):
        roots = roots | {each.name: each.name for each in function.parameters if GLOBAL & each.type}
    before, after = (_by_array(program, ranges, roots) for ranges in _sides(function, barrier))
    racing: set[int] = set()
    for array in before.keys() & after.keys():
        both = [*before[array], *after[array]]
        if any(each.writes for each in both):
            racing |= {program.line(each.place) for each in both}
    return frozenset(racing)


def _by_array(program: Program, ranges: list[range], roots: dict[str, str]) -> dict[str, list[Access]]:
    found: dict[str, list[Access]] = {}
    for access in (access for places in ranges for access in program.accesses(places)):
        if access.array in roots:
            found.setdefault(roots[access.array], []).append(access)
    return found


def _sides(function: Function, barrier: Statement) -> tuple[list[range], list[range]]:
    """Return the tokens from the previous barrier to this one, and from this one to the next. In a loop, they continue
    from its end to its start.
    """
    others = [each for each in function.body.walk() if each.word in BARRIERS]
    first, last = function.body.first, function.body.end
    before = [range(max((each.end for each in others if each.end <= barrier.first), default=first), barrier.first)]
    after = [range(barrier.end, min((each.first for each in others if each.first >= barrier.end), default=last))]
    for loop in (each for each in function.body.around(barrier.first) if each.word in LOOPS):
        inside = [each for each in others if each.first in loop.tokens]
        if barrier == inside[0]:
            before.append(range(inside[-1].end, loop.end))
        if barrier == inside[-1]:
            after.append(range(loop.first, inside[0].first))
    return before, after


@lru_cache(maxsize=16)
def local_arrays(program: Program, function: Function) -> dict[str, str]:
    """Return the names of local arrays and of pointers to them, each with the name of its array."""
    roots = {each.name: each.name for each in function.parameters if LOCAL & each.type}
    for statement in function.body.walk():
        if statement.body or not LOCAL & {program.text(place) for place in statement.tokens}:
            continue
        names = program.defined(statement.tokens)
        signs = [place for place in statement.tokens if program.text(place) == "="]
        value = range(signs[0], statement.end) if signs else range(0)
        pointed = [roots[program.text(place)] for place in value if program.text(place) in roots]
        roots |= {name: pointed[0] if pointed else name for name in names}
    return roots
