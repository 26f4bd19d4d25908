"""How the making of a check ends early: what fails is raised where it is seen, and becomes a Problem once, at the end.

    @or_problem
    def simulate(...) -> Simulated:        # Simulated | Problem for its callers
        fetched = done(worker.run(...))    # raises if the worker's answer is a Failure

A fault of ours is no such failure: it is one of common/errors.py, and ends the whole grading.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from grader.execution.outcome import Failure
from grader.grading.explain.problem import Problem, of_failure

P = ParamSpec("P")
T = TypeVar("T")


class FailedError(Exception):
    """Ends what is being done for a check, because of the submission: by a problem, or by a failure of its worker."""

    def __init__(self, why: Problem | Failure) -> None:
        super().__init__(why)
        self.why = why

    @property
    def problem(self) -> Problem:
        """Why the check fails."""
        return self.why if isinstance(self.why, Problem) else of_failure(self.why)

    @property
    def failure(self) -> Failure | None:
        """The failure of the worker, if a worker failed."""
        return None if isinstance(self.why, Problem) else self.why


def done(outcome: T | Problem | Failure) -> T:
    """What was asked for; raises FailedError if something else came of it."""
    if isinstance(outcome, Problem | Failure):
        raise FailedError(outcome)
    return outcome


def or_problem(asked: Callable[P, T]) -> Callable[P, T | Problem]:
    """The same function, with a Problem as its value where a FailedError ends it."""

    @wraps(asked)
    def ask(*args: P.args, **kwargs: P.kwargs) -> T | Problem:
        try:
            return asked(*args, **kwargs)
        except FailedError as failed:
            return failed.problem

    return ask
