"""The part of an assignment that students see."""

from collections.abc import Sequence
from textwrap import fill

from rich.console import Console

from grader.authoring.show import describe
from grader.authoring.validation import Examined
from grader.course.suite import Coursework
from grader.reports.terminal import render
from grader.results.suite_results import joined
from grader.results.withholding import withheld


def students_view(coursework: Coursework, seen: Sequence[Examined], console: Console) -> str:
    """Return the output of `grader show`, and the skeleton's report without hidden checks. The report is left out if a
    part could not be graded.
    """
    lines = describe(coursework).splitlines()
    said = "\n".join(fill(line, console.width, subsequent_indent=" " * _hanging(line)) for line in lines)
    results = [each.own.skeleton for each in seen if each.own is not None]
    if len(results) < len(seen):
        return said
    shown = withheld(joined(coursework, results), coursework)
    report = render(shown, width=console.width, color=console.is_terminal)
    return f"{said}\n\nThe report of the skeleton:\n\n{report}"


def _hanging(line: str) -> int:
    """Return the indentation for the continuation of a line, which is four columns deeper than the line."""
    return len(line) - len(line.lstrip()) + 4
