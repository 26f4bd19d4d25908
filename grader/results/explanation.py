"""The mistakes in a submission, without points and times."""

from dataclasses import dataclass

from grader.common.optional import Fault
from grader.results.check import Check, faults_of
from grader.results.summary import CheckSummary
from grader.results.verdicts import Verdict


@dataclass(frozen=True, kw_only=True)
class Explained(CheckSummary[Check]):
    """Checks that show mistakes: builds, cases, and findings of the simulator."""

    title: str
    checks: tuple[Check, ...]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Parts that are missing because grader failed, without duplicates."""
        return faults_of(self.checks)

    @property
    def others(self) -> tuple[Check, ...]:
        """Failed checks except the one to read first. Checks that were not run because of a failure are left out."""
        failed = (each for each in self.checks if each.shown_verdict is Verdict.FAILED)
        return tuple(each for each in failed if each is not self.first_cause)
