"""The two extents of a validation: a full one, and a quick one without timing."""

from dataclasses import dataclass

from grader.authoring.thresholds import MARGIN
from grader.grading.explain.problem import Problem
from grader.grading.phases.context import GradingContext
from grader.grading.phases.speed import NO_SPEED, Preparation, prepare_own
from grader.results.verdicts import Reason

LEFT_OUT = Problem(reason=Reason.DECIDED_ELSEWHERE, message="skipped: only a full validation measures speed.")


def leave_out_speed(context: GradingContext) -> Problem:
    """Skip the timed rounds. The points for speed are decided by a full validation."""
    return NO_SPEED if context.task.assignment.performance is None else LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class Extent:
    """Extent of a validation. `prepare` prepares the timed rounds of its gradings, or returns the reason why there are
    none. `unchecked` lists the questions about speed that stay open.
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
