"""SARIF 2.1.0, with all properties that GitHub's documentation requires ("SARIF support for code scanning").

GitHub distinguishes alerts only by the fingerprint named FINGERPRINT. It links to the places of a finding only if the
message contains links to them.

The rules are the reasons for failed checks, each with its meaning and the next step. docs/reading-your-report.md
contains the same sentences.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from grader.common.phrases import first_sentence, listed
from grader.course.rubric import Kind
from grader.course.submissions.submission import FILE_NAME
from grader.protocol.text import showable
from grader.reports.issues import NOT_KNOWN, Issue, issues_of, lines_of
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


MEANINGS: Mapping[Reason, str] = {
    Reason.FORBIDDEN: (
        "The file uses `#include`, assembly code or the like. Remove it; your file must be complete without it."
    ),
    Reason.BUILD_ERROR: (
        "The file does not compile as OpenCL C 1.2. Fix the first error; the others are often its consequences."
    ),
    Reason.KERNEL_MISSING: (
        "There is no kernel with the right name. Compare it with the handout, and check that `__kernel` is before it."
    ),
    Reason.WRONG_ARGUMENTS: (
        "The kernel's parameters differ from the handout's. The report shows both, and says what to write."
    ),
    Reason.LAUNCH_SIZES: (
        "A size that you state in a `// grader:` comment is missing or does not fit. The message says which "
        "rule it breaks."
    ),
    Reason.LAUNCH_ERROR: (
        "The device cannot launch the kernel. Check `reqd_work_group_size` and the size of your local memory."
    ),
    Reason.CRASH: (
        "The kernel crashed or the device stopped it, usually at an index far outside an array. Check every index."
    ),
    Reason.TIME_LIMIT: (
        "The kernel took too long, or was still running when the simulator stopped it. Look for a loop that "
        "never ends, or a barrier that some work-items miss."
    ),
    Reason.MEMORY_LIMIT: "The kernel used too much memory. Make its arrays smaller.",
    Reason.OUTPUT_LIMIT: "The kernel wrote too much output. Remove `printf`.",
    Reason.WRONG_OUTPUT: (
        "Some elements are wrong. Start with the smallest case that fails. In `sanitizer`, the result depends "
        "on the order of work-items."
    ),
    Reason.NOT_WRITTEN: "The kernel stored nothing in the output. Check that the kernel reaches the store.",
    Reason.OUT_OF_BOUNDS: (
        "The kernel accessed something outside an array or an image. Add or correct the guard of that load or store."
    ),
    Reason.INPUT_CHANGED: "The kernel wrote to an input. Declare inputs `const`, and the compiler finds the line.",
    Reason.DATA_RACE: (
        "Two work-items use the same word, and one of them writes it. Put a barrier between the two lines, or "
        "give each work-item a separate word."
    ),
    Reason.BARRIER_DIVERGENCE: (
        "Some work-items never reach a barrier at which others wait. Skip the work, not the barrier."
    ),
    Reason.ORDER_DEPENDENT: (
        "The results are correct if the work-items of a group run one after the other in ascending order, and "
        "wrong if they alternate in another order. A GPU promises no order. Put a barrier between a store and "
        "its use by another work-item, and change a shared word by one atomic function, not by two."
    ),
    Reason.UNINITIALISED: (
        "The kernel uses a value that was never set. Give the variable a value. If there is nothing to load, store "
        "the value that the exercise wants, often 0."
    ),
    Reason.UNCOALESCED: (
        "Neighbouring work-items access words that are far apart. Make `get_local_id(0)` run along a row."
    ),
    Reason.BANK_CONFLICT: (
        "Several words of a warp are in one bank of local memory. Make rows one word longer, or change the index."
    ),
    Reason.EXTRA_TRAFFIC: (
        "The kernel reads or writes more words than necessary. Keep them in registers or in local memory."
    ),
    Reason.BRANCHES: (
        "The kernel tests conditions too often. Do several iterations of the loop in one, and test its "
        "condition once for them."
    ),
    Reason.EXTRA_WORK: (
        "The work-items do more floating-point operations than necessary. End a loop as soon as its result is "
        "decided, and keep results that are needed again."
    ),
    Reason.WARP_DIVERGENCE: (
        "The work-items of a warp take different branches too often, or most of them are idle while a few "
        "work. Let neighbours take the same branch, and share the work among all."
    ),
    Reason.TOO_MANY_STEPS: (
        "The simulator stopped the kernel before its end, after millions of steps. It runs the code as "
        "written, without optimisation. Move work out of the innermost loop, and avoid function calls there. "
        "If the device does not finish the kernel either, look for a loop that never ends."
    ),
    Reason.TOO_SLOW: (
        "The kernel is correct, but slower than full points need. `grader profile` shows what each line costs."
    ),
    Reason.IMPLAUSIBLE: "The measured speed is impossible on this device. Ask your instructor to look at it.",
}
"""Markdown without links. The first sentence describes what happened. Checks that were not made have no entry."""
