"""Collects everything that the judge reads from an OpenCL C text, in one pass over its tokens.

The text is read as compilers read it (C99, 5.1.1.2, phases 1 to 3), so that trigraphs, continued lines and comments
cannot hide anything. Grading does not examine a student's text in any other way. The time of every step is proportional
to the length of the text, since a student may try to slow the judge down (scan_process.py sets the limits).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from grader.course.forbidden import INLINE, LINE_LIMIT, SHOWN, Construct, Sighting, constructs
from grader.protocol.text import CONTROLS, control_name, showable, without_controls
from grader.protocol.tokens import Joined, Token, join, logical_lines

COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
"""Matches a comment in text that consists of white space and comments. An unclosed comment extends to the end."""

WORD = re.compile(r"\w+")
NO_BREAK = re.compile(r"[^\n]")

MARKS = " \t\v\f\r/*"
"""Characters that may surround a statement in a line of a comment."""

OPENING = "grader:"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A line of a comment that states a choice: `grader: [kernel] what = value`."""

    line: int
    kernel: str | None
    what: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Scan:
    """The outcome of a scan.

    `sightings` contains the first sighting of each construct that is refused unless it is allowed. `statements` are the
    statements in comments. `defined` contains the types and macros that the text seems to define. `code` contains the
    lines, with blanks in place of comments.
    """

    sightings: tuple[Sighting, ...]
    statements: tuple[Statement, ...]
    defined: frozenset[str]
    code: tuple[str, ...]


def scan(source: str) -> Scan:
    """Scan a text in the form in which it is compiled, with a space in place of each control character."""
    text = without_controls(source)
    joined = join(text)
    found = _Found(lines=text.split("\n"))
    found.look_at_lines()
    if text != source:
        found.look_for_controls(join(source))
    for line in logical_lines(joined.tokens()):
        found.look_at(line)
    return Scan(
        sightings=tuple(found.sightings.values()),
        statements=tuple(found.statements),
        defined=frozenset(found.defined),
        code=tuple(_lines(joined, "".join(found.blanked))),
    )


@dataclass(kw_only=True)
class _Found:
    """State of a scan. `type` is the last name in a typedef that has not ended yet, or "" before the first name.
    `specifiers` contains the words `extern` and `inline` of a declaration that has not ended yet.
    """

    lines: list[str]
    sightings: dict[Construct, Sighting] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    blanked: list[str] = field(default_factory=list)
    type: str | None = None
    specifiers: set[str] = field(default_factory=set)

    def look_at_lines(self) -> None:
        """Look for a line that is too long."""
        long = (number for number, text in enumerate(self.lines, start=1) if len(text) > LINE_LIMIT)
        self._see(Construct.LONG_LINE, next(long, None))

    def look_for_controls(self, unchanged: Joined) -> None:
        """Look for a control character that compilers refuse, which is any except NUL outside comments and strings."""
        marks = (token for token in unchanged.tokens() if token.kind == "mark" and token.text in CONTROLS)
        first = next((token for token in marks if token.text != "\0"), None)
        if first is not None:
            name = control_name(first.text)
            self.sightings[Construct.CONTROL] = Sighting(construct=Construct.CONTROL, line=first.line, text=name)

    def look_at(self, line: list[Token]) -> None:
        """Look at the tokens of a logical line."""
        code = [token for token in line if token.is_code and token.kind != "unclosed"]
        for construct, token in constructs(code):
            self._see(construct, token.line)
        match code:
            case [Token(text="#" | "%:"), Token(text="define"), Token(kind="name", text=name), *_]:
                self.defined.add(name)
            case _:
                self._look_for_types(code)
                self._look_for_linkage(code)
        for token in line:
            if token.kind in {"space", "unclosed"} and "/" in token.text:
                self.statements.extend(_statements(token))
                self.blanked.append(COMMENT.sub(lambda comment: NO_BREAK.sub(" ", comment[0]), token.text))
            else:
                self.blanked.append(token.text)

    def _look_for_types(self, code: list[Token]) -> None:
        for token in code:
            if token.text == "typedef":
                self.type = ""
            elif self.type is not None and token.text == ";":
                self.defined.add(self.type)
                self.type = None
            elif self.type is not None:
                self.type = token.text

    def _look_for_linkage(self, code: list[Token]) -> None:
        """Look for functions that are declared `extern inline`. Compilers may omit the bodies of these functions."""
        for token in code:
            if token.text in {";", "{", "}"}:
                self.specifiers.clear()
            elif token.text == "extern" or token.text in INLINE:
                self.specifiers.add("inline" if token.text in INLINE else "extern")
                if len(self.specifiers) > 1:
                    self._see(Construct.LINKAGE, token.line)

    def _see(self, construct: Construct, line: int | None) -> None:
        if line is not None and construct not in self.sightings:
            text = self.lines[line - 1].strip()
            self.sightings[construct] = Sighting(construct=construct, line=line, text=showable(text[:SHOWN]))


def _statements(space: Token) -> Iterator[Statement]:
    """Yield the statements in the comments of a stretch of white space."""
    if OPENING not in space.text:
        return
    line, end = space.line, 0
    for comment in COMMENT.finditer(space.text):
        line += space.text.count("\n", end, comment.start())
        end = comment.start()
        for number, text in enumerate(comment[0].split("\n"), start=line):
            yield from _stated(number, text.strip(MARKS))


def _stated(line: int, text: str) -> Iterator[Statement]:
    names, equals, value = text.removeprefix(OPENING).partition("=")
    words = names.split()
    if text.startswith(OPENING) and equals and 1 <= len(words) <= 2 and all(map(WORD.fullmatch, words)):
        *kernel, what = words
        yield Statement(line=line, kernel=kernel[0] if kernel else None, what=what, value=value.strip())


def _lines(joined: Joined, blanked: str) -> Iterator[str]:
    """Yield the lines of the source, taken from a text that differs from the joined text only in blanks."""
    for start, end in pairwise([*joined.starts, len(blanked) + 1]):
        yield blanked[start:end].removesuffix("\n")
