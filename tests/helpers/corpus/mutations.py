"""Single mutations of a kernels.cl: typical mistakes of students, made one at a time in a correct text.

No mutation adds or removes a line, so lines keep their numbers. Each mutation records the lines that it changed and the
lines of its direct effect (mutation_effects.py).
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from mutation_effects import after_an_insertion, around_a_barrier, of_tokens
from mutation_operators import OPERATORS, Edit, Kind, View
from opencl_parser import BARRIERS, Function, Program, Statement, parse


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """A text with one mistake, the lines that were changed, and the lines of its direct effect. If a barrier was
    removed, `around` contains the lines between which it can be inserted.
    """

    kind: Kind
    lines: frozenset[int]
    effect: frozenset[int]
    source: str
    around: frozenset[int] = frozenset()


def mutations(source: str, kernels: Collection[str]) -> tuple[Mutation, ...]:
    """Return all different mutations of these kernels and of the functions that they may call. Texts with continued
    lines or trigraphs are not mutated.
    """
    if "\\\n" in source or "??" in source:
        return ()
    program = parse(source)
    asked = [each for each in program.functions if each.name in kernels or not each.is_kernel]
    return tuple({each.source: each for each in _mutations(program, asked) if each.source != source}.values())


def _mutations(program: Program, functions: Iterable[Function]) -> Iterator[Mutation]:
    for function in functions:
        view = View(program=program, function=function)
        for kind, operators in OPERATORS.items():
            for operator in operators:
                for edit in operator(view):
                    yield _mutation(view, kind, [edit])
        yield from _barriers(view)
        yield from _returns(view)


def _mutation(view: View, kind: Kind, edits: list[Edit], effect: frozenset[int] | None = None) -> Mutation:
    program = view.program
    touched = {
        line for edit in edits for line in program.lines(edit.tokens or range(edit.tokens.start, edit.tokens.start + 1))
    }
    if effect is None:
        effect = of_tokens(program, view.function, edits[0].tokens)
    return Mutation(kind=kind, lines=frozenset(touched), effect=effect - touched, source=applied(program, edits))


def applied(program: Program, edits: list[Edit]) -> str:
    """Return the text with these edits applied. The number of lines does not change."""
    source = program.source
    for edit in sorted(edits, key=lambda edit: edit.tokens.start, reverse=True):
        start = program.code[edit.tokens.start].start
        end = program.stop(edit.tokens[-1]) if edit.tokens else start
        source = source[:start] + edit.text + "\n" * source[start:end].count("\n") + source[end:]
    return source


# --- barriers and returns ---------------------------------------------------------------------


def _barriers(view: View) -> Iterator[Mutation]:
    """Yield mutations for each barrier: removed, moved after the next statement, and moved before the previous one."""
    blocks = [each for each in view.function.body.walk() if each.word == "{"]
    for body in (block.body for block in blocks):
        for number, barrier in enumerate(body):
            if barrier.word not in BARRIERS:
                continue
            effect = around_a_barrier(view.program, view.function, barrier)
            left_out = Edit(tokens=barrier.tokens, text=";")
            around = _around(view.program, body, number)
            yield replace(_mutation(view, Kind.NO_BARRIER, [left_out], effect), around=around)
            call = f" {view.program.cut(barrier.tokens)} "
            for place in _moves(body, number):
                moved = Edit(tokens=range(place, place), text=call)
                yield replace(_mutation(view, Kind.MOVED_BARRIER, [left_out, moved], effect), around=around)


def _around(program: Program, body: tuple[Statement, ...], number: int) -> frozenset[int]:
    """Return the lines between which a barrier has the same effect, which are the last line of the statement before it
    and the first line of the statement after it. "A barrier is missing after line 44" is right if only comments follow
    line 44.
    """
    before = (program.line(each.end - 1) for each in body[max(0, number - 1) : number])
    after = (program.line(each.first) for each in body[number + 1 : number + 2])
    return frozenset((*before, *after))


def _moves(body: tuple[Statement, ...], number: int) -> Iterator[int]:
    """Yield new places for a barrier: before the previous statement, or after the next one."""
    if number > 0:
        yield body[number - 1].first
    if number + 1 < len(body):
        yield body[number + 1].end


def _returns(view: View) -> Iterator[Mutation]:
    """Yield a mutation that moves the test of the last `if` before the first barrier, so that idle work-items return
    without reaching the barrier.
    """
    top = view.function.body.body
    first = next((each for each in top if any(inner.word in BARRIERS for inner in each.walk())), None)
    last = next((each for each in reversed(top) if each.word == "if"), None)
    if first is None or last is None or last.first <= first.first:
        return
    text = f"if (!({view.program.cut(last.head)})) return; ".replace("\n", " ")
    place = range(first.first, first.first)
    yield _mutation(
        view, Kind.RETURN, [Edit(tokens=place, text=text)], after_an_insertion(view.program, view.function, first)
    )
