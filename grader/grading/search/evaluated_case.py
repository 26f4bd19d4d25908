"""A case for the evaluation of edits: its data, its launch, and the iterations that its loops may need."""

from dataclasses import dataclass
from functools import cached_property
from math import prod

from grader.common.record import replace
from grader.course.assignment import Chosen
from grader.course.criteria import Case
from grader.course.elements import WORD_BYTES
from grader.course.poison import GUARD_BYTES
from grader.execution.assignment_plans import submission_plan
from grader.execution.plan import STUDENT, Bindings, Plan, Script
from grader.grading.checks.trials.trial import Trial
from grader.grading.search.edit_batch import EditBatch, edit_batch
from grader.protocol.steps import Command, KernelStep, KeyArg, with_runs

FEWEST_ITERATIONS = 300
"""Number of iterations that is enough for loops that do not depend on the sizes, such as the products of a tile."""

ITERATIONS_IN_ALL = 2**20
"""Number of iterations that a right text may need, summed over all work-items. An edit with endless loops should not
take seconds, and 2**27 iterations of the unoptimised program take 5 s on a busy machine.
"""

WIDEST_GUARD = 2**20


@dataclass(frozen=True, kw_only=True)
class EvaluatedCase:
    """A case with its data, and the plan of a launch of one edit."""

    case: Case
    trial: Trial
    plan: Plan

    @property
    def script(self) -> Script:
        """The script of a launch of one edit."""
        return self.plan.scripts[STUDENT]

    @cached_property
    def batch(self) -> EditBatch | None:
        """The plan of a launch of many edits; None if a batch is impossible."""
        return edit_batch(self.plan, self.words)

    @property
    def words(self) -> int:
        """Words of the largest array of the case."""
        return -(-max(buffer.size for buffer in self.plan.buffers) // WORD_BYTES)

    @property
    def few_iterations(self) -> int:
        """Number of iterations that is enough for loops that run a few times along each size."""
        return FEWEST_ITERATIONS + 4 * sum(self.case.sizes.values())

    @property
    def many_iterations(self) -> int:
        """Number of iterations that is enough for loops that run through the largest array twice."""
        return self.few_iterations + 2 * self.words

    @property
    def even_iterations(self) -> int:
        """Number of iterations that is enough for each work-item if they share the work."""
        runs = with_runs(self.script.steps)
        items = sum(times * prod(command.global_size) for command, times in runs if isinstance(command, KernelStep))
        return min(self.few_iterations, ITERATIONS_IN_ALL // max(1, items))


def evaluated_case(case: Case, trial: Trial, bindings: Bindings) -> EvaluatedCase:
    """Prepare a case. A wrong index may be off by the length of the largest array, so guard bands
    have this width, up to a limit.
    """
    plan = submission_plan(Chosen(trial.assignment), case.sizes, bindings)
    script = plan.scripts[STUDENT]
    largest = max(buffer.size for buffer in plan.buffers)
    guard = -(-min(largest, WIDEST_GUARD) // GUARD_BYTES) * GUARD_BYTES
    buffers = tuple(buffer if buffer.image else replace(buffer, guard=guard) for buffer in plan.buffers)
    keyed = Plan(buffers=buffers, scripts={STUDENT: script.of_commands(_keyed)})
    return EvaluatedCase(case=case, trial=trial, plan=keyed)


def _keyed(command: Command) -> Command:
    """Add the key to the arguments of a launch, as the last one."""
    if isinstance(command, KernelStep):
        return replace(command, args=(*command.args, KeyArg()))
    return command
