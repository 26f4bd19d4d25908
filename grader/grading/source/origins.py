"""Finds what the indexes of an access depend on: the arrays whose elements they are computed from, and the lines that
determine how far the access reaches. These are the loops and guards around it that test the variables of its indexes.
"""

from collections.abc import Iterable, Iterator

from grader.grading.source.outline import Function, Outline, Region, outside
from grader.grading.source.reading import outline

ASSIGNED = frozenset({"value", "statement"})
"""Roles of the expressions that assign a value to a variable."""


def arrays_behind(source: str, kernel: str, line: int, array: str) -> frozenset[str]:
    """The arrays whose elements determine the indexes of `array` in a line, directly or through variables. Macros in
    the text must already be expanded. The result is empty if the text cannot be parsed.
    """
    seen = outline(source, [kernel])
    if seen is None:
        return frozenset()
    found: set[str] = set()
    known: set[str] = {array}
    waiting = [number for span in _indexes(seen, line, array) for number in range(*span)]
    while waiting:
        number = waiting.pop()
        token = seen.code[number]
        if token.kind != "name":
            continue
        if seen.code[number + 1].text == "[":
            found.add(token.text)
        elif token.text not in known:
            known.add(token.text)
            waiting += [each for region in _definitions(seen, number) for each in range(region.first, region.last)]
    return frozenset(found)


def _indexes(seen: Outline, line: int, array: str) -> Iterator[tuple[int, int]]:
    """Yield the range of tokens of each index of an array in a line. The expressions that set a pointer into the array
    also determine its indexes.
    """
    for number, token in enumerate(seen.code[:-1]):
        if token.line != line or token.kind != "name" or seen.code[number + 1].text != "[":
            continue
        pointed = [] if token.text == array else pointers(seen, number, array)
        if token.text == array or pointed:
            yield from pointed
            opening = number + 1
            while opening < len(seen.code) and seen.code[opening].text == "[":
                yield opening + 1, seen.pairs[opening]
                opening = seen.pairs[opening] + 1


def pointers(seen: Outline, place: int, array: str) -> list[tuple[int, int]]:
    """The expressions that let the variable at this token point into an array."""
    found = _definitions(seen, place)
    values = (each for each in found if each.role == "value" or seen.code[each.first + 1].text != "[")
    return [(each.first, each.last) for each in values if _has_address(seen, each, array)]


def _has_address(seen: Outline, region: Region, array: str) -> bool:
    """True if an expression contains the address of an array or of a row of it, or `&` and an element."""
    subscripts = next((each.subscripts for each in region.visible if each.name == array), 1)
    places = (number for number in range(region.first, region.last) if seen.code[number].text == array)
    return any(seen.code[each - 1].text == "&" or _indexes_after(seen, each) < subscripts for each in places)


def _indexes_after(seen: Outline, place: int) -> int:
    """The number of indexes that follow a name."""
    number, opening = 0, place + 1
    while opening < len(seen.code) and seen.code[opening].text == "[":
        number, opening = number + 1, seen.pairs[opening] + 1
    return number


def _definitions(seen: Outline, place: int) -> Iterator[Region]:
    """Yield the expressions that assign a value to the variable at this token, within the function that contains the
    token.
    """
    name = seen.code[place].text
    for function in seen.functions:
        begin, end = function.body
        if begin < place < end:
            inside = (each for each in seen.regions if begin < each.first < end)
            yield from (each for each in inside if each.target == name and each.role in ASSIGNED)


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
