"""The output of `grader explain`: the first cause in full, and the names of the other failed checks."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.reports.plain import drawn_as_text
from grader.reports.words import faults_in_words
from grader.results.check import Check
from grader.results.explanation import Explained
from grader.results.verdicts import Verdict

INDENT = 4

RIGHT, CLEAN = "Every case that is shown is right.", " The simulator saw nothing go wrong."


def render(explanation: Explained, *, width: int, color: bool) -> str:
    """Return the explanation for a terminal of this width. Without colour, it is plain text."""
    return drawn_as_text(_page(explanation), width=width, color=color)


def _page(explanation: Explained) -> Iterator[RenderableType]:
    first = explanation.first_cause
    yield Text(showable(explanation.title), style="bold")
    if first is None:
        yield Text(_all_is_well(explanation))
    else:
        yield from _cause(first)
    yield from (_under(words) for words in faults_in_words(explanation.faults))
    if explanation.others:
        yield Text(f"also failed: {showable(', '.join(map(_called, explanation.others)))}", style="dim")


def _cause(first: Check) -> Iterator[RenderableType]:
    yield Text.assemble(showable(first.name), "  ", (str(first.reason), "bold red"))
    yield _under(first.sentences)
    for place in (place for finding in first.findings[:1] for place in finding.places):
        yield _under(f"{place.line:>4} | {place.text.strip()}  ({place.words})")
    if first.detail:
        yield _under(first.detail)


def _all_is_well(explanation: Explained) -> str:
    """Return sentences which state that no check failed, and that the simulator found nothing if it was used."""
    seen = [check.verdict for check in explanation.checks if check.kind is Kind.SANITIZER]
    looked = bool(seen) and all(verdict is Verdict.PASSED for verdict in seen)
    return f"{RIGHT}{CLEAN if looked else ''}"


def _called(check: Check) -> str:
    return check.label or check.name


def _under(text: str) -> Padding:
    return Padding(Text(showable(text)), (0, 0, 0, INDENT))
