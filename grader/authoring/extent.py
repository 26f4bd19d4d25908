"""The extents of a validation: a full one, and a quick one that times nothing."""

from dataclasses import dataclass

from grader.authoring.thresholds import MARGIN
from grader.grading.explain.problem import Problem
from grader.grading.phases.context import GradingContext
from grader.grading.phases.speed import NO_SPEED, Preparation, prepare_own
from grader.results.check import Reason

LEFT_OUT = Problem(reason=Reason.DECIDED_ELSEWHERE, message="skipped: only a full validation measures speed.")


def leave_out_speed(context: GradingContext) -> Problem:
    """Prepare no timed rounds. A full validation decides the points for speed."""
    return NO_SPEED if context.task.assignment.performance is None else LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class Extent:
    """Extent of a validation. `prepare` prepares the timed rounds of its gradings, or gives the reason why there are
    none. `unchecked` lists the questions about speed that it leaves open.
    """

    prepare: Preparation
    unchecked: tuple[str, ...]


FULL = Extent(prepare=prepare_own, unchecked=())

QUICK = Extent(
    prepare=leave_out_speed,
    unchecked=(
        f"Is the model solution {MARGIN:g} times as fast as full points need?",
        "Does the baseline miss full points for speed, unless assignment.yaml says `baseline: passes`?",
        "Do golden submissions get the points for speed that they must?",
        "Which goals for speed, and which yardstick, does this device allow?",
    ),
)
