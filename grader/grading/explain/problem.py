"""The cause of a check that did not pass, as students read it."""

from dataclasses import dataclass

from grader.common.optional import Fault
from grader.common.record import replace
from grader.grading.explain.diagnosis.evidence import Use
from grader.results.check import Check
from grader.results.findings import ErrorMap
from grader.results.verdicts import NOT_MADE, Reason, Verdict
from grader.results.withholding import LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The cause of a check that did not pass: a reason for programs, a sentence for people, the next step if one is
    known, and details. `use` describes the lines that the problem concerns, if they are not known yet. `faults` are
    faults of grader that prevented parts of the explanation.
    """

    reason: Reason
    message: str
    help: str = ""
    detail: str = ""
    cause: str = ""
    error_map: ErrorMap | None = None
    use: Use | None = None
    faults: tuple[Fault, ...] = ()

    def fail(self, check: Check) -> Check:
        """The check, failed for this reason."""
        return replace(
            check,
            verdict=Verdict.FAILED,
            points=0.0,
            reason=self.reason,
            message=self.message,
            help=self.help,
            detail=self.detail,
            cause=self.cause,
            error_map=self.error_map,
            faults=(*check.faults, *self.faults),
        )

    def mark(self, check: Check) -> Check:
        """The check, failed or skipped, depending on the reason."""
        return self.skip(check) if self.reason in NOT_MADE else self.fail(check)

    def skip(self, check: Check) -> Check:
        """The check, skipped for this reason. The maximum points still include it."""
        return replace(check, verdict=Verdict.SKIPPED, points=0.0, reason=self.reason, message=self.message)


EXPLANATION = "the explanation"
"""Name of the missing part of a report if a problem could not be explained."""

NOT_RIGHT = Problem(reason=Reason.NOT_RUN, message="skipped: fix the wrong results first.")
"""The problem of checks whose points a submission earns only if all of its results are right."""

PENDING = Problem(reason=Reason.PENDING, message="hidden cases run some minutes after the other checks.")

HIDDEN = Problem(reason=Reason.DECIDED_ELSEWHERE, message="hidden checks are decided on the course's machine.")
"""The problem of checks that are not part of a student kit."""

UNMADE = Problem(reason=Reason.HIDDEN, message=LEFT_OUT)
"""The problem of hidden checks in a dry run, in which they do not run."""

MIXED_UP = frozenset(
    {
        Reason.WRONG_OUTPUT,
        Reason.NOT_WRITTEN,
        Reason.OUT_OF_BOUNDS,
        Reason.INPUT_CHANGED,
        Reason.UNINITIALISED,
        Reason.CRASH,
        Reason.TIME_LIMIT,
    }
)
"""Reasons with which a kernel can fail if it confuses its arguments."""

RETYPED = frozenset({Reason.WRONG_OUTPUT})
"""Reasons with which a kernel can fail if it reads floats as whole numbers, or the reverse."""


@dataclass(frozen=True, kw_only=True)
class WrongParameters:
    """A sentence about parameters that fit the arguments, but have a different order or another type of elements.
    `explains` contains the reasons with which such a kernel can fail.
    """

    message: str
    explains: frozenset[Reason]


def blamed(check: Check, wrong: WrongParameters | None) -> Check:
    """The check with the wrong parameters as its message, because they are the cause of all other mistakes. The check
    is unchanged if no parameters are wrong or they cannot cause its failure.
    """
    if wrong is None or check.reason not in wrong.explains:
        return check
    return replace(
        check,
        message=wrong.message,
        help="",
        detail=evidence_of(check.message, check.detail),
        cause=wrong.message.partition(": ")[2],
    )


def evidence_of(*parts: str) -> str:
    """Join these parts to a detail, each on a separate line. Empty parts are left out."""
    return "\n".join(filter(None, parts))
