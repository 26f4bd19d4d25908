"""One program that can be any of many edits of a text: a number, which each launch is given, says which.

    A[i + n]             ->  A[grader_inside((edit - 7u >= 2u ? i + n : edit == 7u ? (i - n) : (i)), ...)]
    for (...; i < n; ..) ->  for (...; (turns-- > 0 && (i < n)); ...)

Every function of the text takes a key as one more parameter. An edit may make a loop endless or an index anything, and
either would cost as much time as hundreds of edits. So the key also says how many turns all loops of a call may make,
and how many words the largest array has: an index beyond its array is moved into it. `#pragma`s that only make code
faster are left out.

A launch may be many edits at once, each with arrays of its own: groups that are n-th in dimension 2 are the edit whose
number is n more, and the arrays that they are given lie n times as far on as abreast.py says. A text that takes more of
its arrays than elements does not keep to them: a pointer that an edit moves leads into the arrays of others.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.course.launches import ELEMENT_BYTES as WORD
from grader.grading.search.sites import Edit
from grader.grading.source.outline import Function, Outline, Variable
from grader.grading.source.reading import outline as read
from grader.protocol.tokens import Token

UNCHANGED = 0
"""The number of the text as it is; edits count from 1."""

AT_ONCE = 80
"""Edits in one program. A compiler's time grows faster than their number: of a tiled product with barriers, PoCL 3.1
makes 200 in 0.4 s, PoCL 6 in 2.6 s and PoCL 5 in 4.6 s, but 60 of most texts in half a second, and in 1.2 s at worst.
"""

TYPES = 3
"""Edits of types that are tried at most: to open a session takes as long as hundreds of launches."""

NUMBER_BITS, WORDS_BITS, TURNS_BITS = 16, 24, 24

WORDS = frozenset({"float", "int", "uint", "unsigned", "unsigned int"})
"""Types of four bytes: an index of an array of these costs no division."""

ALIGNED = 32
"""Words, as many as the largest vector has twice: between arrays of two edits lies a multiple of them."""

LOCAL_WORDS = 2**14
"""Local memory has about so many words, and so have the arrays of a work-item."""

Span = tuple[int, int]


def key(number: int, words: int, turns: int) -> int:
    """What a launch is given to be an edit, where the largest array has so many words and loops so many turns."""
    words, turns = min(words, 2**WORDS_BITS - 1), min(turns, 2**TURNS_BITS - 1)
    return ((turns << WORDS_BITS | words) << NUMBER_BITS) | number


@dataclass(frozen=True, kw_only=True)
class Switchboard:
    """The program, the number of each edit, and on which line of the program each begins."""

    outline: Outline
    text: str
    numbers: Mapping[Edit, int]
    lines: Mapping[int, Edit]

    @property
    def keeps_to_its_arrays(self) -> bool:
        """Whether no index that is let pass leads from an array that is written into any other: of all pointers to
        global memory that may be written to, only elements are taken, or they are handed to functions that do so.
        """
        written = {each.name for each in _global_arrays(self.outline) if not each.constant}
        inside = (place for each in self.outline.functions for place in range(*each.body))
        uses = (place for place in inside if self.outline.code[place].text in written)
        return all(_takes_an_element(self.outline, place) or _hands_it_on(self.outline, place) for place in uses)

    def without(self, refused: Collection[int]) -> "Switchboard":
        """The program without the edits on lines that a compiler refuses; of a line that is none, without those of the
        next expression, whose value has another type with them.
        """
        blamed = {self.lines[line] for line in refused if line in self.lines}
        others = [line for line in refused if line not in self.lines]
        after = (min((each for each in self.lines if each > line), default=None) for line in others)
        spans = {self.lines[line].span for line in after if line is not None}
        return switchboard(
            self.outline, (each for each in self.numbers if each not in blamed and each.span not in spans)
        )


def switchboard(outline: Outline, edits: Iterable[Edit]) -> Switchboard:
    """The program that can be all of these edits. Those of an expression follow each other, so that one that is not
    edited costs one comparison.
    """
    return _Writer(outline, sorted(edits, key=lambda edit: (edit.span[0], -edit.span[1]))).written()


def switchboards(outline: Outline, edits: Sequence[Edit]) -> Iterator[Switchboard]:
    """Programs that can be all of these edits together, in their order. One that changes a type is a program of its
    own, and comes first: there are few, and they leave little doubt.
    """
    for edit in [edit for edit in edits if edit.region.role == "type"][:TYPES]:
        changed = read(edited(outline, edit), outline.kernels)
        if changed is not None:
            yield replace(switchboard(changed, ()), numbers={edit: UNCHANGED})
    switched = [edit for edit in edits if edit.region.role != "type"]
    yield from (switchboard(outline, switched[first : first + AT_ONCE]) for first in range(0, len(switched), AT_ONCE))


def _global_arrays(outline: Outline) -> Iterator[Variable]:
    """The arrays that the host gives, as every function names them."""
    visible = {each for region in outline.regions for each in region.visible}
    return (each for each in visible if each.parameter and each.subscripts and each.space == "global")


def _takes_an_element(outline: Outline, place: int) -> bool:
    """Whether an index follows an array, and nobody takes the element's address."""
    before = place - 1
    while outline.code[before].text == "(":
        before -= 1
    return outline.code[place + 1].text == "[" and outline.code[before].text != "&"


