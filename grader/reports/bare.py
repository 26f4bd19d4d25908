"""Pages without style and figures, which show the grade and its reasons. They are used if the real page cannot
be made.
"""

from collections.abc import Iterator, Mapping

from markupsafe import Markup, escape

from grader.protocol.text import showable
from grader.reports.words import failure_in_words, score_in_words
from grader.results.gradebook import Gradebook
from grader.results.result import Result, Ungraded
from grader.results.verdicts import Verdict

MISSING = "The layout of this page is missing: the grader failed. The grade is not affected."


def bare_page(outcome: Result | Ungraded) -> str:
    """Return a page of plain lines about an outcome."""
    if isinstance(outcome, Ungraded):
        return _page(outcome.assignment, ["Not graded. The student is not at fault:", outcome.fault])
    score = score_in_words(outcome.points, outcome.max_points, outcome.unchecked, outcome.hidden_points)
    return _page(outcome.title, [f"{outcome.submission}: {score}.", *_checks(outcome)])


def bare_overview(book: Gradebook, links: Mapping[tuple[str, str], str]) -> str:
    """Return a page with a line for each row of a batch, and the names of the pages."""
    lines = (
        f"{row.student.label}, {row.assignment}: "
        + (f"{row.grade.points:g} of {row.grade.max_points:g}" if row.grade else row.fault or "nothing handed in")
        + f" {links.get((row.student.label, row.assignment), '')}"
        for row in book.rows
    )
    return _page("Batch", lines)


def _checks(result: Result) -> Iterator[str]:
    for check in result.checks:
        lost = check.verdict in {Verdict.PARTIAL, Verdict.FAILED}
        words = failure_in_words(check) if lost else check.message
        yield f"{check.shown_verdict}  {check.name}  {check.points:g} / {check.max_points:g}  {words}"


def _page(title: str, lines: "Iterator[str] | list[str]") -> str:
    text = "\n".join([MISSING, "", *lines])
    head = Markup('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{}</title></head>\n')
    body = Markup('<body><main><h1>{}</h1>\n<pre style="white-space: pre-wrap">{}</pre></main></body></html>\n')
    return str(head.format(escape(showable(title))) + body.format(showable(title), showable(text)))
