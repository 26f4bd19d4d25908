"""What is graded."""

from dataclasses import dataclass

from grader.assignment import Assignment
from grader.submission import Submission


@dataclass(frozen=True, kw_only=True)
class Task:
    """One submission for one assignment, and the seed of all its inputs."""

    assignment: Assignment
    submission: Submission
    seed: int
