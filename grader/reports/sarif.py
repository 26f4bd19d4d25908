"""SARIF 2.1.0, with all properties that GitHub's documentation requires ("SARIF support for code scanning").

GitHub distinguishes alerts only by the fingerprint named FINGERPRINT. It links to the places of a finding only if the
message contains links to them.
"""

import json
from collections.abc import Sequence
from typing import Any

from grader.common.phrases import first_sentence, listed
from grader.course.rubric import Kind
from grader.course.submissions.submission import FILE_NAME
from grader.protocol.text import showable
from grader.reports.issues import NOT_KNOWN, Issue, issues_of, lines_of
from grader.reports.reasons import MEANINGS
from grader.reports.words import fault_in_words, faults_in_words
from grader.results.result import Result, Ungraded
from grader.results.verdicts import Reason

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

FINGERPRINT = "primaryLocationLineHash"

LEVELS = {Kind.BUILD: "error", Kind.SANITIZER: "error", Kind.CORRECTNESS: "error", Kind.PRACTICE: "note"}
"""Levels of issues. All other kinds are warnings, because the results are right but memory or time is wasted."""


def render(outcome: Result | Ungraded) -> str:
    """Return a log with one run. For an ungraded outcome, the run has no results, is marked as unsuccessful, and states
    the reason.
    """
    run = _graded(outcome) if isinstance(outcome, Result) else _ungraded(outcome)
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _graded(result: Result) -> dict[str, Any]:
    lines, issues = lines_of(result), issues_of(result)
    reasons = [*dict.fromkeys(issue.reason for issue in issues)]
    driver = {"version": result.provenance.grader, "rules": [*map(_rule, reasons)]}
    return {
        **_run(result.assignment, driver),
        "invocations": [_invocation("warning", faults_in_words(result.faults), successful=True)],
        "results": [_result(issue, reasons.index(issue.reason), lines) for issue in issues],
    }


def _ungraded(outcome: Ungraded) -> dict[str, Any]:
    return {
        **_run(outcome.assignment, {"rules": []}),
        "invocations": [_invocation("error", [fault_in_words(outcome)], successful=False)],
        "results": [],
    }


def _run(assignment: str, driver: dict[str, Any]) -> dict[str, Any]:
    """Return the run without its outcome. GitHub keeps the results of a commit for different assignments apart."""
    return {
        "tool": {"driver": {"name": "grader", **driver}},
        "automationDetails": {"id": f"{assignment}/"},
        "columnKind": "utf16CodeUnits",
    }


def _rule(reason: Reason) -> dict[str, Any]:
    markdown = MEANINGS[reason]
    text = markdown.replace("`", "")
    return {
        "id": reason.value,
        "shortDescription": {"text": first_sentence(text)},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": markdown},
    }


def _invocation(level: str, words: Sequence[str], *, successful: bool) -> dict[str, Any]:
    notifications = [{"level": level, "message": {"text": _plain(each)}} for each in words]
    return {"executionSuccessful": successful, "toolExecutionNotifications": notifications}


def _result(issue: Issue, rule: int, lines: Sequence[str]) -> dict[str, Any]:
    places = [*enumerate(issue.places, start=1)]
    links = listed((f"[line {place.line}]({number})" for number, place in places), "and") if places else ""
    return {
        "ruleId": issue.reason.value,
        "ruleIndex": rule,
        "level": LEVELS.get(issue.kind, "warning"),
        "message": {"text": _plain(issue.text) + (f" See {links}." if links else "")},
        "locations": [_location(issue.line or NOT_KNOWN, lines)],
        "relatedLocations": [
            {"id": number, **_location(place.line, lines), "message": {"text": _plain(place.words)}}
            for number, place in places
        ],
        "partialFingerprints": {FINGERPRINT: issue.fingerprint},
    }


def _location(line: int, lines: Sequence[str]) -> dict[str, Any]:
    """Return the location of a whole line without its indentation."""
    text = lines[line - 1].rstrip()
    region = {
        "startLine": line,
        "startColumn": 1 + _units(text) - _units(text.lstrip()),
        "endLine": line,
        "endColumn": 1 + _units(text),
    }
    return {"physicalLocation": {"artifactLocation": {"uri": FILE_NAME}, "region": region}}


def _units(text: str) -> int:
    """Return the length in UTF-16 units, in which editors count columns."""
    return sum(2 if letter > "\uffff" else 1 for letter in text)


def _plain(text: str) -> str:
    """Return the text without anything that readers of SARIF could mistake for a placeholder or a link."""
    return showable(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")
