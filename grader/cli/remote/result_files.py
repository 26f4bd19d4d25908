"""Writes the result of an attempt to files for CI systems. The service makes these files from its stored result."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from grader.cli.remote.calls import Service
from grader.cli.remote.job_sign_in import current_sign_in
from grader.common.files import write_whole
from grader.course.submissions.submission import FILE_NAME
from grader.reports import REPORTS
from grader.results.result import Ungraded

DOWNLOADS = {
    "junit": "junit.xml",
    "json": "result.json",
    "sarif": "report.sarif",
    "code_quality": "code-quality.json",
}
"""Names of the service's files, by format."""

HELD_BACK = "the results are held back until the instructor publishes them."


def write_results(attempt: str, submitted: Path, files: Mapping[str, Path]) -> None:
    """Write the result of an attempt to these files, by format. If there is no result, they contain the reason. Marked
    lines belong to the submitted file, whose path is relative to the working directory, as CI systems expect.
    """
    kept = current_sign_in()
    service = Service(kept.url, kept.token)
    told = service.ask("GET", f"/api/v1/attempts/{attempt}")
    source = repository_path(submitted)
    for name, place in files.items():
        text = _text(service, attempt, name, told)
        if name in MARKERS:
            text = with_path(name, text, source)
        write_whole(place, text)


def _text(service: Service, attempt: str, name: str, told: Mapping[str, Any]) -> str:
    fault = _fault(told)
    if fault:
        submission = f"{told['assignment']}, attempt {told['number']}"
        outcome = Ungraded(assignment=str(told["assignment"]), submission=submission, fault=fault)
        return REPORTS[name](outcome)
    with service.answer("GET", f"/api/v1/attempts/{attempt}/download/{DOWNLOADS[name]}") as answer:
        return answer.read().decode("utf-8")


def _fault(told: Mapping[str, Any]) -> str:
    """The reason why this person cannot see a result of an attempt; empty if there is a visible result."""
    if told["state"] != "done":
        return f"the attempt is {told['state']}."
    return HELD_BACK if told.get("held_back") and told["result"] is None else ""


def repository_path(submitted: Path) -> str:
    """The path of the submitted file, relative to the working directory. For a file elsewhere, only its name."""
    file = submitted / FILE_NAME if submitted.is_dir() else submitted
    try:
        return file.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return file.name


def with_path(name: str, text: str, source: str) -> str:
    """A report that marks lines in the file with this path."""
    content = json.loads(text)
    MARKERS[name](content, source)
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _mark_sarif(log: dict[str, Any], source: str) -> None:
    for run in log["runs"]:
        for result in run["results"]:
            for place in (*result["locations"], *result.get("relatedLocations", ())):
                place["physicalLocation"]["artifactLocation"]["uri"] = quote(source)


def _mark_code_quality(issues: list[dict[str, Any]], source: str) -> None:
    for issue in issues:
        issue["location"]["path"] = source


MARKERS: Mapping[str, Callable[[Any, str], None]] = {"sarif": _mark_sarif, "code_quality": _mark_code_quality}
"""Functions that replace the path of the file in a report, for the formats that mark lines."""
