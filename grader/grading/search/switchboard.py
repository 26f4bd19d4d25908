"""One program that can be any of many edits of a text: a number, which each launch is given, says which.

    i < n                ->  (edit - 7u >= 2u ? (i < n) : edit == 7u ? (i <= n) : edit == 8u ? (i > n) : (i < n))
    for (...; i < n; ..) ->  for (...; (turns-- > 0 && (i < n)); ...)

Every function of the text takes a key as one more parameter: the number and, above it, how many turns all loops of a
call may make, since an edit may make a loop endless. `#pragma`s that only make code faster are left out.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grader.grading.search.edits import Edit
from grader.grading.search.outline import Outline, Region

UNCHANGED = 0
"""The number of the text as it is; edits count from 1."""

NUMBER_BITS = 32


def key(number: int, turns: int) -> int:
    """What a launch is given to be an edit."""
    return (min(turns, 2**31 - 1) << NUMBER_BITS) | number


@dataclass(frozen=True, kw_only=True)
class Switchboard:
    """The program, and which of its lines are edits, by their numbers."""

    text: str
    lines: dict[int, int]


def switchboard(outline: Outline, edits: Sequence[Edit]) -> Switchboard:
    """The program that can be all of these edits; the first has the number 1, and those of a region follow each other,
    so that a region that is not edited costs one comparison.
    """
    return _Writer(outline).written(edits)


def edited(outline: Outline, edit: Edit) -> str:
    """The text with one edit, and nothing else changed; its lines are where they were."""
    begin, end = outline.code[edit.first].start, outline.end(edit.last - 1)
    breaks = "\n" * outline.text.count("\n", begin, end)
    return f"{outline.text[:begin]}{edit.text}{breaks}{outline.text[end:]}"


def accepted(edits: Sequence[Edit], board: Switchboard, refused: Collection[int]) -> list[Edit]:
    """The edits but those on lines of the program that a compiler refuses."""
    blamed = {board.lines.get(line) for line in refused}
    return [edit for number, edit in enumerate(edits, start=1) if number not in blamed]


class _Writer:
    """Writes the program; `before` and `instead` are what stands before a token, and in its place."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._key = _unused("grader_key", outline.text)
        self._number = _unused("grader_edit", outline.text)
        self._turns = _unused("grader_turns", outline.text)
        self._before: dict[int, str] = defaultdict(str)
        self._instead: dict[int, str] = {}
        self._begins = {region.first for region in outline.regions}
        self._pass_the_key()
        self._limit_the_loops()

    def written(self, edits: Sequence[Edit]) -> Switchboard:
        """The program."""
        chosen: dict[int, list[tuple[int, Edit]]] = defaultdict(list)
        for number, edit in enumerate(edits, start=1):
            chosen[edit.region.first].append((number, edit))
        regions = {region.first: region for region in self._outline.regions}
        text: list[str] = []
        lines: dict[int, int] = {}
        line, place = 1, 0
        while place < len(self._outline.code):
            pieces, after = [self._gap(place), self._token(place)], place + 1
            if place in chosen:
                pieces, after = [self._gap(place), *self._choice(regions[place], chosen[place])], regions[place].last
                begins = line + pieces[0].count("\n") + 1
                lines |= {begins + i: number for i, (number, _) in enumerate(chosen[place])}
            text += pieces
            line += sum(piece.count("\n") for piece in pieces)
            place = after
        return Switchboard(text="".join(text) + "\n", lines=lines)

    def _choice(self, region: Region, choices: Sequence[tuple[int, Edit]]) -> list[str]:
        """The edits of a region, each on a line of its own, and its own text."""
        void = "(void)" if region.role in {"statement", "step"} else ""
        own = f"{void}({self._plain(region.first, region.last)})"
        lowest = choices[0][0]
        pieces = [f"{self._before[region.first]}({self._number} - {lowest}u >= {len(choices)}u ? {own} :"]
        for number, edit in choices:
            before = self._plain(region.first, edit.first)
            value = " ".join((before, edit.text, self._plain(edit.last, region.last))).strip() or "0"
            pieces.append(f"\n{self._number} == {number}u ? {void}({value}) :")
        return [*pieces, f"\n{own})"]

    def _plain(self, first: int, last: int) -> str:
        """Tokens as they are in this program, on one line."""
        pieces: list[str] = []
        for place in range(first, last):
            pieces += [self._gap(place), self._code(place) if place in self._begins else self._token(place)]
        return " ".join("".join(pieces).split())

    def _token(self, place: int) -> str:
        return self._before[place] + self._code(place)

    def _code(self, place: int) -> str:
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
            self._before[closing] = f"{comma}{kind}{self._key}"

    def _limit_the_loops(self) -> None:
        for function in self._outline.functions:
            number = f"const uint {self._number} = (uint){self._key};"
            turns = f"int {self._turns} = (int)({self._key} >> {NUMBER_BITS});"
            self._before[function.body[0] + 1] += f"{number} {turns} "
        for first, last in self._outline.loops:
            opening = f"{self._turns}-- > 0"
            if first < last:
                self._before[first] += f"({opening} && ("
                self._before[last] = f")){self._before[last]}"
            else:
                self._before[last] = opening + self._before[last]


def _unused(name: str, text: str) -> str:
    """A name that does not stand in the text."""
    while name in text:
        name += "_"
    return name
