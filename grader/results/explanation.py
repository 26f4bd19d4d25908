"""What is wrong with a submission, without points and times."""

from dataclasses import dataclass

from grader.common.optional import Fault
from grader.results.result import Check, Standing, Verdict, faults_of


@dataclass(frozen=True, kw_only=True)
class Explained(Standing[Check]):
    """The checks that say what is wrong: of builds, of cases, and of what the simulator saw."""

    title: str
    checks: tuple[Check, ...]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Parts that are missing because grader failed, without repetition."""
        return faults_of(self.checks)

    @property
    def others(self) -> tuple[Check, ...]:
        """The failed checks but the first to read; what was not run because of them is none."""
        failed = (each for each in self.checks if each.shown_verdict is Verdict.FAILED)
        return tuple(each for each in failed if each is not self.first_cause)
