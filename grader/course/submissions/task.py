"""Tasks, which combine a submission with its assignment and a seed."""

from dataclasses import dataclass

from grader.course.assignment import Assignment, Chosen
from grader.course.rubric import Kind
from grader.course.submissions.submission import Submission
from grader.course.suite import Coursework


@dataclass(frozen=True, kw_only=True)
class Task:
    """One submission for one assignment, with the seed of all its inputs. Checks whose kind is in `unmade` do
    not run.
    """

    assignment: Assignment
    submission: Submission
    seed: int
    unmade: frozenset[Kind] = frozenset()


@dataclass(frozen=True, kw_only=True)
class ChosenTask(Task):
    """A task with the choices that the submission states. This is what is built and run."""

    assignment: Chosen


def tasks_of(coursework: Coursework, submission: Submission, seed: int) -> tuple[Task, ...]:
    """Return the submission's task for each part. All of them have the same seed."""
    return tuple(Task(assignment=part, submission=submission, seed=seed) for part in coursework.parts)
