"""The next step after a grading, if one is obvious: a command that shows more about the first cause, or that
hands in.
"""

from grader.cli.exit_codes import ELSEWHERE, PASSED
from grader.cli.remote import sign_in_file
from grader.cli.result_codes import exit_code
from grader.course.rubric import Kind
from grader.course.submissions.submission import FILE_NAME
from grader.results.check import Check
from grader.results.result import Result
from grader.results.verdicts import Reason


def next_step(result: Result, skeleton: str, arguments: str) -> str | None:
    """Return a sentence about the next step, or None. `arguments` is the text to append to other commands so that they
    use the same submission. `skeleton` is the file with which students start.
    """
    first = result.first_cause
    if first is not None and result.source.strip() == skeleton.strip():
        return f"this is still the skeleton: write your kernel in {FILE_NAME}, and grade it again."
    if first is not None:
        return _about(first, arguments)
    if any(left.reason is Reason.NO_SIMULATOR for left in result.unchecked):
        return "`grader setup` installs the simulator."
    if exit_code(result) in {PASSED, ELSEWHERE} and sign_in_file.path().is_file():
        return f"`grader submit{arguments}` hands this kernel in."
    return None


def _about(first: Check, arguments: str) -> str | None:
    """Return the sentence about a failed check, or None if its message already says what to do."""
    if first.reason is Reason.KERNEL_MISSING:
        return None
    if first.kind is Kind.CORRECTNESS and not first.lines:
        return f"`grader explain{arguments}` searches longer for the wrong line."
    if first.kind is Kind.MEMORY:
        return f"`grader profile{arguments}` shows the memory accesses of each line."
    if first.kind is Kind.PERFORMANCE:
        return f"`grader run{arguments}` times this kernel as often as you like, also with other sizes and constants."
    return None
