"""Reports: pure functions from an outcome to text. Only the command line writes files.

A report loads what it is made with when it is made: nobody waits for that before the first verdict.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.common.optional import Fault, attempt, noting

if TYPE_CHECKING:
    from grader.grading.by_hand.run import TimedRow
    from grader.results.gradebook import Gradebook
    from grader.results.result import Result, Ungraded

Report = Callable[["Result | Ungraded"], str]


def _json(outcome: "Result | Ungraded") -> str:
    """All of it."""
    from grader.reports.json import render

    return render(outcome)


def _junit(outcome: "Result | Ungraded") -> str:
    """For CI systems."""
    from grader.reports.junit import render

    return render(outcome)


def _load_what_draws() -> None:
    """Load it where nobody has put a matplotlibrc: it obeys one in the working directory, which may be a student's. It
    warns where it has no folder to keep a cache in, which matters to nobody.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with chdir("/"):
        import matplotlib  # noqa: F401 - takes longer to load than all else together, so that only a page does


def _html(outcome: "Result | Ungraded") -> str:
    """The page."""
    _load_what_draws()
    from grader.reports.html.page import render

    return render(outcome)


@dataclass(frozen=True, kw_only=True)
class DrawnPage:
    """The text of a page, and the parts that are missing because grader failed."""

    text: str
    faults: tuple[Fault, ...]


def page(outcome: "Result | Ungraded") -> DrawnPage:
    """The page of an outcome; a bare page if that cannot be made."""
    from grader.reports.bare import bare_page

    return _made("the page", lambda: _html(outcome), lambda: bare_page(outcome))


def overview_page(book: "Gradebook", links: Mapping[tuple[str, str], str]) -> DrawnPage:
    """The page about a batch; a bare page if that cannot be made."""
    from grader.reports.bare import bare_overview

    return _made("the overview", lambda: _overview(book, links), lambda: bare_overview(book, links))


def _overview(book: "Gradebook", links: Mapping[tuple[str, str], str]) -> str:
    _load_what_draws()
    from grader.reports.html.overview import render_overview

    return render_overview(book, links)


def _made(lost: str, draw: Callable[[], str], otherwise: Callable[[], str]) -> DrawnPage:
    with noting() as faults:
        text = attempt(lost, draw)
        return DrawnPage(text=otherwise() if isinstance(text, Fault) else text, faults=tuple(faults))


def figure_of_runs(title: str, what: str, rows: "tuple[TimedRow, ...]") -> str:
    """The table of `grader run` as a figure; `what` is what its rows are called by."""
    _load_what_draws()
    from grader.reports.figures.bars import bars

    return bars(title, what, rows)


REPORTS: dict[str, Report] = {"json": _json, "junit": _junit, "html": _html}
