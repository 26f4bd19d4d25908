"""Explains why the memory behaviour of a kernel is not counted, if no other mistake in it is known."""

from grader.common.optional import Fault, attempt
from grader.common.phrases import sizes_in_words
from grader.course.folders import MODEL_FILE
from grader.course.submissions.submission import read_submission
from grader.course.submissions.task import Task
from grader.execution.client import Worker
from grader.grading.checks.building import build
from grader.grading.checks.counts import NUMBER, Counted
from grader.grading.checks.simulated_run import CUT_OFF, SimulatedRun, Subject, run_at, run_on_trial, seen_in
from grader.grading.explain.failures import unwrap
from grader.grading.explain.problem import Problem, evidence_of
from grader.results.check import Reason


def explained(counted: Counted | Problem, run: SimulatedRun, ours: Worker) -> Problem | None:
    """Return the reason why the run cannot be counted; None if no explanation applies. `ours` simulates the model
    solution.
    """
    if isinstance(counted, Problem) or counted.problem is None:
        return None
    if counted.problem == CUT_OFF:
        return _of_steps(counted.steps, run, attempt(COMPARISON, lambda: _steps_of_the_model(run, ours)))
    return _of_order(counted.problem) if _is_right_in_ascending_order(run) else None


# --- more steps than the simulator makes ------------------------------------------------------

COMPARISON = "the comparison with the model solution"
"""Name of the part of the report that is missing if the model solution could not be run."""


def _steps_of_the_model(run: SimulatedRun, ours: Worker) -> int | None:
    """Steps of the model solution at the sizes of the run; None in a student kit, which has no model solution."""
    task, sizes = run.subject.task, run.trial.sizes
    if task.assignment.kit is not None:
        return None
    model = Task(
        assignment=task.assignment, submission=read_submission(task.assignment.reference / MODEL_FILE), seed=task.seed
    )
    subject = Subject(task=model, oracle=run.subject.oracle, worker=ours, built=unwrap(build(model, ours)))
    return unwrap(seen_in(run_at(subject, sizes, NUMBER))).steps


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
