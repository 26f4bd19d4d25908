"""Who takes part in timed rounds."""

from dataclasses import dataclass
from enum import StrEnum

from grader.execution.client import Worker
from grader.execution.plan import STUDENT, Plan, Script


class Role(StrEnum):
    """The parts in a lineup, in the order of its first round."""

    REFERENCE = "reference"
    SUBMISSION = "submission"
    CONTROL = "control"


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A worker that takes part in every round, and what its session is for."""

    worker: Worker
    plan: Plan

    @property
    def judged(self) -> Script:
        """The launches that are compared: the student's steps, by whichever program."""
        return self.plan.scripts[STUDENT]


Contestants = dict[Role, Contestant]
