"""The participants of timed rounds."""

from dataclasses import dataclass
from enum import StrEnum

from grader.execution.client import Worker
from grader.execution.plan import STUDENT, Plan, Script


class Role(StrEnum):
    """Roles of participants, in the order of the first round."""

    REFERENCE = "reference"
    SUBMISSION = "submission"
    CONTROL = "control"


@dataclass(frozen=True, kw_only=True)
class Participant:
    """A worker that takes part in every round, and the plan of its session."""

    worker: Worker
    plan: Plan

    @property
    def judged(self) -> Script:
        """The launches that are compared: the student's steps, as this participant's program does them."""
        return self.plan.scripts[STUDENT]


Participants = dict[Role, Participant]
