"""Gradings of kernels that are not a student's: golden submissions, and kernels that avoid an exercise."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from grader.authoring.extent import Extent
from grader.course.assignment import Assignment
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Progress

Kernel = TypeVar("Kernel")
Outcome = TypeVar("Outcome")

Grade = Callable[[Kernel, Assignment, GradingEnvironment, Progress, Extent], Outcome]
"""Module-level function that grades a kernel for an assignment. Another process can import and call it."""


class KernelGradings(Protocol):
    """Grades many kernels, in separate environments."""

    def each(
        self,
        grade: Grade[Kernel, Outcome],
        kernels: Sequence[tuple[Kernel, Assignment]],
        extent: Extent,
        progress: Progress,
    ) -> Iterator[Outcome]:
        """Grade each of these kernels for its assignment, and yield the outcomes in the same order."""