def _hands_it_on(outline: Outline, place: int) -> bool:
    """Whether an array is an argument of a function of the text, or of one that only reads."""
    if outline.code[place - 1].text not in {"(", ","} or outline.code[place + 1].text not in {")", ","}:
        return False
    around = [opening for opening, closing in outline.pairs.items() if opening < place < closing]
    called = outline.code[max(around) - 1].text
    return called in outline.names or called.startswith("vload")


def _is_fixed(parameters: Sequence[Token], name: str) -> bool:
    """Whether a parameter is a pointer that cannot be moved: `const` stands behind its last `*`."""
    before = [token.text for token in parameters]
    before = before[: before.index(name)]
    return "*" in before and "const" in before[len(before) - before[::-1].index("*") :]


def edited(outline: Outline, edit: Edit) -> str:
    """The text with one edit, and nothing else changed; its lines are where they were."""
    begin = outline.code[edit.first].start
    end = outline.end(edit.last - 1) if edit.last > edit.first else begin
    breaks = "\n" * outline.text.count("\n", begin, end)
    return f"{outline.text[:begin]}{edit.text}{breaks} {outline.text[end:]}"


class _Writer:
    """Writes the program; `instead` is what stands in the place of a token."""

    def __init__(self, outline: Outline, edits: Sequence[Edit]) -> None:
        self._outline = outline
        self._key, self._number = _unused("grader_key", outline.text), _unused("grader_edit", outline.text)
        self._turns, self._words = _unused("grader_turns", outline.text), _unused("grader_words", outline.text)
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

    def written(self) -> Switchboard:
        """The program."""
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
        return Switchboard(outline=self._outline, text="".join(pieces) + "\n", numbers=numbers, lines=lines)

    def _pieces(self, first: int, last: int, entered: int) -> Iterator[tuple[str, Edit | None]]:
        """The program of these tokens, with the edits that begin a line; so many spans that begin at the first one have
        been entered.
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
        """The edits of an expression, each on a line of its own, and its own text, in which others may be edited. So
        that a region costs one comparison where none is, its own text is there twice.
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
        """That the edit is none of so many."""
        return f"{self._number} - {lowest}u >= {count}u"

    def _plain(self, first: int, last: int) -> str:
        """Tokens as they are in this program, on one line."""
        return " ".join("".join(self._gap(place) + self._token(place) for place in range(first, last)).split())

    def _token(self, place: int) -> str:
        return self._instead.get(place, self._outline.code[place].text)

    def _gap(self, place: int) -> str:
        """What stands between a token and the one before it: blanks, and directives of which extensions are kept."""
        begin = self._outline.end(place - 1) if place else 0
        lines = self._outline.text[begin : self._outline.code[place].start].split("\n")
        return "\n".join(line for line in lines if "#" not in line or "OPENCL" in line)

    def _pass_the_key(self) -> None:
        """Every function that the text defines takes the key, and every call hands it on."""
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
            turns = f"int {self._turns} = {self._key} >> {NUMBER_BITS + WORDS_BITS};"
            own = " ".join(map(self._own, self._arrays(function)))
            self._instead[function.body[0]] = f"{{ {number} {words} {turns} {own}".rstrip()
        for first, last in self._outline.loops:
            condition = f"{self._turns}-- > 0"
            before, after = self._token(first - 1), self._token(last)
            if first < last:
                self._instead[first - 1], self._instead[last] = f"{before} ({condition} && (", f")){after}"
            else:
                self._instead[last] = condition + after

    def _arrays(self, function: Function) -> Iterator[Variable]:
        """The arrays that the host gives a kernel, as far as their pointers can be moved."""
        first, last = function.body
        region = next((each for each in self._outline.regions if first < each.first < last), None)
        given = self._outline.code[slice(*function.parameters)]
        for each in region.visible if region is not None and function.name in self._outline.kernels else ():
            is_given = each.parameter and each.subscripts == 1 and each.space in {"global", "constant"}
            if is_given and not _is_fixed(given, each.name):
                yield each

    def _own(self, array: Variable) -> str:
        """Moves a pointer to the array of the group's edit."""
        blocks = f"({self._words} + {ALIGNED - 1}) / {ALIGNED}"
        return f"{array.name} += get_group_id(2) * ({blocks} * {2 * ALIGNED * WORD}) / sizeof({array.name}[0]);"

    def _limit_the_indexes(self) -> None:
        """Of variables: `a[i]` and, of an array, `a[i][j]` too."""
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
        """From where, and to where, its index may go; a pointer may stand anywhere in an array."""
        if variable.is_array:
            return f"0, (long)(sizeof({array}) / sizeof({array}[0]))"
        words = self._words if variable.space in {"global", "constant"} else str(LOCAL_WORDS)
        elements = words if variable.type in WORDS else f"{words} * 4 / (long)sizeof({array}[0])"
        return f"-({elements}), {elements}"


def _unused(name: str, text: str) -> str:
    """A name that does not stand in the text."""
    while name in text:
        name += "_"
    return name
