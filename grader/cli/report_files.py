"""The files that `grader grade` writes."""

from collections.abc import Mapping
from pathlib import Path

from grader.common.files import write_whole
from grader.lms.exports.gradescope import gradescope_results
from grader.reports import REPORTS
from grader.results.result import Result, Ungraded

WRITERS = {**REPORTS, "gradescope": gradescope_results}
"""What is written, by the option that names its file."""


def write_reports(files: Mapping[str, Path], outcome: Result | Ungraded) -> None:
    """Write each, by the name of its format."""
    for name, path in files.items():
        write_whole(path, WRITERS[name](outcome))
