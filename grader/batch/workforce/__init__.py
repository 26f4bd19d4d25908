"""Runs the gradings, either in processes on this machine or on the workers of a Dask cluster. Both run station.py."""

from concurrent.futures import Future
from typing import Protocol

from grader.batch.station import Facilities, GradingJob
from grader.common.errors import WorkerError
from grader.results.result import Result, Ungraded


class SchedulerLostError(WorkerError):
    """The scheduler of a cluster does not answer. This does not say anything about the submission."""


class Workforce(Protocol):
    """Stations that grade in parallel."""

    @property
    def capacity(self) -> int:
        """Number of jobs to keep running or queued at the moment, at least 1."""

    def facilities(self) -> Facilities:
        """Return the facilities of all stations. Raises GraderError if stations differ or if there is no station."""

    def submit(self, job: GradingJob) -> "Future[Result | Ungraded]":
        """Make a station grade a job. The future raises WorkerError if the station died during the job, and
        SchedulerLostError if the outcome is unknown.
        """

    def dismiss(self) -> None:
        """Begin to stop, since there are no more jobs. Does not wait for the end."""

    def close(self) -> None:
        """Stop all jobs that are running, and wait until they have ended."""
