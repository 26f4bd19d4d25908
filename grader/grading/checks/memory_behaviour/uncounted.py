"""Explains why the memory behaviour of a kernel is not counted, if no other mistake in it is known."""

from grader.common.optional import Fault, OptionalWork
from grader.common.phrases import sizes_in_words
from grader.execution.client import Worker
from grader.grading.checks.simulation.counts import NUMBER, Counted
from grader.grading.checks.simulation.model_run import COMPARISON, model_at
from grader.grading.checks.simulation.simulated_run import CUT_OFF, SimulatedRun, run_on_trial, seen_in
from grader.grading.explain.problem import Problem, evidence_of
from grader.results.verdicts import Reason


def explained(counted: Counted | Problem, run: SimulatedRun, ours: Worker) -> Problem | None:
    """Return the reason why the run cannot be counted; None if no explanation applies. `ours` simulates the model
    solution.
    """
    if isinstance(counted, Problem) or counted.run.problem is None or counted.run.unsupported is not None:
        return None
    if counted.run.problem == CUT_OFF:
        return _of_steps(counted.run.steps, run, _steps_of_the_model(run, ours))
    return _of_order(counted.run.problem) if _is_right_in_ascending_order(run) else None


# --- more steps than the simulator makes ------------------------------------------------------


def _steps_of_the_model(run: SimulatedRun, ours: Worker) -> int | Fault | None:
    """Steps of the model solution at the sizes of the run; None in a student kit, which has no model solution."""
    with OptionalWork(COMPARISON) as work:
        seen = model_at(run, NUMBER, ours)
        return None if seen is None else seen.steps
    return work.fault


def _of_steps(steps: int, run: SimulatedRun, of_model: int | Fault | None) -> Problem:
    """The problem of a kernel that the simulator has stopped. It is unknown whether the kernel would end."""
    compared = f", where the model solution takes {of_model:,}" if isinstance(of_model, int) else ""
    return Problem(
        reason=Reason.TOO_MANY_STEPS,
        message=f"the simulator stopped the kernel after {steps:,} steps at {sizes_in_words(run.trial.sizes)}"
        f"{compared}. So memory behaviour is not counted. {FEWER_STEPS}",
        cause="the simulator stopped the kernel.",
        faults=(of_model,) if isinstance(of_model, Fault) else (),
    )


FEWER_STEPS = (
    "If the kernel ends on the device, take steps out of its innermost loop. The simulator does not optimise: a "
    "function call costs steps, and so does a value that is computed again in each iteration."
)
"""Help against too many steps."""


# --- results that depend on an order ----------------------------------------------------------


def _is_right_in_ascending_order(run: SimulatedRun) -> bool:
    """True if the results are right on the data of the run when work-items run one after the other in the order of
    their IDs.
    """
    seen = seen_in(run_on_trial(run.subject, run.trial))
    return not isinstance(seen, Problem) and seen.problem is None


def _of_order(wrong: Problem) -> Problem:
    """The problem of results that are right in ascending order of work-items and wrong in another order."""
    return Problem(
        reason=Reason.ORDER_DEPENDENT,
        message="the results depend on the order of work-items, so memory behaviour is not counted.",
        help=NO_ORDER,
        detail=evidence_of("in ascending order, the results are right; in another order:", wrong.message),
        cause="the results depend on the order of work-items.",
    )


NO_ORDER = (
    "Put a barrier between a store and its use by another work-item, and change a shared word by one atomic function, "
    "not by two."
)
"""Help against results that depend on the order of work-items."""
