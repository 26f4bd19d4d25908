"""The output of `grader explain`: the first cause in full, and the names of the other failed checks."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.common.phrases import capital
from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.reports.causes import is_in
from grader.reports.excerpt import excerpt_at
from grader.reports.rows import drawn_as_text, labelled, source_rows
from grader.reports.words import faults_in_words
from grader.results.check import Check
from grader.results.explanation import Explained
from grader.results.verdicts import ABOUT_THE_FILE, Verdict

INDENT = 4

RIGHT, CLEAN = "Every case that is shown is right.", " The simulator saw nothing go wrong."


def render(explanation: Explained, *, width: int, color: bool) -> str:
    """Return the explanation for a terminal of this width. Without colour, it is plain text."""
    return drawn_as_text(_page(explanation, width), width=width, color=color)


def _page(explanation: Explained, width: int) -> Iterator[RenderableType]:
    first = explanation.first_cause
    yield Text(showable(explanation.title), style="bold")
    if first is None:
        yield Text(_all_is_well(explanation))
    else:
        yield from _cause(first, explanation.source.removesuffix("\n").split("\n"), width)
    yield from (_under(words) for words in faults_in_words(explanation.faults))
    yield from _others(explanation.others)


def _cause(first: Check, lines: Sequence[str], width: int) -> Iterator[RenderableType]:
    """Yield the mistake, its lines, the next step, and the evidence."""
    name = first.own_name if first.reason in ABOUT_THE_FILE else first.name
    yield Text.assemble(showable(name), "  ", (str(first.reason), "bold red"))
    yield _under(first.message)
    if first.kind is not Kind.BUILD or not first.detail:  # the log of a compiler contains the line
        places = [each for finding in first.findings[:1] for each in finding.places if is_in(lines, each.line)]
        line = first.first_line
        excerpt = excerpt_at(line if line is not None and is_in(lines, line) else None, places, lines)
        yield from (row for each in excerpt for row in source_rows(each, width))
    if first.help:
        yield labelled("help", capital(first.help), "bold cyan")
    if first.detail:
        yield _under(first.detail)


def _others(others: Sequence[Check]) -> Iterator[Text]:
    """Yield the names of the other failed checks, with a row for each kernel of a suite."""
    by_part: dict[str, list[str]] = {}
    for check in others:
        by_part.setdefault(check.part, []).append(showable(check.label or check.own_name))
    for part, names in by_part.items():
        about = f" in {showable(part)}" if part else ""
        yield Text(f"also failed{about}: {'; '.join(names)}", style="dim")


def _all_is_well(explanation: Explained) -> str:
    """Return sentences which state that no check failed, and that the simulator found nothing if it was used."""
    seen = [check.verdict for check in explanation.checks if check.kind is Kind.SANITIZER]
    looked = bool(seen) and all(verdict is Verdict.PASSED for verdict in seen)
    return f"{RIGHT}{CLEAN if looked else ''}"


def _under(text: str) -> Padding:
    return Padding(Text(showable(text)), (0, 0, 0, INDENT))
