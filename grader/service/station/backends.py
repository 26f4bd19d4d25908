"""The backends of a station: the batch's station in the same process, or a Dask cluster (cluster.py)."""

from typing import Protocol

from grader.batch import station
from grader.batch.station import Facilities, GradingJob
from grader.grading.progress import Progress
from grader.results.result import Result, Ungraded
from grader.service.station.gradings import IN_TURN, Gradings


class Backend(Protocol):
    """Grades on one or more devices, by the settings in `settings_json`."""

    @property
    def settings_json(self) -> str:
        """The settings as JSON."""

    @property
    def facilities(self) -> Facilities:
        """Versions and device with which it grades. Raises a GraderError if it cannot grade."""

    @property
    def devices(self) -> int:
        """Number of gradings that it can make at a time now."""

    def gradings(self) -> Gradings:
        """The way to make gradings: one after the other, or several at a time."""

    def grade(self, job: GradingJob, progress: Progress) -> Result | Ungraded:
        """Grade one submission. Raises WorkerError, SchedulerLostError, or an interruption of this process."""

    def close(self) -> None:
        """End all gradings and release the devices."""


class LocalBackend:
    """The batch's station in this process, on a device of this machine."""

    devices = 1

    def __init__(self, settings_json: str) -> None:
        self.settings_json = settings_json

    @property
    def facilities(self) -> Facilities:
        """Versions and device, which the batch's station looks up once."""
        return station.look_around(self.settings_json)

    def gradings(self) -> Gradings:
        """One after the other: a device grades one submission at a time."""
        return IN_TURN

    def grade(self, job: GradingJob, progress: Progress) -> Result | Ungraded:
        """Grade one submission in this process. Signals interrupt it."""
        return station.grade(job, progress)

    def close(self) -> None:
        """Close the station of this process."""
        station.leave()
