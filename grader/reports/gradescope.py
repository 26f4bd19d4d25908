"""Gradescope's results.json, as described in its documentation ("Autograder Specifications", "Output format").

No test is hidden in Gradescope's sense, since that would hide the total as well. Hidden checks that are not released
have been withheld before (results/withholding.py).
"""

import json
from typing import Any

from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.reports.issues import told_once
from grader.reports.side_by_side import in_words, standings_of
from grader.reports.words import (
    correction_in_words,
    deduction_in_words,
    failure_in_words,
    faults_in_words,
    figures_in_words,
    reason_in_words,
    score_in_words,
    skip_in_words,
    unreached_in_words,
)
from grader.results.check import Check
from grader.results.result import Result, Ungraded
from grader.results.verdicts import Verdict

STATUS = {Verdict.PASSED: "passed", Verdict.PARTIAL: "failed", Verdict.FAILED: "failed"}
"""Gradescope's words for verdicts. There are only these two, and none for a check that could not be made."""


def render(outcome: Result | Ungraded) -> str:
    """Return the text of results.json.

    An ungraded outcome has neither a total nor scores of tests. Gradescope then gives no grade and reports a failure of
    the autograder, which is correct, because the submission can be run again.
    """
    fields = _graded(outcome) if isinstance(outcome, Result) else _ungraded(outcome)
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def _graded(result: Result) -> dict[str, Any]:
    return {
        "score": result.points,
        "execution_time": round(result.seconds, 3),
        "output": _summary(result),
        "output_format": "text",
        "visibility": "visible",
        "tests": _tests(result),
        "extra_data": {
            "status": result.status,
            "assignment": result.assignment,
            "max_score": result.max_points,
            "hidden_score": result.hidden_points,
            "unchecked": {left.reason.value: left.points for left in result.unchecked},
            "submission_sha256": result.provenance.submission_sha256,
            "grader": result.provenance.grader,
            "device": result.provenance.device.name,
            "seed": result.provenance.seed,
        },
    }


def _ungraded(outcome: Ungraded) -> dict[str, Any]:
    return {
        "output": showable(f"Not graded, and not your fault: {outcome.fault}\nThe submission can be graded again."),
        "output_format": "text",
        "visibility": "visible",
        "extra_data": {"status": outcome.status, "assignment": outcome.assignment},
    }


def _summary(result: Result) -> str:
    first = result.first_cause
    lines = [
        f"{result.title}: {score_in_words(result.points, result.max_points, result.unchecked, result.hidden_points)}.",
        *([] if result.deduction is None else [deduction_in_words(result.deduction)]),
        *([] if result.correction is None else [correction_in_words(result.correction)]),
        *([] if first is None else [f"Start here: {first.name}: {first.sentences}"]),
        *faults_in_words(result.faults),
        *map(in_words, standings_of(result)),
    ]
    return showable("\n".join(lines))


def _tests(result: Result) -> list[dict[str, Any]]:
    """Return a test for each check. All checks that failed only because of a failed build are combined into one
    test.
    """
    unreached = result.unreached
    tests = [_of_check(check) for check in told_once(result).checks if check not in unreached]
    if unreached:
        points = sum(check.max_points for check in unreached)
        name, words = unreached_in_words(unreached), reason_in_words(unreached[0])
        tests.append(_test(name, 0.0, points, words, unreached[0].kind))
    return [{**test, "number": str(number)} for number, test in enumerate(tests, start=1)]


def _test(name: str, points: float, max_points: float, words: str, kind: Kind) -> dict[str, Any]:
    return {
        "name": showable(name),
        "score": points,
        "max_score": max_points,
        "output": showable(words),
        "output_format": "text",
        "visibility": "visible",
        "tags": [kind.value],
    }


def _of_check(check: Check) -> dict[str, Any]:
    fields = _test(check.name, check.points, check.max_points, _words(check), check.kind)
    return fields if check.verdict is Verdict.SKIPPED else {**fields, "status": STATUS[check.verdict]}


def _words(check: Check) -> str:
    match check.verdict:
        case Verdict.SKIPPED | Verdict.HIDDEN:
            return skip_in_words(check)
        case Verdict.PASSED:
            return "\n".join(figures_in_words(check))
        case Verdict.PARTIAL | Verdict.FAILED:
            return failure_in_words(check)
