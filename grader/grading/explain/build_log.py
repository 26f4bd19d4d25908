"""Explains the log of a compiler. It extracts the place and the text of the error, shows the line as the student wrote
it, and adds advice.

Most drivers compile with clang, but each formats the messages differently:

    PoCL            error: /tmp/x/tempfile_Pp6381.cl:5:10: use of undeclared identifier 'x'
    NVIDIA          <kernel>:5:10: error: use of undeclared identifier 'x'
    AMD             /tmp/OCL123/input.cl:5:10: error: use of undeclared identifier 'x'
    Intel           1:5:10: error: use of undeclared identifier 'x'
    NVIDIA's ptxas  ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)

All except PoCL repeat the source line below the message, with a caret. That line comes from the expanded text, so
grader shows the line that the student wrote instead.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, cast

from grader.common.optional import OptionalWork
from grader.course.forbidden import LINE_LIMIT as SOURCE_LINE_LIMIT
from grader.course.submissions.submission import FILE_NAME
from grader.grading.explain.compiler_hints import hint
from grader.grading.explain.problem import EXPLANATION, Problem
from grader.protocol.text import showable
from grader.protocol.tokens import tokens
from grader.results.verdicts import Reason

LOG_LIMIT = 16 * 1024
"""Maximum number of characters that are shown of a log in which no error is recognised."""

LINE_LIMIT = 600
"""Maximum number of characters that are read of a line. Some errors contain a type that fills pages."""

SHOWN = 5
"""Maximum number of errors that are shown. Later errors are often consequences of the first."""

WIDTH = 72
"""Width of the shown text in columns, which is a terminal of 80 columns minus the indentation of a report."""

REFUSED = "the compiler refused it."

INDENT = "    "
CUT = "..."

TAB = 4
"""Maximum number of columns of a tab."""

NAMED = r"<(?:kernel|program source|source|stdin)>"
STUDENTS_FILE = rf"(?:{NAMED}|\d+|(?:[^\s:]*/)?[^\s:/]*\.cl)"
"""Pattern of the names that drivers give to the text that they compile."""

SEVERITY = r"(?:fatal )?(?P<severity>error|warning|note)"

PLACE = r"(?P<line>\d{1,7}):(?P<column>\d{1,7})"
"""Pattern of a line and a column in a message. The numbers of a file do not have more digits, but a log could contain
numbers of any length.
"""

REMARKS = (
    re.compile(rf"{SEVERITY}: (?P<file>[^:]*):{PLACE}: (?P<text>.+)"),
    re.compile(rf"(?P<file>[^:]*):{PLACE}: {SEVERITY}: (?P<text>.+)"),
    re.compile(r"ptxas (?:.*; )?(?P<severity>error|warning|fatal)\s*: (?P<text>.+)"),
    re.compile(r"(?P<severity>[Ee]rror|[Ww]arning): (?P<text>.+)"),
)

NEVER_WRITTEN = re.compile(r" <Spelling=(?:<[^>]*>)?[^>]*>|\b_cl_|(?<=\*)__private\b")
"""Pattern of words in messages that the student did not write. PoCL renames library functions by macros, which appear
in messages about them. clang adds to each pointer that the pointer itself is private.
"""

LOG_PATH = re.compile(rf"(?:{NAMED}|(?:/[^\s:<>\"]+/)?tempfile_\w+\.cl)(?=:)")
OUR_PATH = re.compile(r"/[^\s:<>\"',;]+/(?=[^\s/:<>\"',;]+)")

FUNCTION = re.compile(r"\bfunction '\w+'")

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, kw_only=True)
class CompilerMessage:
    """One message of a compiler.

    `line` and `column` count from 1 in the compiled text. Columns count bytes of UTF-8, as in clang. Both are None if
    the message does not refer to a place in the student's text.
    """

    severity: Severity
    text: str
    line: int | None
    column: int | None


@dataclass(frozen=True, kw_only=True)
class Source:
    """A text as the student wrote it, and its lines of code (course/submissions/scan.py), both as `written` by the
    student and as `compiled` with expanded macros. A line has the same number in both. Without these lines, as for a
    text of the course, a log is explained without source lines. `constants` are the macros of the assignment.
    """

    text: str = ""
    written: Sequence[str] = ()
    compiled: Sequence[str] = ()
    constants: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def line(self, number: int) -> str:
        """The line as the student wrote it; "" if there is no such line."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def code(self, number: int) -> str:
        """The line without comments and without the contents of strings, up to the length of lines that
        people write.
        """
        if not 0 < number <= len(self.written):
            return ""
        return "".join(
            '""' if token.kind == "string" else token.text
            for token in tokens(self.written[number - 1][:SOURCE_LINE_LIMIT])
        )

    def column(self, number: int, column: int) -> int | None:
        """Convert a column of the compiled line to a column of the written line, in characters from 1; None if a macro
        moved it.
        """
        if not 0 < number <= min(len(self.written), len(self.compiled)):
            return column
        written, compiled = (lines[number - 1].encode()[: column - 1] for lines in (self.written, self.compiled))
        return len(written.decode(errors="ignore")) + 1 if written == compiled else None


def parse(log: str) -> tuple[CompilerMessage, ...]:
    """The messages in a compiler's log, in order. Repeated source lines, carets and counts are left out."""
    return tuple(remark for line in log.split("\n") if (remark := _remark(line)) is not None)


