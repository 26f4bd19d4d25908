"""Reports: pure functions from an outcome to text. Only the command line writes files."""

import logging
from collections.abc import Callable, Mapping

from grader.gradebook import Gradebook
from grader.reports import json, junit
from grader.result import Result, Ungraded

Report = Callable[[Result | Ungraded], str]


def _hush() -> None:
    """What draws figures warns where it has no folder to keep a cache in."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _html(outcome: Result | Ungraded) -> str:
    """The page. What draws its figures takes longer to load than all else together, so that only a page loads it."""
    _hush()
    from grader.reports.html import render  # noqa: PLC0415 - see above

    return render(outcome)


def overview_page(book: Gradebook, links: Mapping[tuple[str, str], str]) -> str:
    """The page about a batch, loaded as late as the others."""
    _hush()
    from grader.reports.overview import render_overview  # noqa: PLC0415 - see above

    return render_overview(book, links)


REPORTS: dict[str, Report] = {"json": json.render, "junit": junit.render, "html": _html}
