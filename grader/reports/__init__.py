"""Reports: pure functions from an outcome to text. Only the command line writes files."""

import logging
from collections.abc import Callable

from grader.reports import json, junit
from grader.result import Result, Ungraded

Report = Callable[[Result | Ungraded], str]


def _html(outcome: Result | Ungraded) -> str:
    """The page. What draws its figures takes longer to load than all else together, so that only a page loads it."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it warns where it has no folder to keep a cache in
    from grader.reports.html import render  # noqa: PLC0415 - see above

    return render(outcome)


REPORTS: dict[str, Report] = {"json": json.render, "junit": junit.render, "html": _html}
