"""Participants of timed rounds."""

from dataclasses import dataclass
from enum import StrEnum

from grader.execution.client import Worker
from grader.execution.plan import STUDENT, Plan, Script


class Role(StrEnum):
    """The roles of participants."""

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
        """The script whose times are compared, which contains the student's steps, run by the program of this
        participant.
        """
        return self.plan.scripts[STUDENT]


Participants = dict[Role, Participant]
