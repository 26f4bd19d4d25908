"""Tokens of a mutant schema: functions take a key, loops end, and indexes stay in their arrays. The key of a launch
selects an edit and limits its loops and indexes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from grader.course.elements import ELEMENTS, WORD_BYTES
from grader.grading.source.outline import Function, Outline, Variable, outside
from grader.protocol.tokens import Token

UNCHANGED = 0
"""Number that selects the unchanged text. Edits are numbered from 1."""

NUMBER_BITS, WORDS_BITS, ITERATIONS_BITS = 16, 24, 24


def key(number: int, words: int, iterations: int) -> int:
    """The key of a launch, which encodes its edit, the number of words of the largest array, and the number of
    iterations that loops may run.
    """
    words, iterations = min(words, 2**WORDS_BITS - 1), min(iterations, 2**ITERATIONS_BITS - 1)
    return ((iterations << WORDS_BITS | words) << NUMBER_BITS) | number


WORDS = frozenset(
    name for each in ELEMENTS.values() for name in each.names if each.bytes == WORD_BYTES and each.lanes == 1
)
"""Types of four bytes. An index into an array of these costs no division."""

COSTS = (16, 4, 1)
"""Costs of an iteration of a loop, by the number of loops around it. The right text may need many iterations of inner
loops that a wrong text does not need, so that its results do not tell how many.
"""

ALIGNED = 32
"""Unit of the distance between the arrays of two edits, in words. It is twice the size of the largest vector."""

LOCAL_WORDS = 2**14
"""Approximate size of local memory, and of the arrays of a work-item, in words."""


@dataclass(frozen=True, kw_only=True)
class SchemaNames:
    """Names that a mutant schema adds to the text."""

    key: str
    edit: str
    words: str
    iterations: str
    inside: str


def schema_names(text: str) -> SchemaNames:
    """Return names that the text does not contain."""
    return SchemaNames(**{field.name: _unused(f"grader_{field.name}", text) for field in fields(SchemaNames)})


class SchemaTokens:
    """Replaces the texts of single tokens, which it finds by their positions: functions take and pass the key, loops
    end, and indexes stay in their arrays.
    """

    def __init__(self, outline: Outline, names: SchemaNames) -> None:
        self._outline, self._names = outline, names
        self._texts = [token.text for token in outline.code]

    def written(self) -> list[str]:
        """Return the texts of all tokens after the replacements."""
        self._pass_the_key()
        self._read_the_key()
        self._limit_the_loops()
        self._limit_the_indexes()
        return self._texts

    def _pass_the_key(self) -> None:
        """Add the key as a parameter to every function of the text, and as an argument to every call."""
        code, pairs = self._outline.code, self._outline.pairs
        inside = {place for each in self._outline.functions for place in range(*each.body)}
        for place, token in enumerate(code[:-1]):
            if token.text not in self._outline.names or code[place + 1].text != "(":
                continue
            closing = pairs[place + 1]
            given = [each.text for each in code[place + 2 : closing]]
            if given == ["void"]:
                self._texts[place + 2] = ""
            comma = ", " if given and given != ["void"] else ""
            kind = "" if place in inside else "ulong "
            self._texts[closing] = f"{comma}{kind}{self._names.key})"

    def _read_the_key(self) -> None:
        """Begin each function with the values that the key encodes, and with the arrays of the group's edit."""
        key, words = self._names.key, self._names.words
        number = f"const uint {self._names.edit} = ({key} & {2**NUMBER_BITS - 1}) + get_group_id(2);"
        length = f"const long {words} = ({key} >> {NUMBER_BITS}) & {2**WORDS_BITS - 1};"
        iterations = f"int {self._names.iterations} = ({key} >> {NUMBER_BITS + WORDS_BITS}) * {COSTS[0]};"
        for function in self._outline.functions:
            moves = " ".join(map(self._move, self._arrays(function)))
            self._texts[function.body[0]] = f"{{ {number} {length} {iterations} {moves}".rstrip()

    def _arrays(self, function: Function) -> Iterator[Variable]:
        """Yield the arrays that the host passes to a kernel, except those whose pointers cannot be moved."""
        first, last = function.body
        region = next((each for each in self._outline.regions if first < each.first < last), None)
        given = self._outline.code[slice(*function.parameters)]
        for each in region.visible if region is not None and function.name in self._outline.kernels else ():
            is_given = each.parameter and each.subscripts == 1 and each.space in {"global", "constant"}
            if is_given and not _is_fixed(given, each.name):
                yield each

    def _move(self, array: Variable) -> str:
        """A statement that moves a pointer to the array that belongs to the group's edit."""
        blocks = f"({self._names.words} + {ALIGNED - 1}) / {ALIGNED}"
        return f"{array.name} += get_group_id(2) * ({blocks} * {2 * ALIGNED * WORD_BYTES}) / sizeof({array.name}[0]);"

    def _limit_the_loops(self) -> None:
        """Make each iteration use up some of the iterations that the key allows."""
        statements = [self._loop(first) for first, _ in self._outline.loops]
        for first, last in self._outline.loops:
            around = sum(first in statement for statement in statements if first != statement.start)
            condition = f"({self._names.iterations} -= {COSTS[min(around, len(COSTS) - 1)]}) >= 0"
            before, after = self._texts[first - 1], self._texts[last]
            if first < last:
                self._texts[first - 1], self._texts[last] = f"{before} ({condition} && (", f")){after}"
            else:
                self._texts[last] = condition + after

    def _loop(self, condition: int) -> range:
        """The tokens of a loop, from the first token of its condition to the end of its body."""
        code, pairs = self._outline.code, self._outline.pairs
        opening = max(each for each, closing in pairs.items() if each < condition <= closing)
        ends = outside(pairs, pairs[opening] + 1, len(code))
        end = next((each for each in ends if code[each].text in {"{", ";"}), len(code) - 1)
        return range(condition, pairs.get(end, end) + 1)

    def _limit_the_indexes(self) -> None:
        """Keep each index of a variable inside its array, as in `a[i]` and, for an array, `a[i][j]`."""
        code = self._outline.code
        for region in self._outline.regions:
            variables = {each.name: each for each in region.visible if each.subscripts}
            for place in range(region.first, region.last - 1):
                variable = variables.get(code[place].text)
                if variable is not None and code[place - 1].text not in {".", "->"}:
                    self._limit(variable, place + 1, region.last)

    def _limit(self, variable: Variable, opening: int, last: int) -> None:
        array, pairs = variable.name, self._outline.pairs
        for _ in range(variable.subscripts if variable.is_array else 1):
            if opening >= last or self._outline.code[opening].text != "[":
                return
            self._texts[opening] = f"[{self._names.inside}("
            self._texts[pairs[opening]] = f", {self._bounds(variable, array)})]"
            opening, array = pairs[opening] + 1, f"{array}[0]"

    def _bounds(self, variable: Variable, array: str) -> str:
        """The lowest index and the end of the valid indexes, as two arguments. A pointer may point anywhere in an
        array.
        """
        if variable.is_array:
            return f"0, (long)(sizeof({array}) / sizeof({array}[0]))"
        words = self._names.words if variable.space in {"global", "constant"} else str(LOCAL_WORDS)
        elements = words if variable.type in WORDS else f"{words} * 4 / (long)sizeof({array}[0])"
        return f"-({elements}), {elements}"


def _is_fixed(parameters: Sequence[Token], name: str) -> bool:
    """True if a parameter is a pointer that cannot be moved: `const` follows its last `*`."""
    before = [token.text for token in parameters]
    before = before[: before.index(name)]
    return "*" in before and "const" in before[len(before) - before[::-1].index("*") :]


def _unused(name: str, text: str) -> str:
    """Lengthen a name until the text does not contain it."""
    while name in text:
        name += "_"
    return name
