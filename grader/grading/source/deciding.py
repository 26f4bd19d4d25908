"""Finds the lines that determine how far an access reaches, which are the loops and guards around it that test the
variables of its indexes.
"""

from collections.abc import Iterable, Iterator

from grader.grading.source.outline import Function, Outline, Region, outside
from grader.grading.source.reading import outline

LEAVES = frozenset({"return", "break", "continue"})
"""Keywords of statements that leave a block. A guard that contains one also decides whether the code after it runs."""


def deciding_lines(source: str, kernel: str, line: int) -> tuple[int, ...]:
    """The lines whose conditions determine which elements a line accesses, without `line` itself. The macros of the
    text must be expanded. A condition counts if it tests a variable of an index in `line`. The lines that give the
    tested variables their values are included. The result is empty if the text cannot be parsed.
    """
    seen = outline(source, [kernel])
    if seen is None:
        return ()
    around = (each for each in seen.functions if line in _lines_of(seen, each))
    lines = (each for function in around for each in _Decider(seen, function).lines(line))
    return tuple(sorted({*lines} - {line}))


def _lines_of(seen: Outline, function: Function) -> range:
    first, last = function.body
    return range(seen.code[first].line, seen.code[last].line + 1)


class _Decider:
    """Analyses the conditions of a function and the initial values of its variables."""

    def __init__(self, seen: Outline, function: Function) -> None:
        self._seen, self._body = seen, function.body
        self._regions = [each for each in seen.regions if self._body[0] < each.first < self._body[1]]
        self._values = {each.target: each for each in self._regions if each.role == "value"}
        self._made_of: dict[str, set[str]] = {}

    def lines(self, line: int) -> Iterator[int]:
        """Yield the lines of the conditions on which a line depends."""
        here = [each for each in self._regions if each.role != "type" and self._line(each.first) == line]
        if not here:
            return
        used = self._closed(name for each in here for name in self._names(each))
        place = here[0].first
        for condition in self._regions:
            if condition.role not in {"condition", "loop condition"} or place not in self._governed(condition):
                continue
            asked = self._names(condition)
            if used & self._closed(asked):
                if condition.last - condition.first > 1:  # otherwise it is a variable with the result of a test
                    yield self._line(condition.first)
                yield from (self._line(self._values[name].first) for name in asked - used if name in self._values)

    def _line(self, place: int) -> int:
        return self._seen.code[place].line

    def _names(self, region: Region) -> set[str]:
        """The function's own variables in an expression. Parameters are left out because the host passes them, so they
        are not indexes.
        """
        own = {each.name for each in region.visible if not each.parameter}
        return {token.text for token in self._seen.code[region.first : region.last] if token.text in own}

    def _closed(self, names: Iterable[str]) -> set[str]:
        """These variables, and all variables from which their values were computed."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._parents(name)
        return found

    def _parents(self, name: str) -> set[str]:
        if name not in self._made_of:
            self._made_of[name] = self._names(self._values[name]) if name in self._values else set()
        return self._made_of[name]

    def _governed(self, condition: Region) -> range:
        """The tokens for which a condition decides whether they run. These are its statement and, if this statement
        leaves a block, all tokens after it.
        """
        code, pairs = self._seen.code, self._seen.pairs
        opening = condition.first - 1
        while opening > self._body[0] and code[opening].text != "(":
            opening = self._seen.openings.get(opening, opening) - 1
        first = pairs.get(opening, condition.last) + 1
        last = self._end(first)
        leaves = any(token.text in LEAVES for token in code[first:last])
        return range(condition.last, self._body[1] if leaves else last)

    def _end(self, first: int) -> int:
        """Number of the token that ends a statement."""
        for number in outside(self._seen.pairs, first, self._body[1]):
            if self._seen.code[number].text == "{":
                return self._seen.pairs[number]
            if self._seen.code[number].text == ";":
                return number
        return self._body[1]
