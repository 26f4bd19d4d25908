"""Where a mistake has its effect at once: the lines that an explanation may name beside the one with the mistake.

A changed statement: its own lines. If it gives variables their values, the lines that use them, and through variables
that are made of those, such as `inside` of `row`, theirs. If it controls others, the elements that these use; if it
returns, those behind it, and of a value, the calls of its function. If it calls a function, the elements that this
uses. If it stores into a local array, the lines that read that array, in callers too. If it declares an array, its
uses. A barrier: what is used on both of its sides, in loops also round their end, and written on one.
"""

from functools import lru_cache

from statements import BARRIERS, GLOBAL, LOCAL, LOOPS, Access, Function, Program, Statement

VECTORS = frozenset(f"{does}{length}" for does in ("vload", "vstore") for length in (2, 3, 4, 8, 16))
"""Functions that use several elements of an array."""


def of_tokens(program: Program, function: Function, changed: range) -> frozenset[int]:
    """Lines of the direct effect of a change of these tokens."""
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
    """Lines of the elements that functions use which these tokens call."""
    called = [each for each in program.functions if any(program.uses(each.name, own))]
    return {program.line(access.place) for each in called for access in program.accesses(each.body.tokens)}


def _calling(program: Program, function: Function, statement: Statement) -> set[int]:
    """Lines that use the value of a function, or the local arrays that it fills for its callers."""
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
    """Lines that use the value of a function."""
    others = (each.body.tokens for each in program.functions if each is not function)
    return {program.line(place) for places in others for place in program.uses(function.name, places)}


def _of_values(program: Program, function: Function, own: range) -> set[int]:
    """Lines that use what these tokens define, and what only is made of it."""
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
    """Whether a declaration gives a private variable a value in which this token stands."""
    signs = [each for each in statement.tokens if program.text(each) == "="]
    declares = program.code[statement.first].kind == "name" and program.code[statement.first + 1].kind == "name"
    return declares and bool(signs) and signs[0] < place and program.text(statement.first) != "return"


def _of_local_stores(program: Program, function: Function, own: range) -> set[int]:
    """Lines that use local arrays into which these tokens store."""
    roots = local_arrays(program, function)
    stored = {roots.get(each.array) for each in program.accesses(own) if each.writes} - {None}
    uses = program.accesses(function.body.tokens)
    return {program.line(each.place) for each in uses if roots.get(each.array) in stored}


def _controlled(program: Program, function: Function, statement: Statement) -> set[int]:
    """Lines of the elements that a condition decides about, and of barriers."""
    decided = range(statement.head.stop, statement.end)
    if any(each.word == "return" for each in statement.walk()):
        decided = range(statement.head.stop, function.body.end)
    values: set[int] = set()
    if statement.word == "if":
        values = _of_values(program, function, decided) | _of_local_stores(program, function, decided)
    used = {"[", *BARRIERS, *VECTORS}
    return {program.line(place) for place in decided if program.text(place) in used} | values


def after_an_insertion(program: Program, function: Function, statement: Statement) -> frozenset[int]:
    """Lines of a return before this statement: the barriers that are not reached."""
    places = range(statement.first, function.body.end)
    return frozenset(program.line(place) for place in places if program.text(place) in BARRIERS)


# --- barriers ---------------------------------------------------------------------------------


def around_a_barrier(program: Program, function: Function, barrier: Statement) -> frozenset[int]:
    """Lines that race without it."""
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
    """The tokens from the barrier before it, and those to the one after it; in a loop, also round its end."""
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
    """Local arrays and pointers to them, each with the array that it is or points to."""
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
