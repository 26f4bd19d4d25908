"""Changes the advice on races after the barriers in it have been tried."""

from collections.abc import Sequence

from grader.common.record import replace
from grader.grading.explain.simulator.races import ADD_BARRIER
from grader.results.check import Check
from grader.results.findings import Finding
from grader.results.verdicts import Reason

ENDS_TOO = "No barrier is missing. The race ends when the mistake is corrected."
"""Advice on a race that another mistake causes."""

STILL_WRONG = (
    "A barrier between the two accesses does not make the results right. Check both indexes, and look for another "
    "mistake."
)
"""Advice on a race next to another mistake, or caused by it."""


def caused_by_another_mistake(check: Check) -> Check:
    """The check of a program that an edit makes right. Its races are described without a missing barrier."""
    return _with_findings(check, [_without_barrier(each, ENDS_TOO) for each in check.findings])


def beside_another_mistake(check: Check) -> Check:
    """The check of a program whose results stay wrong with the barriers that the check advises."""
    return _with_findings(check, [_without_barrier(each, STILL_WRONG) for each in check.findings])


def despite_barriers(check: Check) -> Check:
    """The check of a program in which races remain with the barriers that the check advises."""
    advice = [(each.barrier and each.barrier.otherwise) or STILL_WRONG for each in check.findings]
    return _with_findings(check, list(map(_without_barrier, check.findings, advice)))


def ended_by_a_barrier(check: Check, line: int) -> Check:
    """The check of a program whose races all end with a barrier after a line. Races for which it advises no barrier
    have this barrier as their advice, and follow the races for which it advises one.
    """
    advice = f"{ADD_BARRIER} after line {line}, which ends this race."
    races = [each for each in check.findings if each.reason is Reason.DATA_RACE]
    explained = [each for each in races if each.barrier]
    ended = iter([*explained, *(replace(each, help=advice) for each in races if each.barrier is None)])
    return _with_findings(check, [next(ended) if each in races else each for each in check.findings])


def _without_barrier(finding: Finding, advice: str) -> Finding:
    """The finding. If it advises a barrier, it has this advice instead."""
    if finding.barrier is None:
        return finding
    return replace(finding, message=finding.barrier.race, help=advice, barrier=None)


def _with_findings(check: Check, findings: Sequence[Finding]) -> Check:
    """The check with these findings. Its message and help change with the first one."""
    if check.findings == (*findings,):
        return check
    first, instead = check.findings[0], findings[0]
    help_ = instead.help if check.help == first.help else check.help
    message = check.message.replace(first.message, instead.message)
    return replace(check, message=message, help=help_, findings=(*findings,))
