"""Gradings of a validation without child processes."""

from dataclasses import dataclass

from grader.grading.grading_environment import GradingEnvironment


@dataclass(frozen=True)
class GradingsHere:
    """Gradings in this process, one after another, in an open environment."""

    environment: GradingEnvironment

    def each(self, grade, kernels, extent, progress):
        """Yield the outcome of each grading."""
        return (grade(kernel, assignment, self.environment, progress, extent) for kernel, assignment in kernels)
