"""Simulated runs of the model solution, for comparison with a submission."""

from grader.course.assignment import Assignment
from grader.course.folders import MODEL_FILE
from grader.course.submissions.submission import Task, read_submission
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.grading.checks.compilation.building import build
from grader.grading.checks.simulation.simulated_run import Simulated, SimulatedRun, Subject, run_at, seen_in
from grader.grading.explain.failures import unwrap

COMPARISON = "the comparison with the model solution"
"""Name of the part of the report that is missing if the model solution could not be run."""


def model_at(run: SimulatedRun, number: int, ours: Worker) -> Simulated | None:
    """Record of the model solution at the sizes of the run; None in a student kit, which has no model solution.

    `number` determines the inputs. `ours` simulates the model solution.
    """
    task = run.subject.task
    if task.assignment.kit is not None:
        return None
    subject = model_subject(task.assignment, task.seed, run.subject.oracle, ours)
    return unwrap(seen_in(run_at(subject, run.trial.sizes, number)))


def model_subject(assignment: Assignment, seed: int, oracle: Oracle, ours: Worker) -> Subject:
    """The model solution, built by the worker `ours`. Raises FailedError if it does not build."""
    model = Task(assignment=assignment, submission=read_submission(assignment.reference / MODEL_FILE), seed=seed)
    return Subject(task=model, oracle=oracle, worker=ours, built=unwrap(build(model, ours)))
