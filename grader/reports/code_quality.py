"""A report for GitLab, as described in its documentation ("Code Quality report format").

GitLab shows an issue next to its line in a merge request. It ignores all other properties of Code Climate's format.
"""

import json
from typing import Any

from grader.course.rubric import Kind
from grader.course.submissions.submission import FILE_NAME
from grader.protocol.text import showable
from grader.reports.issues import NOT_KNOWN, issues_of
from grader.reports.words import fault_in_words
from grader.results.result import Result, Ungraded

SEVERITIES = {
    Kind.BUILD: "blocker",
    Kind.SANITIZER: "critical",
    Kind.CORRECTNESS: "critical",
    Kind.PERFORMANCE: "minor",
    Kind.PRACTICE: "info",
}
"""Severities of issues. All other kinds are major."""

UNGRADED = "UNGRADED"


def render(outcome: Result | Ungraded) -> str:
    """Return a list of issues. An ungraded outcome is itself an issue, since GitLab would interpret an empty list as
    success.
    """
    issues = _graded(outcome) if isinstance(outcome, Result) else [_ungraded(outcome)]
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"


def _graded(result: Result) -> list[dict[str, Any]]:
    return [
        _issue(each.reason, each.text, each.fingerprint, SEVERITIES.get(each.kind, "major"), each.line or NOT_KNOWN)
        for each in issues_of(result)
    ]


def _ungraded(outcome: Ungraded) -> dict[str, Any]:
    fingerprint = f"{outcome.assignment}: {UNGRADED}"
    return _issue(UNGRADED, showable(fault_in_words(outcome)), fingerprint, "info", NOT_KNOWN)


def _issue(name: str, message: str, fingerprint: str, severity: str, line: int) -> dict[str, Any]:
    return {
        "description": f"{name}: {message}",
        "check_name": name,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": FILE_NAME, "lines": {"begin": line}},
    }
