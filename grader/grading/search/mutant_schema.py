"""A mutant schema is one program that contains many edits of a text. Each launch receives a number that selects an
edit.

For example, this kernel has edit 1, `i <= n` in line 3, and edit 2, `i + 1` in line 4:

    __kernel void scale(__global float *A, uint n)
    {
        for (uint i = 0; i < n; i++)
            A[i] *= 2;
    }

The schema of these edits is:

    long grader_inside(long i, long from, long to) { return from <= i && i < to ? i : to / 2; }
    __kernel void scale(__global float *A, uint n, ulong grader_key)
    {
        const uint grader_edit = (grader_key & 65535) + get_group_id(2);
        const long grader_words = (grader_key >> 16) & 16777215;
        int grader_iterations = (grader_key >> 40) * 16;
        A += get_group_id(2) * ((grader_words + 31) / 32 * 256) / sizeof(A[0]);
        for (uint i = 0; ((grader_iterations -= 16) >= 0 && ((grader_edit - 1u >= 1u ? (i < n) : (i <= n)))); i++)
            (grader_edit - 2u >= 1u
                ? (void)(A[grader_inside(i, -(grader_words), grader_words)] *= 2)
                : (void)(
                    A[grader_inside((grader_edit - 2u >= 1u ? (i) : (i + 1)), -(grader_words), grader_words)] *= 2));
    }

1. Every function takes a key: the number of the edit, the words of the largest array, and the iterations that all loops
   of a call may make. An iteration of an inner loop costs less. An edit may make a loop endless or give an index any
   value, which would cost the time of hundreds of edits. So loops end, and an index beyond its array is moved into the
   array.
2. A launch may be a batch of edits (edit_batch.py). The groups with number n in dimension 2 run the edit that comes n
   after the key's edit, and have separate arrays.
3. `#pragma`s that only make code faster are left out.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.course.elements import ELEMENTS, WORD_BYTES
from grader.grading.search.edits.sites import Edit
from grader.grading.source.outline import Function, Outline, Variable, outside
from grader.grading.source.reading import outline as read
from grader.protocol.tokens import Token

UNCHANGED = 0
"""Number that selects the unchanged text. Edits are numbered from 1."""

AT_ONCE = 120
"""Maximum number of edits in one schema. A schema has fixed costs, but its compile time grows faster than the number of
edits. For a tiled matrix product with barriers, PoCL 3.1 compiles 200 edits in 0.4 s, PoCL 6 in 2.6 s and PoCL 5 in
4.6 s. On a busy machine with PoCL 3.1, 960 edits take 15 s in schemas of 80, 11 s of 120, 14 s of 160 and 19 s of 240.
"""

TYPES = 3
"""Maximum number of edits of types that are tried. Each needs a new session, which takes as long as hundreds of
launches.
"""

NUMBER_BITS, WORDS_BITS, ITERATIONS_BITS = 16, 24, 24

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

PRAGMA = re.compile(r'_Pragma\s*\(\s*"[^"\n]*"\s*\)')
"""Matches a pragma within a line, which is not part of any token."""

Span = tuple[int, int]


def key(number: int, words: int, iterations: int) -> int:
    """The key of a launch, which encodes its edit, the number of words of the largest array, and the number of
    iterations that loops may run.
    """
    words, iterations = min(words, 2**WORDS_BITS - 1), min(iterations, 2**ITERATIONS_BITS - 1)
    return ((iterations << WORDS_BITS | words) << NUMBER_BITS) | number


@dataclass(frozen=True, kw_only=True)
class MutantSchema:
    """The program, the number of each edit, and the line of the program on which each edit begins."""

    outline: Outline
    text: str
    numbers: Mapping[Edit, int]
    lines: Mapping[int, Edit]

    def without(self, refused: Collection[int]) -> "MutantSchema":
        """The schema without the edits on lines that a compiler refuses. If a refused line is not an edit, the edits of
        the next expression are left out, because they probably change the type of its value.
        """
        blamed = {self.lines[line] for line in refused if line in self.lines}
        others = [line for line in refused if line not in self.lines]
        after = (min((each for each in self.lines if each > line), default=None) for line in others)
        spans = {self.lines[line].span for line in after if line is not None}
        return mutant_schema(
            self.outline, (each for each in self.numbers if each not in blamed and each.span not in spans)
        )


def mutant_schema(outline: Outline, edits: Iterable[Edit]) -> MutantSchema:
    """The schema of these edits. The edits of an expression have consecutive numbers, so that an expression that is not
    edited costs one comparison.
    """
    return _Writer(outline, sorted(edits, key=lambda edit: (edit.span[0], -edit.span[1]))).written()


def mutant_schemas(outline: Outline, edits: Sequence[Edit]) -> Iterator[MutantSchema]:
    """Yield the schemas of these edits, in order. An edit of a type needs a separate program. Such edits come first
    because they are few and likely to be right.
    """
    for edit in [edit for edit in edits if edit.region.role == "type"][:TYPES]:
        changed = read(edited(outline, edit), outline.kernels)
        if changed is not None:
            yield replace(mutant_schema(changed, ()), numbers={edit: UNCHANGED})
    switched = [edit for edit in edits if edit.region.role != "type"]
    yield from (mutant_schema(outline, switched[first : first + AT_ONCE]) for first in range(0, len(switched), AT_ONCE))


def _is_fixed(parameters: Sequence[Token], name: str) -> bool:
    """True if a parameter is a pointer that cannot be moved: `const` follows its last `*`."""
    before = [token.text for token in parameters]
    before = before[: before.index(name)]
    return "*" in before and "const" in before[len(before) - before[::-1].index("*") :]


def edited(outline: Outline, edit: Edit) -> str:
    """The text with only this edit. Its lines keep their numbers."""
    begin = outline.code[edit.first].start
    end = outline.end(edit.last - 1) if edit.last > edit.first else begin
    breaks = "\n" * outline.text.count("\n", begin, end)
    return f"{outline.text[:begin]}{edit.text}{breaks} {outline.text[end:]}"


class _Writer:
    """Generates the program. `_instead` maps token numbers to their replacements."""

    def __init__(self, outline: Outline, edits: Sequence[Edit]) -> None:
        self._outline = outline
        self._key, self._number = _unused("grader_key", outline.text), _unused("grader_edit", outline.text)
        self._words = _unused("grader_words", outline.text)
        self._iterations = _unused("grader_iterations", outline.text)
        self._inside = _unused("grader_inside", outline.text)
        self._instead: dict[int, str] = {}
        self._all = edits
        self._edits: dict[Span, list[tuple[int, Edit]]] = defaultdict(list)
        self._within: dict[Span, list[int]] = defaultdict(list)
        for number, edit in enumerate(edits, start=1):
            self._edits[edit.span].append((number, edit))
            self._within[edit.region.first, edit.region.last].append(number)
        self._edits |= {span: self._edits[span] for span in self._within}
        self._voids = {(each.first, each.last) for each in outline.regions if each.role in {"statement", "step"}}
        self._spans: dict[int, list[Span]] = defaultdict(list)
        for span in sorted(self._edits, key=lambda span: (span[0], -span[1])):
            self._spans[span[0]].append(span)
        self._pass_the_key()
        self._limit_the_loops()
        self._limit_the_indexes()

    def written(self) -> MutantSchema:
        """Generate the program."""
        text = f"long {self._inside}(long i, long from, long to) {{ return from <= i && i < to ? i : to / 2; }}\n"
        pieces = [text]
        lines: dict[int, Edit] = {}
        line = 2
        for piece, edit in self._pieces(0, len(self._outline.code), 0):
            line += piece.count("\n")
            if edit is not None:
                lines[line] = edit
            pieces.append(piece)
        numbers = {edit: number for number, edit in enumerate(self._all, start=1)}
        return MutantSchema(outline=self._outline, text="".join(pieces) + "\n", numbers=numbers, lines=lines)

    def _pieces(self, first: int, last: int, entered: int) -> Iterator[tuple[str, Edit | None]]:
        """Yield the pieces of the program for these tokens, each with the edit that begins there on a new line, if any.
        Of the spans that begin at the first token, the first `entered` have already been entered.
        """
        place = first
        while place < last:
            spans = self._spans.get(place, [])[entered:] if place == first else self._spans.get(place, [])
            yield self._gap(place), None
            if spans:
                yield from self._choice(spans[0], entered + 1 if place == first else 1)
                place = spans[0][1]
            else:
                yield self._token(place), None
                place += 1

    def _choice(self, span: Span, entered: int) -> Iterator[tuple[str, Edit | None]]:
        """Yield the unchanged text of an expression, in which other expressions may be edited, and its edits, each on a
        separate line. The unchanged text of a region is written twice, so that the region costs only one comparison if
        none of its edits is selected.
        """
        choices, within = self._edits[span], self._within.get(span, [])
        void = "(void)" if span in self._voids else ""
        yield "(", None
        if len(within) > len(choices):
            yield f"{self._is_none(within[0], len(within))} ? {void}({self._plain(*span)}) : ", None
        if choices:
            yield f"{self._is_none(choices[0][0], len(choices))} ? ", None
        yield f"{void}(", None
        yield from self._pieces(*span, entered)
        yield f"){' :' if choices else ''}", None
        for number, edit in choices:
            before = self._plain(span[0], edit.first)
            value = " ".join((before, edit.text, self._plain(edit.last, span[1]))).strip() or "0"
            test = f"{self._number} == {number}u ? " if number < choices[-1][0] else ""
            yield f"\n{test}{void}({value}){' :' if test else ''}", edit
        yield "\n)", None

    def _is_none(self, lowest: int, count: int) -> str:
        """The condition under which none of the `count` edits that start at number `lowest` is selected."""
        return f"{self._number} - {lowest}u >= {count}u"

    def _plain(self, first: int, last: int) -> str:
        """The text of these tokens in the generated program, on one line."""
        return " ".join("".join(self._gap(place) + self._token(place) for place in range(first, last)).split())

    def _token(self, place: int) -> str:
        return self._instead.get(place, self._outline.code[place].text)

    def _gap(self, place: int) -> str:
        """The white space before a token, including directives that enable extensions."""
        begin = self._outline.end(place - 1) if place else 0
        lines = self._outline.text[begin : self._outline.code[place].start].split("\n")
        return PRAGMA.sub("", "\n".join(line for line in lines if "#" not in line or "OPENCL" in line))

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
                self._instead[place + 2] = ""
            comma = ", " if given and given != ["void"] else ""
            kind = "" if place in inside else "ulong "
            self._instead[closing] = f"{comma}{kind}{self._key})"

    def _limit_the_loops(self) -> None:
        for function in self._outline.functions:
            number = f"const uint {self._number} = ({self._key} & {2**NUMBER_BITS - 1}) + get_group_id(2);"
            words = f"const long {self._words} = ({self._key} >> {NUMBER_BITS}) & {2**WORDS_BITS - 1};"
            iterations = f"int {self._iterations} = ({self._key} >> {NUMBER_BITS + WORDS_BITS}) * {COSTS[0]};"
            own = " ".join(map(self._own, self._arrays(function)))
            self._instead[function.body[0]] = f"{{ {number} {words} {iterations} {own}".rstrip()
        statements = [self._loop(first) for first, _ in self._outline.loops]
        for first, last in self._outline.loops:
            around = sum(first in statement for statement in statements if first != statement.start)
            condition = f"({self._iterations} -= {COSTS[min(around, len(COSTS) - 1)]}) >= 0"
            before, after = self._token(first - 1), self._token(last)
            if first < last:
                self._instead[first - 1], self._instead[last] = f"{before} ({condition} && (", f")){after}"
            else:
                self._instead[last] = condition + after

    def _loop(self, condition: int) -> range:
        """The tokens of a loop, from the first token of its condition to the end of its body."""
        code, pairs = self._outline.code, self._outline.pairs
        opening = max(each for each, closing in pairs.items() if each < condition <= closing)
        ends = outside(pairs, pairs[opening] + 1, len(code))
        end = next((each for each in ends if code[each].text in {"{", ";"}), len(code) - 1)
        return range(condition, pairs.get(end, end) + 1)

    def _arrays(self, function: Function) -> Iterator[Variable]:
        """Yield the arrays that the host passes to a kernel, except those whose pointers cannot be moved."""
        first, last = function.body
        region = next((each for each in self._outline.regions if first < each.first < last), None)
        given = self._outline.code[slice(*function.parameters)]
        for each in region.visible if region is not None and function.name in self._outline.kernels else ():
            is_given = each.parameter and each.subscripts == 1 and each.space in {"global", "constant"}
            if is_given and not _is_fixed(given, each.name):
                yield each

    def _own(self, array: Variable) -> str:
        """A statement that moves a pointer to the array that belongs to the group's edit."""
        blocks = f"({self._words} + {ALIGNED - 1}) / {ALIGNED}"
        return f"{array.name} += get_group_id(2) * ({blocks} * {2 * ALIGNED * WORD_BYTES}) / sizeof({array.name}[0]);"

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
            self._instead[opening] = f"[{self._inside}("
            self._instead[pairs[opening]] = f", {self._bounds(variable, array)})]"
            opening, array = pairs[opening] + 1, f"{array}[0]"

    def _bounds(self, variable: Variable, array: str) -> str:
        """The lowest index and the end of the valid indexes, as two arguments. A pointer may point anywhere in an
        array.
        """
        if variable.is_array:
            return f"0, (long)(sizeof({array}) / sizeof({array}[0]))"
        words = self._words if variable.space in {"global", "constant"} else str(LOCAL_WORDS)
        elements = words if variable.type in WORDS else f"{words} * 4 / (long)sizeof({array}[0])"
        return f"-({elements}), {elements}"


def _unused(name: str, text: str) -> str:
    """Lengthen a name until the text does not contain it."""
    while name in text:
        name += "_"
    return name
