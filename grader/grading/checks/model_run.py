"""Simulated runs of the model solution, for comparison with a submission."""

from grader.course.folders import MODEL_FILE
from grader.course.submissions.submission import read_submission
from grader.course.submissions.task import Task
from grader.execution.client import Worker
from grader.grading.checks.building import build
from grader.grading.checks.simulated_run import Simulated, SimulatedRun, Subject, run_at, seen_in
from grader.grading.explain.failures import unwrap

COMPARISON = "the comparison with the model solution"
"""Name of the part of the report that is missing if the model solution could not be run."""


def model_at(run: SimulatedRun, number: int, ours: Worker) -> Simulated | None:
    """Record of the model solution at the sizes of the run; None in a student kit, which has no model solution.

    `number` determines the inputs. `ours` simulates the model solution.
    """
    task, sizes = run.subject.task, run.trial.sizes
    if task.assignment.kit is not None:
        return None
    model = Task(
        assignment=task.assignment, submission=read_submission(task.assignment.reference / MODEL_FILE), seed=task.seed
    )
    subject = Subject(task=model, oracle=run.subject.oracle, worker=ours, built=unwrap(build(model, ours)))
    return unwrap(seen_in(run_at(subject, sizes, number)))
