"""Ends a check early: a failure is raised at the place that detects it, and becomes a Problem in one place.

    @returns_problem
    def simulate(...) -> Simulated:  # Simulated | Problem for its callers
        fetched = unwrap(worker.session.run(...))  # raises if the worker's answer is a Failure

A fault of grader itself is an exception of common/errors.py instead, and ends the whole grading.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from grader.execution.outcome import Failure
from grader.grading.explain.problem import Problem, of_failure

P = ParamSpec("P")
T = TypeVar("T")


class FailedError(Exception):
    """Ends a check because of the submission: by a problem, or by a failure of its worker."""

    def __init__(self, why: Problem | Failure) -> None:
        super().__init__(why)
        self.why = why

    @property
    def problem(self) -> Problem:
        """Problem that fails the check."""
        return self.why if isinstance(self.why, Problem) else of_failure(self.why)

    @property
    def failure(self) -> Failure | None:
        """Failure of the worker; None if no worker failed."""
        return None if isinstance(self.why, Problem) else self.why


def unwrap(outcome: T | Problem | Failure) -> T:
    """Return the value of a success. Raises FailedError for a problem or a failure."""
    if isinstance(outcome, Problem | Failure):
        raise FailedError(outcome)
    return outcome


def returns_problem(function: Callable[P, T]) -> Callable[P, T | Problem]:
    """Make a function return the Problem of a FailedError that ends it."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T | Problem:
        try:
            return function(*args, **kwargs)
        except FailedError as failed:
            return failed.problem

    return call
