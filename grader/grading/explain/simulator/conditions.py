"""Finds the conditions around a line, and determines whether they can differ between the work-items of a group."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from grader.grading.source.outline import Function, Outline, outside
from grader.grading.source.reading import outline

IDS = frozenset({"get_local_id", "get_global_id"})
"""Functions that return a different value for each work-item of a group."""

KEYWORDS = frozenset({"if", "for", "while", "switch"})
COMPARISONS = frozenset({"==", "!=", "<=", ">="})
CHOICES = frozenset({"?", "&&", "||", "min", "max", "clamp", "select", "%"})
"""Operators and functions with which an expression can limit an index."""

LEAVES = frozenset({"return", "break", "continue", "goto"})


@dataclass(frozen=True, kw_only=True)
class SourceCondition:
    """A statement with a condition: its keyword, and its lines including its `else`. `divides` is true if the condition
    depends on the id of a work-item, so that possibly only some work-items of a group run the statement.
    """

    keyword: str
    lines: range
    divides: bool


def dividing(source: str, kernel: str, line: int) -> SourceCondition | None:
    """The outermost statement around a line that possibly only some work-items of a group run; None if all run the
    line.
    """
    around = (each for each in _conditions(source, kernel) if each.divides and line in each.lines)
    return max(around, key=lambda each: len(each.lines), default=None)


def guards(source: str, kernel: str, line: int) -> tuple[int, ...]:
    """The lines of the `if` statements around a line."""
    found = _conditions(source, kernel)
    return tuple(each.lines[0] for each in found if each.keyword == "if" and line in each.lines)


def deciders(source: str, kernel: str, line: int) -> tuple[int, ...]:
    """The lines of the `if` statements that decide which work-items run a line: those around it, or otherwise those
    before it that contain a `return`.
    """
    around, seen = guards(source, kernel, line), outline(source, [kernel])
    if around or seen is None:
        return around
    returns = {token.line for token in seen.code if token.text == "return"}
    before = (each for each in _conditions(source, kernel) if each.keyword == "if" and each.lines[-1] < line)
    return tuple(each.lines[0] for each in before if not returns.isdisjoint(each.lines))


def is_unguarded(source: str, kernel: str, line: int) -> bool:
    """True if a line is not inside an `if`, does not contain a choice, and does not follow a statement that leaves a
    block.
    """
    seen = outline(source, [kernel])
    if seen is None or guards(source, kernel, line):
        return False
    body = next((range(*each.body) for each in seen.functions if line in _lines(seen, *each.body)), range(0))
    before = {seen.code[number].text for number in body if seen.code[number].line < line}
    here = {seen.code[number].text for number in body if seen.code[number].line == line}
    return bool(here) and not before & LEAVES and not here & CHOICES


@lru_cache(maxsize=4)
def _conditions(source: str, kernel: str) -> tuple[SourceCondition, ...]:
    seen = outline(source, [kernel])
    if seen is None:
        return ()
    return tuple(each for function in seen.functions for each in _of_function(seen, function))


def _of_function(seen: Outline, function: Function) -> Iterator[SourceCondition]:
    code, divided = seen.code, _divided_names(seen, function)
    for number, end in _ends(seen, function):
        asked = {token.text for token in code[number + 2 : seen.pairs[number + 1]]}
        yield SourceCondition(keyword=code[number].text, lines=_lines(seen, number, end), divides=bool(asked & divided))


def _divided_names(seen: Outline, function: Function) -> set[str]:
    """The functions that return ids, and all variables whose values are computed from ids."""
    first, last = function.body
    given = [each for each in seen.regions if each.target and first < each.first < last]
    names: set[str] = set(IDS)
    while True:
        found = {
            each.target
            for each in given
            if (each.role == "value" or (each.role == "statement" and _assigns(seen.code[each.first + 1].text)))
            and names & {token.text for token in seen.code[each.first : each.last]} - {each.target}
        }
        if found <= names:
            return names
        names |= found


def _assigns(sign: str) -> bool:
    return sign.endswith("=") and sign not in COMPARISONS


def _ends(seen: Outline, function: Function) -> Iterator[tuple[int, int]]:
    """Yield the first and the last token of each statement with a condition, including its `else`."""
    code, (first, last) = seen.code, function.body
    ends: dict[int, int] = {}
    for number in reversed(range(first, last)):
        if code[number].text in KEYWORDS and code[number + 1].text == "(":
            ends[number] = _end(seen, seen.pairs[number + 1] + 1, last, ends)
    return ((number, ends[number]) for number in sorted(ends))


def _end(seen: Outline, first: int, last: int, ends: Mapping[int, int]) -> int:
    """Number of the last token of the statement that begins at token `first`, including its `else`. `ends` contains the
    ends of the statements that begin later.
    """
    while first not in ends:
        found = (number for number in outside(seen.pairs, first, last) if seen.code[number].text in {"{", ";"})
        number = next(found, last)
        end = seen.pairs.get(number, number)
        if end + 1 >= last or seen.code[end + 1].text != "else":
            return end
        first = end + 2
    return ends[first]


def _lines(seen: Outline, first: int, last: int) -> range:
    """The lines of the tokens from `first` to `last`."""
    return range(seen.code[first].line, seen.code[last].line + 1)
