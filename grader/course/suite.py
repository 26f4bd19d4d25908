"""A suite consists of several kernels in one kernels.cl, with a separate assignment for each kernel."""

import hashlib

from pydantic import Field, model_validator

from grader.course.assignment import Assignment
from grader.course.folders import Folders


class Suite(Folders):
    """Assignments that are handed in as one file, in the order in which they are reported."""

    parts: tuple[Assignment, ...] = Field(min_length=1)
    """Parts, each with one kernel and its checks."""

    @model_validator(mode="after")
    def _distinct(self) -> "Suite":
        kernels = [part.kernel for part in self.parts]
        if len(set(kernels)) != len(kernels):
            raise ValueError("two parts have the same kernel; each part needs its own")
        return self

    @property
    def points(self) -> float:
        """Points of all parts together."""
        return sum(part.points for part in self.parts)

    @property
    def measured_sha256(self) -> str:
        """Hash of everything on which the measurements of all parts depend."""
        return hashlib.sha256(repr([part.measured_sha256 for part in self.parts]).encode()).hexdigest()

    @property
    def scored_sha256(self) -> str:
        """Hash of everything on which points and reports depend."""
        return hashlib.sha256(repr((self.title, [part.scored_sha256 for part in self.parts])).encode()).hexdigest()


Coursework = Assignment | Suite
"""Work that has one name in a course and is handed in as one kernels.cl."""