def of_build_log(log: str, source: Source) -> Problem:
    """The problem of a failed build. The message is the first error, and the detail contains the first few errors with
    their lines.
    """
    with OptionalWork(EXPLANATION) as work:
        return explain(log, source)
    return Problem(reason=Reason.BUILD_ERROR, message=REFUSED, faults=(work.fault,))


def explain(log: str, source: Source) -> Problem:
    """The errors of a failed build. If no error is recognised, the log itself is the detail."""
    errors = _errors(parse(log))
    if not errors:
        detail = clean(log) or "the compiler gave no reason."
        return Problem(reason=Reason.BUILD_ERROR, message=REFUSED, detail=detail)
    first = errors[0]
    return Problem(
        reason=Reason.BUILD_ERROR,
        message=_sentence(first, source),
        help=_hint(first, source) or "",
        detail="\n".join(_listing(errors, source)),
    )


def clean(log: str) -> str:
    """The log with kernels.cl as the file name, without the folders of the grading machine, and truncated to
    `LOG_LIMIT`.
    """
    text = "\n".join(_anonymous(_cut(line)).rstrip() for line in log.split("\n")).strip()
    return text if len(text) <= LOG_LIMIT else text[:LOG_LIMIT] + "\n(the rest of the log was cut)"


def _cut(line: str) -> str:
    return line if len(line) <= LINE_LIMIT else f"{line[:LINE_LIMIT]} {CUT}"


def _anonymous(line: str) -> str:
    return NEVER_WRITTEN.sub("", OUR_PATH.sub("", LOG_PATH.sub(FILE_NAME, line)))


def _remark(line: str) -> CompilerMessage | None:
    line = NEVER_WRITTEN.sub("", _cut(line)).rstrip()
    match = next((match for form in REMARKS if (match := form.match(line))), None)
    if match is None:
        return None
    parts = match.groupdict()
    theirs = parts.get("line") is not None and re.fullmatch(STUDENTS_FILE, parts["file"])
    severity = parts["severity"].lower().replace("fatal", "error")
    return CompilerMessage(
        severity=cast("Severity", severity),
        text=_anonymous(parts["text"]),
        line=int(parts["line"]) if theirs else None,
        column=int(parts["column"]) if theirs else None,
    )


def _errors(remarks: Sequence[CompilerMessage]) -> list[CompilerMessage]:
    """The errors, each at most once per line. Errors without a place are included only if no error has a place."""
    errors: dict[tuple[int | None, str], CompilerMessage] = {}
    for each in remarks:
        if each.severity == "error":
            errors.setdefault((each.line, each.text), each)
    with_place = [each for each in errors.values() if each.line is not None]
    return with_place or _placed(list(errors.values()), remarks)


def _placed(errors: Sequence[CompilerMessage], remarks: Sequence[CompilerMessage]) -> list[CompilerMessage]:
    """Errors of the linker, which do not have lines, each with the place of the first message about the
    same function.
    """
    about: dict[str, CompilerMessage] = {}
    for each in remarks:
        for name in FUNCTION.findall(each.text):
            about.setdefault(name, each)
    names = (FUNCTION.search(each.text) for each in errors)
    return [
        replace(about[name[0]], severity="error", text=error.text) if name else error
        for error, name in zip(errors, names, strict=True)
    ]


# --- what the student sees --------------------------------------------------------------------


def _hint(error: CompilerMessage, source: Source) -> str | None:
    return hint(error.text, source.code(error.line) if error.line is not None else "", source.constants)


def _column(error: CompilerMessage, source: Source) -> int | None:
    if error.line is None or error.column is None:
        return None
    return source.column(error.line, error.column)


def _sentence(error: CompilerMessage, source: Source) -> str:
    column = _column(error, source)
    place = f"line {error.line}{f', column {column}' if column else ''}: " if error.line is not None else ""
    end = "" if error.text.endswith((".", "?", "!")) else "."
    return f"{place}{error.text}{end}"


def _listing(errors: Sequence[CompilerMessage], source: Source) -> Iterator[str]:
    """Yield the first errors as compilers write them, with line, caret and hint. No hint appears twice."""
    told = {_hint(errors[0], source)}  # the help already contains this hint
    for error in errors[:SHOWN]:
        column, advice = _column(error, source), _hint(error, source)
        place = "".join(f":{number}" for number in (error.line, column) if number is not None)
        yield f"{FILE_NAME}{place}: error: {error.text}"
        if error.line is not None:
            yield from _excerpt(source.line(error.line), column)
        if advice and advice not in told:
            told.add(advice)
            yield from textwrap.wrap(f"hint: {advice}", WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    more = len(errors) - SHOWN
    if more > 0:
        yield f"and {more} more error{'s' if more > 1 else ''}"


def _excerpt(line: str, column: int | None) -> Iterator[str]:
    """Yield the line without its indentation, truncated around the caret if necessary, followed by a line with the
    caret.
    """
    text = showable(line.expandtabs(TAB).rstrip())
    caret = len(line[: column - 1].expandtabs(TAB)) if column is not None else 0
    indented, text = len(text), text.lstrip()
    caret = min(max(0, caret - (indented - len(text))), len(text))
    room = WIDTH - len(INDENT)
    start = max(0, min(caret - room // 2, len(text) - room))
    shown = text[start : start + room]
    if start > 0:
        shown = CUT + shown[len(CUT) :]
    if start + room < len(text):
        shown = shown[: -len(CUT)] + CUT
    if shown:
        yield INDENT + shown
    if shown and column is not None:
        yield INDENT + " " * (caret - start) + "^"
