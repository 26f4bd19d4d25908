"""Text of a mutant schema, which writes each edit next to the expression that it changes."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from grader.grading.search.edits.sites import Edit
from grader.grading.search.mutants.schema_tokens import schema_names, schema_tokens
from grader.grading.source.outline import Outline

PRAGMA = re.compile(r'_Pragma\s*\(\s*"[^"\n]*"\s*\)')
"""Matches a pragma within a line, which is not part of any token."""

Span = tuple[int, int]


def schema_text(outline: Outline, edits: Sequence[Edit]) -> tuple[str, dict[int, Edit]]:
    """Return the program that contains these edits, with numbers from 1, and the line on which each edit begins."""
    return _Writer(outline, edits).written()


class _Writer:
    """Writes the pieces of the program."""

    def __init__(self, outline: Outline, edits: Sequence[Edit]) -> None:
        self._outline = outline
        self._names = schema_names(outline.text)
        self._tokens = schema_tokens(outline, self._names)
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
        """Generate the program."""
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
