"""Explains why memory behaviour is not counted of a kernel of which nothing else is known to be wrong."""

from grader.grading.checks.memory import Counted
from grader.grading.checks.simulated_run import CUT_OFF, SimulatedRun, run_on_trial, seen_in
from grader.grading.explain.problem import Problem
from grader.results.result import Reason


def explained(counted: Counted | Problem, run: SimulatedRun) -> Problem | None:
    """What is wrong in the run that counts; None if that is not known any better."""
    if isinstance(counted, Problem) or counted.problem is None or counted.problem == CUT_OFF:
        return None
    return _of_order(counted.problem) if _is_right_in_ascending_order(run) else None


def _is_right_in_ascending_order(run: SimulatedRun) -> bool:
    """Whether the results are right on the same data if the work-items of a group run in the order of their IDs, one
    after the other.
    """
    seen = seen_in(run_on_trial(run.subject, run.trial))
    return not isinstance(seen, Problem) and seen.problem is None


def _of_order(wrong: Problem) -> Problem:
    """Results that are right in ascending order and wrong in another."""
    return Problem(
        reason=Reason.ORDER_DEPENDENT,
        message="the results are right if the work-items of a group run one after the other, in ascending order. If "
        f"they take turns in another order, {wrong.message} So memory behaviour is not counted. {NO_ORDER}",
        cause="the results depend on the order of work-items.",
    )


NO_ORDER = (
    "Put a barrier between a store and its use by another work-item, and change a shared word by one atomic function, "
    "not by two."
)
"""Help against results that depend on the order of work-items."""
