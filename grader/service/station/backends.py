"""Backends of a station. A backend grades with the batch's station in the same process, or on a Dask cluster
(cluster.py).
"""

from typing import Protocol

from grader.batch import station
from grader.batch.station import Facilities, GradingJob
from grader.grading.progress import Progress
from grader.results.result import Result, Ungraded
from grader.service.station.gradings import IN_TURN, Gradings


class Backend(Protocol):
    """Grades on one or more devices, with the settings in `settings_json`."""

    @property
    def settings_json(self) -> str:
        """The settings for grading as JSON."""

    @property
    def facilities(self) -> Facilities:
        """Versions of the software, and the device. Raises a GraderError if the backend cannot grade."""

    @property
    def devices(self) -> int:
        """Number of gradings that the backend can run at a time now."""

    def gradings(self) -> Gradings:
        """Create the object that runs gradings one after the other, or several at a time."""

    def grade(self, job: GradingJob, progress: Progress) -> Result | Ungraded:
        """Grade one submission. Raises WorkerError or SchedulerLostError if the backend fails, or an interruption of
        this process.
        """

    def close(self) -> None:
        """End all gradings and release the devices."""


class LocalBackend:
    """The batch's station in this process, on a device of this machine."""

    devices = 1

    def __init__(self, settings_json: str) -> None:
        self.settings_json = settings_json

    @property
    def facilities(self) -> Facilities:
        """Versions of the software, and the device. The batch's station looks them up once."""
        return station.look_around(self.settings_json)

    def gradings(self) -> Gradings:
        """Gradings run one after the other because a device grades one submission at a time."""
        return IN_TURN

    def grade(self, job: GradingJob, progress: Progress) -> Result | Ungraded:
        """Grade one submission in this process. Signals interrupt it."""
        return station.grade(job, progress)

    def close(self) -> None:
        """Close the station of this process."""
        station.leave()
