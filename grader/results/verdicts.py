"""Verdicts of checks, and the reasons for them."""

from enum import StrEnum


class Verdict(StrEnum):
    """Verdict of a check: it passed, earned part of its points, failed, or was not made. A check that was not made has
    a reason in NOT_MADE. Reports show HIDDEN for a check whose outcome is withheld (`shown_as`), but no check has that
    verdict itself.
    """

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"
    HIDDEN = "hidden"


class Reason(StrEnum):
    """Reason in the student's code why a check did not pass. The last nine reasons state why a check was not made."""

    FORBIDDEN = "FORBIDDEN"
    BUILD_ERROR = "BUILD_ERROR"
    KERNEL_MISSING = "KERNEL_MISSING"
    WRONG_ARGUMENTS = "WRONG_ARGUMENTS"
    LAUNCH_SIZES = "LAUNCH_SIZES"
    LAUNCH_ERROR = "LAUNCH_ERROR"
    WRONG_OUTPUT = "WRONG_OUTPUT"
    NOT_WRITTEN = "NOT_WRITTEN"
    OUT_OF_BOUNDS = "OUT_OF_BOUNDS"
    INPUT_CHANGED = "INPUT_CHANGED"
    DATA_RACE = "DATA_RACE"
    BARRIER_DIVERGENCE = "BARRIER_DIVERGENCE"
    UNINITIALISED = "UNINITIALISED"
    ORDER_DEPENDENT = "ORDER_DEPENDENT"
    CRASH = "CRASH"
    TIME_LIMIT = "TIME_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    UNCOALESCED = "UNCOALESCED"
    BANK_CONFLICT = "BANK_CONFLICT"
    EXTRA_TRAFFIC = "EXTRA_TRAFFIC"
    WARP_DIVERGENCE = "WARP_DIVERGENCE"
    BRANCHES = "BRANCHES"
    EXTRA_WORK = "EXTRA_WORK"
    TOO_MANY_STEPS = "TOO_MANY_STEPS"
    TOO_SLOW = "TOO_SLOW"
    IMPLAUSIBLE = "IMPLAUSIBLE"
    NOT_RUN = "NOT_RUN"
    NO_SIMULATOR = "NO_SIMULATOR"
    NOT_SIMULATED = "NOT_SIMULATED"
    NOT_MEASURED = "NOT_MEASURED"
    INTERFERENCE = "INTERFERENCE"
    COMPILER_FAILED = "COMPILER_FAILED"
    DECIDED_ELSEWHERE = "DECIDED_ELSEWHERE"
    PENDING = "PENDING"
    HIDDEN = "HIDDEN"


ABOUT_THE_FILE = frozenset({Reason.FORBIDDEN, Reason.BUILD_ERROR})
"""Reasons that concern the whole file, even if the first kernel of a suite reports them."""

FOR_INSTRUCTORS = frozenset({Reason.COMPILER_FAILED, Reason.INTERFERENCE, Reason.NOT_SIMULATED})
"""Reasons why a check is open until an instructor has looked at the submission. Since a submission can cause them, such
checks earn nothing, and instructors see the student's name.
"""

UNTIMED = frozenset({Reason.NOT_MEASURED, Reason.INTERFERENCE})
"""Reasons why a speed must be measured again, because no measurement so far has decided it."""

OUTSTANDING = (
    Reason.NO_SIMULATOR,
    Reason.NOT_SIMULATED,
    Reason.NOT_MEASURED,
    Reason.INTERFERENCE,
    Reason.COMPILER_FAILED,
    Reason.DECIDED_ELSEWHERE,
    Reason.PENDING,
)
"""Reasons why a check is still to be made. In this order, they mean: the simulator is not installed; it cannot run
something that the exercise needs; the machine was too noisy for timing; its operating system disturbed the timing; the
compiler failed on the kernel; the course's machine decides; the service runs the check later. The points of such a
check are neither earned nor lost.
"""

NOT_MADE = frozenset({*OUTSTANDING, Reason.HIDDEN})
"""Reasons that only skipped checks have. The outcome of a hidden check is withheld, and a dry run leaves it out."""


def shown_as(verdict: str, reason: str | None) -> str:
    """Return the verdict that reports show. A check that was not run because another one failed is shown as skipped,
    although its points are lost. A check whose outcome is withheld is shown as hidden.
    """
    if reason == Reason.HIDDEN:
        return Verdict.HIDDEN
    return Verdict.SKIPPED if reason == Reason.NOT_RUN else verdict
