"""Reports: pure functions from an outcome to text. Only the command line writes files."""

from collections.abc import Callable

from grader.reports import json, junit
from grader.result import Result, Ungraded

Report = Callable[[Result | Ungraded], str]

REPORTS: dict[str, Report] = {"json": json.render, "junit": junit.render}
