"""Reports, which are pure functions from an outcome to text. Only the command line writes files.

REPORTS lists the formats. A report loads its libraries only when it is made, so that the first verdict does not have to
wait.
"""

from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from grader.common.optional import Fault
    from grader.grading.by_hand.run import TimedRow
    from grader.results.gradebook import Gradebook
    from grader.results.result import Result, Ungraded

Report = Callable[["Result | Ungraded"], str]
"""Makes the text of a report."""


class ReportModule(Protocol):
    """A module that makes a report."""

    def render(self, outcome: "Result | Ungraded", /) -> str:
        """Return the text of the report."""


@dataclass(frozen=True, kw_only=True)
class ReportFormat:
    """A format of reports about one outcome: the help text of its option in `grader grade`, the ending of its file in a
    batch, and its module.
    """

    help: str
    ending: str
    module: Callable[[], ReportModule]

    def __call__(self, outcome: "Result | Ungraded", /) -> str:
        """Return the text of the report."""
        return self.module().render(outcome)


def _junit() -> ReportModule:
    from grader.reports import junit

    return junit


def _json() -> ReportModule:
    from grader.reports import json

    return json


def _html() -> ReportModule:
    _load_what_draws()
    from grader.reports.html import page

    return page


def _gradescope() -> ReportModule:
    from grader.reports import gradescope

    return gradescope


def _sarif() -> ReportModule:
    from grader.reports import sarif

    return sarif


def _code_quality() -> ReportModule:
    from grader.reports import code_quality

    return code_quality


REPORTS: dict[str, ReportFormat] = {
    "junit": ReportFormat(help="Write a JUnit XML file.", ending="xml", module=_junit),
    "json": ReportFormat(help="Write everything that was measured.", ending="json", module=_json),
    "html": ReportFormat(help="Write a page for a browser.", ending="html", module=_html),
    "gradescope": ReportFormat(help="Write Gradescope's results.json.", ending="gradescope.json", module=_gradescope),
    "sarif": ReportFormat(help="Write SARIF, for editors and GitHub.", ending="sarif", module=_sarif),
    "code_quality": ReportFormat(
        help="Write a Code Quality report for GitLab.", ending="codequality.json", module=_code_quality
    ),
}
"""Formats by name. The option has the same name, with hyphens in place of underscores."""


def _load_what_draws() -> None:
    """Load matplotlib in "/", which contains no matplotlibrc of a user. Matplotlib would use one from the working
    directory, which may be a student's. Its warning about a missing cache folder is not shown, since users cannot act
    on it.
    """
    import logging

    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with chdir("/"):
        import matplotlib  # noqa: F401 - takes longer to load than all else together, so that only a page does


@dataclass(frozen=True, kw_only=True)
class DrawnPage:
    """The text of a page, and the parts that are missing because grader failed."""

    text: str
    faults: "tuple[Fault, ...]"


def page(outcome: "Result | Ungraded") -> DrawnPage:
    """Return the page of an outcome, or a bare page if the real one cannot be made."""
    from grader.reports.bare import bare_page

    return _made("the page", lambda: REPORTS["html"](outcome), lambda: bare_page(outcome))


def overview_page(book: "Gradebook", links: Mapping[tuple[str, str], str]) -> DrawnPage:
    """Return the page about a batch, or a bare page if the real one cannot be made."""
    from grader.reports.bare import bare_overview

    return _made("the overview", lambda: _overview(book, links), lambda: bare_overview(book, links))


def _overview(book: "Gradebook", links: Mapping[tuple[str, str], str]) -> str:
    from grader.reports.html.overview import render_overview

    return render_overview(book, links)


def _made(lost: str, draw: Callable[[], str], otherwise: Callable[[], str]) -> DrawnPage:
    from grader.common.optional import OptionalWork, noting

    with noting() as faults:
        with OptionalWork(lost):
            text = draw()
            return DrawnPage(text=text, faults=tuple(faults))
        return DrawnPage(text=otherwise(), faults=tuple(faults))


def figure_of_runs(title: str, what: str, rows: "tuple[TimedRow, ...]") -> str:
    """Draw the table of `grader run` as a figure. `what` is the quantity in the labels of its rows."""
    _load_what_draws()
    from grader.reports.figures.bars import bars

    return bars(title, what, rows)
