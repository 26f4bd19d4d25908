"""Ends a check early. A failure is raised where it is detected, and is converted to a Problem in one place.

    try:
        fetched = unwrap(worker.session.run(...))  # raises if the worker's answer is a Failure
    except FailedError as failed:
        return failed.problem

In contrast, a fault of grader itself is an exception of common/errors.py, and ends the whole grading.
"""

from typing import TypeVar

from grader.execution.outcome import Failure
from grader.grading.explain.problem import Problem, of_failure

T = TypeVar("T")


class FailedError(Exception):
    """A problem of the submission, or a failure of its worker, that ends a check."""

    def __init__(self, why: Problem | Failure) -> None:
        super().__init__(why)
        self.why = why

    @property
    def problem(self) -> Problem:
        """The problem that fails the check."""
        return self.why if isinstance(self.why, Problem) else of_failure(self.why)

    @property
    def failure(self) -> Failure | None:
        """The failure of the worker; None if the worker did not fail."""
        return None if isinstance(self.why, Problem) else self.why


def unwrap(outcome: T | Problem | Failure) -> T:
    """Return the value of a success. Raises FailedError for a problem or a failure."""
    if isinstance(outcome, Problem | Failure):
        raise FailedError(outcome)
    return outcome
