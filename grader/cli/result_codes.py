"""Exit codes for graded submissions and batches."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from grader.cli.exit_codes import ELSEWHERE, FAILED, PASSED, UNGRADED
from grader.results.gradebook import Grade, StudentRow
from grader.results.result import Result
from grader.results.verdicts import FOR_INSTRUCTORS, UNTIMED, Reason

NOT_WHOLE = {Reason.NO_SIMULATOR, *UNTIMED, *FOR_INSTRUCTORS}
"""Reasons why a grading on this machine is incomplete. The same command can complete it later, or an instructor
decides.
"""


def exit_code(outcome: Result | Grade) -> int:
    """Return the exit code for one graded submission."""
    return code_of(failed=bool(outcome.failed), reasons={left.reason for left in outcome.unchecked})


def code_of(*, failed: bool, reasons: AbstractSet[str]) -> int:
    """Return the exit code. Failures take precedence over the reasons why checks could not be made here."""
    if failed:
        return FAILED
    if reasons & NOT_WHOLE:
        return UNGRADED
    return ELSEWHERE if reasons else PASSED


def batch_exit_code(rows: Sequence[StudentRow]) -> int:
    """Return the exit code for a batch. Missing and incomplete gradings take precedence, since some check fails in
    every course.
    """
    grades = [row.grade for row in rows if row.grade is not None]
    reasons = {left.reason for grade in grades for left in grade.unchecked}
    if reasons & NOT_WHOLE or any(row.status == "ungraded" for row in rows):
        return UNGRADED
    codes = set(map(exit_code, grades))
    return next((code for code in (FAILED, ELSEWHERE) if code in codes), PASSED)
