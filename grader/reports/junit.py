"""The JUnit report, in the subset that GitLab, Jenkins (both plugins), Artemis, CodeGrade and GitHub all read.

It has one flat suite, unique names, and times with three decimals. A failure's text begins with its message. The points
and the line to look at are properties in the case's output, since strict readers refuse attributes for a file and a
line. A failure is the student's fault; an error is grader's, and means that there is no grade. Three kinds of checks
are skipped: checks that this machine cannot make; checks that are hidden until release (with the points that are still
to be decided); and practice cases with any outcome, since some readers compute points from the share of cases that
passed. The text of a practice case contains its outcome.

The failure to read first is the first case, and its message says so. Checks that fail only because of a failed build
are one skipped case. If another kernel of the suite builds, however, each of them stays a failure, because otherwise
the share of cases that passed would rise.

For a batch, a file contains a suite for each submission, for dashboards. The cases are the same, but their names start
with the suite's name, since Artemis and GitLab require unique names in a file. Texts are shorter, since GitLab accepts
30 MB per file.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from xml.etree import ElementTree

from junit_xml import TestCase, TestSuite, to_xml_report_string

from grader.common.optional import OptionalWork
from grader.course.rubric import Kind
from grader.course.submissions.handin import Absence
from grader.course.submissions.submission import FILE_NAME
from grader.protocol.text import showable
from grader.reports.issues import told_once
from grader.reports.words import (
    correction_in_words,
    deduction_in_words,
    failure_in_words,
    fault_in_words,
    faults_in_words,
    figures_in_words,
    reason_in_words,
    skip_in_words,
    unreached_in_words,
)
from grader.results.check import Check, faults_of
from grader.results.result import Result, Ungraded
from grader.results.verdicts import Verdict

START = "Start here: "
"""Text before the message of the failure to read first."""

COUNTS = ("tests", "failures", "errors")
"""Counts that the strictest reader requires for all suites together, in addition to their time."""


@dataclass(frozen=True, kw_only=True)
class TextLimits:
    """Maximum numbers of characters of texts, and the note at the end of a text that was cut off."""

    message: int
    text: int
    cut: str


ONE = TextLimits(message=20_000, text=20_000, cut="\n(cut here; the JSON report has the rest)")
"""Artemis cuts texts off at this length."""

MANY = TextLimits(message=300, text=600, cut="\n(cut here; the submission's own report has the rest)")
"""A thousand submissions in which every check fails result in about 25 MB."""


def render(outcome: Result | Ungraded) -> str:
    """Return an XML document with one suite, named after the assignment."""
    return _document([_plain_suite(_suite(outcome.assignment, "", outcome, ONE))])


def render_batch(parts: Iterable[tuple[str, Result | Ungraded | Absence]]) -> str:
    """Return an XML document with a suite for each submission or absence. The pairs (label, assignment) must be unique.

    The outcomes are requested one by one, so that they can be read from their files meanwhile.
    """
    suites = ((f"{label} {outcome.assignment}", outcome) for label, outcome in parts)
    return _document(_one_of_many(name, outcome) for name, outcome in suites)


def _one_of_many(name: str, outcome: Result | Ungraded | Absence) -> ElementTree.Element:
    """Return the suite of a submission or, if it cannot be made, a suite with one skipped case that states this."""
    with OptionalWork(f"the suite of {name}") as work:
        return _plain_suite(_suite(name, f"{name}: ", outcome, MANY))
    case = TestCase(_name(f"{name}: report"), classname=f"{outcome.assignment}.{Kind.BUILD.value}")
    _skip(case, work.fault.sentence, MANY)
    return _plain_suite(TestSuite(_name(name), [case]))


def _suite(name: str, lead: str, outcome: Result | Ungraded | Absence, limits: TextLimits) -> TestSuite:
    """Return the suite of a submission. `lead` is put before the name of each case."""
    match outcome:
        case Result():
            cases = list(_cases(told_once(outcome), lead, limits))
        case Ungraded():
            cases = [_error(outcome, lead, limits)]
        case Absence():
            cases = [_absence(outcome, lead, limits)]
    return TestSuite(_name(name), cases)


def _cases(result: Result, lead: str, limits: TextLimits) -> Iterator[TestCase]:
    """Yield a case for each check, with the one to read first at the top. All checks that a failed build prevents are
    combined into one case.
    """
    first = result.first_cause
    nothing_passed = not any(check.verdict in {Verdict.PASSED, Verdict.PARTIAL} for check in result.checks)
    unreached = result.unreached if nothing_passed else ()
    if first is not None:
        yield _case(result.assignment, lead, first, limits, START)
    for check in result.checks:
        if check is not first and check not in unreached:
            yield _case(result.assignment, lead, check, limits)
    if unreached:
        yield _unreached(result.assignment, lead, unreached, limits)
    if result.deduction is not None:
        yield _adjustment(
            "deduction", result, lead, (result.deduction.points, deduction_in_words(result.deduction)), limits
        )
    if result.correction is not None:
        yield _adjustment(
            "correction", result, lead, (result.correction.points, correction_in_words(result.correction)), limits
        )


def _case(assignment: str, lead: str, check: Check, limits: TextLimits, before: str = "") -> TestCase:
    """Return the case of one check. `before` is put before its message."""
    case = TestCase(
        _name(lead + check.name),
        classname=f"{assignment}.{check.kind.value}",
        elapsed_sec=_plain(check.seconds),
        stdout=_short("\n".join(_output(check)), limits.text, limits.cut),
    )
    if check.verdict is Verdict.SKIPPED or check.kind is Kind.PRACTICE:
        _skip(case, _without_verdict(check), limits)
    elif check.verdict is not Verdict.PASSED:
        message = _short(before + reason_in_words(check), limits.message, limits.cut)
        output = _short(before + failure_in_words(check), limits.text, limits.cut)
        case.add_failure_info(message=message, output=output, failure_type=check.reason)
    return case


def _unreached(assignment: str, lead: str, checks: tuple[Check, ...], limits: TextLimits) -> TestCase:
    """Return the case of all checks that fail only because of a failed build. Their points are lost."""
    points = sum(check.max_points for check in checks)
    case = TestCase(
        _name(f"{lead}{unreached_in_words(checks)}"),
        classname=f"{assignment}.{Kind.BUILD.value}",
        elapsed_sec=_plain(0),
        stdout="\n".join(_points(0, points)),
    )
    names = "\n".join(check.name for check in checks)
    _skip(case, f"{reason_in_words(checks[0])} These checks are worth {points:g} points:\n{names}", limits)
    return case


def _adjustment(name: str, result: Result, lead: str, told: tuple[float, str], limits: TextLimits) -> TestCase:
    """Return the case of the deduction for lateness or of the instructor's correction, so that the points of all cases
    add up to the grade's. `told` contains the points and the reason.
    """
    points, why = told
    words = (*_points(points, 0), _without_properties(why))
    return TestCase(
        _name(f"{lead}{name}"),
        classname=f"{result.assignment}.{name}",
        elapsed_sec=_plain(0),
        stdout=_short("\n".join(words), limits.text, limits.cut),
    )


def _skip(case: TestCase, words: str, limits: TextLimits) -> None:
    message, output = (_short(words, limit, limits.cut) for limit in (limits.message, limits.text))
    case.add_skipped_info(message=message, output=output)


def _output(check: Check) -> Iterator[str]:
    """Yield the points, the line to look at, the figures of a passed check, and the parts that are missing because
    grader failed.
    """
    yield from _points(check.points, check.max_points)
    if check.verdict is Verdict.PASSED:
        yield from map(_without_properties, figures_in_words(check))
    elif check.first_line is not None:
        yield f"[[PROPERTY|file={FILE_NAME}]]"
        yield f"[[PROPERTY|line={check.first_line}]]"
    yield from (f"[[PROPERTY|fault={words}]]" for words in faults_in_words(faults_of([check])))


def _without_properties(words: str) -> str:
    """Separate double brackets, so that a text cannot add properties."""
    return re.sub(r"\[(?=\[)", "[ ", words)


def _points(points: float, max_points: float) -> tuple[str, str]:
    return f"[[PROPERTY|points={points:g}]]", f"[[PROPERTY|max_points={max_points:g}]]"


def _without_verdict(check: Check) -> str:
    """Return the reason why a check was not made, or the outcome of a practice case."""
    if check.verdict is Verdict.SKIPPED:
        return skip_in_words(check)
    went = "passed." if check.verdict is Verdict.PASSED else reason_in_words(check)
    return f"practice, worth no points: {went}"


def _absence(absence: Absence, lead: str, limits: TextLimits) -> TestCase:
    """Return the case of a student who has not handed in anything or is left out. It is neither a failure nor an error,
    but it is listed.
    """
    case = TestCase(_name(f"{lead}hand-in"), classname=f"{absence.assignment}.build", elapsed_sec=_plain(0))
    _skip(case, absence.left_out or "nothing was handed in.", limits)
    return case


def _error(outcome: Ungraded, lead: str, limits: TextLimits) -> TestCase:
    case = TestCase(_name(f"{lead}grading"), classname=f"{outcome.assignment}.build", elapsed_sec=_plain(0))
    message = _short(fault_in_words(outcome), limits.message, limits.cut)
    case.add_error_info(message=message, output=message, error_type="UNGRADED")
    return case


def _name(text: str) -> str:
    """Return the text without characters that XML cannot contain. It is not cut shorter in a batch, since its end
    distinguishes cases.
    """
    return _short(text, ONE.message, ONE.cut)


def _short(text: str, limit: int, cut: str) -> str:
    """Return the text within the limit, and without characters that XML cannot contain."""
    text = showable(text)
    return text if len(text) < limit else text[: limit - len(cut) - 1] + cut


def _plain(seconds: float | str) -> Decimal:
    """Return exactly three decimals, so that a sum has three decimals as well."""
    return Decimal(seconds).quantize(Decimal("0.001"))


def _document(suites: Iterable[ElementTree.Element]) -> str:
    """Return the document in the form of the strictest reader. Only the text of each suite is kept in memory."""
    texts: list[str] = []
    counts, time = Counter[str](), Decimal(0)
    for element in suites:
        counts.update({count: int(element.get(count, "0")) for count in COUNTS})
        time += Decimal(element.get("time", "0"))
        texts.append(ElementTree.tostring(element, encoding="unicode"))
    attributes = " ".join(f'{count}="{counts[count]}"' for count in COUNTS)
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {attributes} time="{_plain(str(time))}">'
    return "\n  ".join((head, *texts)) + "\n</testsuites>\n"


def _plain_suite(suite: TestSuite) -> ElementTree.Element:
    """Return the suite in the form of the strictest reader.

    The junit-xml package writes times with six decimals, no time at all for zero, and an attribute `disabled` that the
    Jenkins xunit plugin does not know.
    """
    document = to_xml_report_string([suite], prettyprint=False)
    element = ElementTree.fromstring(document)[0]  # noqa: S314 - the package's own output, a line above
    for each in element.iter():
        if each.tag in {"testcase", "testsuite"}:
            each.set("time", str(_plain(each.get("time", "0"))))
            each.attrib.pop("disabled", None)
    ElementTree.indent(element, level=1)
    return element
