"""Participants of timed rounds."""

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
    """Worker that takes part in every round, and the plan of its session."""

    worker: Worker
    plan: Plan

    @property
    def judged(self) -> Script:
        """Launches that are compared: the student's steps, done by the program of this participant."""
        return self.plan.scripts[STUDENT]


Participants = dict[Role, Participant]
