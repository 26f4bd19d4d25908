"""The JUnit report, in the subset that GitLab, Jenkins (both plugins), Artemis, CodeGrade and GitHub all read.

One flat suite, unique names, times with three decimals, the failure's message also first in its text, points as
properties in the case's output. A failure is the student's; an error is ours and means that there is no grade. Skipped
is what this machine cannot check and what counts for nothing.
"""

from decimal import Decimal
from xml.etree import ElementTree

from junit_xml import TestCase, TestSuite, to_xml_report_string

from grader.reports.drawing import as_text, tells_something
from grader.reports.words import finding_in_words
from grader.result import Check, Result, Ungraded, Verdict
from grader.text import showable

TEXT_LIMIT = 20_000
"""Characters; Artemis cuts there."""

CUT = "\n(cut here; the JSON report has the rest)"


def render(outcome: Result | Ungraded) -> str:
    """An XML document."""
    match outcome:
        case Result():
            cases = [_case(outcome.assignment, check) for check in outcome.checks]
        case Ungraded():
            cases = [_error(outcome)]
    return _plain_document(to_xml_report_string([TestSuite(outcome.assignment, cases)]))


def _case(assignment: str, check: Check) -> TestCase:
    case = TestCase(
        _short(check.name),
        classname=f"{assignment}.{check.kind.value}",
        elapsed_sec=_plain(check.seconds),
        stdout=f"[[PROPERTY|points={check.points:g}]]\n[[PROPERTY|max_points={check.max_points:g}]]",
    )
    if check.verdict is Verdict.SKIPPED:
        case.add_skipped_info(message=_short(check.message))
    elif check.verdict is not Verdict.PASSED:
        message = f"{check.reason}: {check.message}"
        findings = (finding_in_words(check, finding) for finding in check.findings)
        drawn = as_text(check.error_map) if check.error_map and tells_something(check.error_map) else ""
        output = "\n".join(filter(None, (message, *findings, check.detail, drawn)))
        case.add_failure_info(message=_short(message), output=_short(output), failure_type=check.reason)
    return case


def _error(outcome: Ungraded) -> TestCase:
    case = TestCase("grading", classname=f"{outcome.assignment}.build", elapsed_sec=_plain(0))
    message = f"not graded, and not the student's fault: {outcome.fault}"
    case.add_error_info(message=_short(message), output=_short(message), error_type="UNGRADED")
    return case


def _short(text: str) -> str:
    """The text within the limit, without what XML cannot hold."""
    text = showable(text)
    return text if len(text) < TEXT_LIMIT else text[: TEXT_LIMIT - len(CUT) - 1] + CUT


def _plain(seconds: float | str) -> Decimal:
    """Three decimals, exactly, so that a sum of them has three as well."""
    return Decimal(seconds).quantize(Decimal("0.001"))


def _plain_document(document: str) -> str:
    """The document in the strictest reader's form.

    The junit-xml package writes times with six decimals, none at all for zero, and an attribute `disabled` that the
    Jenkins xunit plugin does not know.
    """
    root = ElementTree.fromstring(document)  # noqa: S314 - the package's own output, a line above
    for element in root.iter():
        if element.tag in {"testcase", "testsuite", "testsuites"}:
            element.set("time", str(_plain(element.get("time", "0"))))
            element.attrib.pop("disabled", None)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
