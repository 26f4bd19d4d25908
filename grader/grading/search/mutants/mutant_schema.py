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
2. A launch may be a batch of edits (evaluated_case.py). The groups with number n in dimension 2 run the edit that comes
   n after the key's edit, and have separate arrays.
3. `#pragma`s that only make code faster are left out.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.grading.search.edits.sites import Edit
from grader.grading.search.mutants.schema_tokens import UNCHANGED, SchemaTokens, schema_names
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline as read
from grader.grading.source.values import Span

AT_ONCE = 120
"""Maximum number of edits in one schema. A schema has fixed costs, but its compile time grows faster than the number of
edits. For a tiled matrix product with barriers, PoCL 3.1 compiles 200 edits in 0.4 s, PoCL 6 in 2.6 s and PoCL 5 in
4.6 s. On a busy machine with PoCL 3.1, 960 edits take 15 s in schemas of 80, 11 s of 120, 14 s of 160 and 19 s of 240.
"""

TYPES = 3
"""Maximum number of edits of types that are tried. Each needs a new session, which takes as long as hundreds of
launches.
"""


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
    made = sorted(edits, key=lambda edit: (edit.span[0], -edit.span[1]))
    text, lines = _Writer(outline, made).written()
    numbers = {edit: number for number, edit in enumerate(made, start=1)}
    return MutantSchema(outline=outline, text=text, numbers=numbers, lines=lines)


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


def edited(outline: Outline, edit: Edit) -> str:
    """The text with only this edit. Its lines keep their numbers."""
    begin = outline.code[edit.first].start
    end = outline.end(edit.last - 1) if edit.last > edit.first else begin
    breaks = "\n" * outline.text.count("\n", begin, end)
    return f"{outline.text[:begin]}{edit.text}{breaks} {outline.text[end:]}"


PRAGMA = re.compile(r'_Pragma\s*\(\s*"[^"\n]*"\s*\)')
"""Matches a pragma within a line, which is not part of any token."""


class _Writer:
    """Writes the pieces of the program."""

    def __init__(self, outline: Outline, edits: Sequence[Edit]) -> None:
        self._outline = outline
        self._names = schema_names(outline.text)
        self._tokens = SchemaTokens(outline, self._names).written()
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

    def written(self) -> tuple[str, dict[int, Edit]]:
        """Return the program that contains the edits, with numbers from 1, and the line on which each edit begins."""
        text = f"long {self._names.inside}(long i, long from, long to) {{ return from <= i && i < to ? i : to / 2; }}\n"
        pieces = [text]
        lines: dict[int, Edit] = {}
        line = 2
        for piece, edit in self._pieces(0, len(self._outline.code), 0):
            line += piece.count("\n")
            if edit is not None:
                lines[line] = edit
            pieces.append(piece)
        return "".join(pieces) + "\n", lines

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
                yield self._tokens[place], None
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
            test = f"{self._names.edit} == {number}u ? " if number < choices[-1][0] else ""
            yield f"\n{test}{void}({value}){' :' if test else ''}", edit
        yield "\n)", None

    def _is_none(self, lowest: int, count: int) -> str:
        """The condition under which none of the `count` edits that start at number `lowest` is selected."""
        return f"{self._names.edit} - {lowest}u >= {count}u"

    def _plain(self, first: int, last: int) -> str:
        """The text of these tokens in the generated program, on one line."""
        return " ".join("".join(self._gap(place) + self._tokens[place] for place in range(first, last)).split())

    def _gap(self, place: int) -> str:
        """The white space before a token, including directives that enable extensions."""
        begin = self._outline.end(place - 1) if place else 0
        lines = self._outline.text[begin : self._outline.code[place].start].split("\n")
        return PRAGMA.sub("", "\n".join(line for line in lines if "#" not in line or "OPENCL" in line))
