"""Extents of a validation, and the gradings of each extent. A full one times kernels. A quick one, or one on a noisy
machine, does not.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from grader.authoring.thresholds import MARGIN
from grader.common.errors import NoiseError
from grader.course.assignment import Assignment
from grader.grading.explain.problem import Problem
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases.context import GradingContext
from grader.grading.phases.speed import NO_SPEED, Preparation, prepare_own
from grader.grading.progress import Progress
from grader.results.verdicts import Reason

ATTEMPTS = 3
"""Number of attempts to time kernels. If the machine is too noisy in all of them, nothing is timed."""

T = TypeVar("T")

LEFT_OUT = Problem(reason=Reason.DECIDED_ELSEWHERE, message="skipped: only a full validation measures speed.")


def leave_out_speed(context: GradingContext) -> Problem:
    """Skip the timed rounds. The points for speed are decided by a full validation."""
    return NO_SPEED if context.task.assignment.performance is None else LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class Extent:
    """Extent of a validation. `prepare` prepares the timed rounds of its gradings, or returns the reason why there are
    none. `unchecked` lists the questions about speed that stay open. `why` gives the reason, and `next_step` says how
    an author gets the answers.
    """

    prepare: Preparation
    unchecked: tuple[str, ...] = ()
    why: str = ""
    next_step: str = ""


ABOUT_SPEED = (
    f"Is the model solution at least {MARGIN:g} times as fast as full points require?",
    "Does the baseline miss full points for speed, unless assignment.yaml says `baseline: passes`?",
    "Do golden submissions earn the expected points for speed?",
    "Which speed goals and which `yardstick` are right for this device?",
)
"""The questions that a validation without timing leaves open."""

FULL = Extent(prepare=prepare_own)

QUICK = Extent(
    prepare=leave_out_speed,
    unchecked=ABOUT_SPEED,
    why="Nothing was timed.",
    next_step="To answer them, validate again without --quick.",
)

NOISY = Extent(
    prepare=leave_out_speed,
    unchecked=ABOUT_SPEED,
    why=f"This machine was too noisy to time kernels: all {ATTEMPTS} attempts failed.",
    next_step="To answer them, stop other programs and validate again. To validate without timing, add --quick.",
)


def patiently(grade: Callable[[Preparation], T], extent: Extent) -> tuple[T, Extent]:
    """Grade, and try again if the machine is too noisy. If it stays noisy, grade without timing.

    Returns what `grade` returns, and the extent of the attempt that succeeded.
    """
    for _ in range(ATTEMPTS):
        with suppress(NoiseError):
            return grade(extent.prepare), extent
    return grade(NOISY.prepare), NOISY


Kernel = TypeVar("Kernel")
Outcome = TypeVar("Outcome")

Grade = Callable[[Kernel, Assignment, GradingEnvironment, Progress, Extent], Outcome]
"""Module-level function that grades a kernel for an assignment. Another process can import and call it."""


class KernelGradings(Protocol):
    """Grades golden submissions and other kernels that are not a student's, in separate environments."""

    def each(
        self,
        grade: Grade[Kernel, Outcome],
        kernels: Sequence[tuple[Kernel, Assignment]],
        extent: Extent,
        progress: Progress,
    ) -> Iterator[Outcome]:
        """Grade each of these kernels for its assignment, and yield the outcomes in the same order."""
