"""The mistakes in a submission, without points and times."""

from dataclasses import dataclass

from grader.common.optional import Fault
from grader.results.check import Check, CheckSummary, faults_of
from grader.results.verdicts import ABOUT_THE_FILE, Verdict


@dataclass(frozen=True, kw_only=True)
class Explained(CheckSummary[Check]):
    """Checks that show mistakes: builds, cases, and findings of the simulator. `source` is the submission."""

    title: str
    checks: tuple[Check, ...]
    source: str = ""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Parts that are missing because grader failed, without duplicates."""
        return faults_of(self.checks)

    @property
    def others(self) -> tuple[Check, ...]:
        """Failed checks except the one to read first. Checks that were not run because of a failure are left out. If
        the first cause concerns the whole file, every kernel of a suite reports it, and the repetitions are left out.
        """
        first = self.first_cause
        told = ABOUT_THE_FILE if first is not None and first.reason in ABOUT_THE_FILE else frozenset()
        failed = (each for each in self.checks if each.shown_verdict is Verdict.FAILED)
        return tuple(each for each in failed if each is not first and each.reason not in told)
