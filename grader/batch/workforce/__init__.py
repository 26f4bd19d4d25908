"""Who does the grading: processes on this machine, or the workers of a Dask cluster. Both run station.py."""

from concurrent.futures import Future
from typing import Protocol

from grader.batch.station import Errand, Facilities
from grader.common.errors import WorkerError
from grader.results.result import Result, Ungraded


class SchedulerLostError(WorkerError):
    """The scheduler of a cluster does not answer, which says nothing about the submission."""


class Workforce(Protocol):
    """Stations that grade side by side."""

    @property
    def hands(self) -> int:
        """How many errands are worth having under way now; at least one."""

    def facilities(self) -> Facilities:
        """What all of them grade with; raises GraderError if they differ, or if there are none."""

    def submit(self, errand: Errand) -> "Future[Result | Ungraded]":
        """Have it graded. The future raises WorkerError if the station died over it, and SchedulerLostError if nobody
        knows what became of it.
        """

    def dismiss(self) -> None:
        """Begin to stop, since no more errands will come, without waiting for it."""

    def close(self) -> None:
        """Stop what is under way, and wait until nothing of it is left."""
