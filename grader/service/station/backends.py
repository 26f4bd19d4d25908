"""Who grades for a station: the station of the batch in its own process, or a Dask cluster (cluster.py)."""

from typing import Protocol

from grader.batch import station
from grader.batch.station import Errand, Facilities
from grader.grading.progress import Progress
from grader.results.result import Result, Ungraded
from grader.service.station.gradings import IN_TURN, Gradings


class Backend(Protocol):
    """Devices, and what grades on them by the settings `orders`."""

    @property
    def orders(self) -> str:
        """Settings, as JSON."""

    @property
    def facilities(self) -> Facilities:
        """What it grades with; raises errors of ours if it cannot grade."""

    @property
    def devices(self) -> int:
        """How many gradings it makes at a time now."""

    def gradings(self) -> Gradings:
        """How gradings are made here: one in turn, or several side by side."""

    def grade(self, errand: Errand, progress: Progress) -> Result | Ungraded:
        """Grade it. Raises WorkerError and SchedulerLostError, and what interrupts this process."""

    def close(self) -> None:
        """End what is under way here."""


class LocalBackend:
    """The batch's station in this process, on a device of this machine."""

    devices = 1

    def __init__(self, orders: str) -> None:
        self.orders = orders

    @property
    def facilities(self) -> Facilities:
        """Found out once: the station stays open."""
        return station.look_around(self.orders)

    def gradings(self) -> Gradings:
        """One in turn: a device grades one submission at a time."""
        return IN_TURN

    def grade(self, errand: Errand, progress: Progress) -> Result | Ungraded:
        """Grade it here; signals interrupt it."""
        return station.grade(errand, progress)

    def close(self) -> None:
        """Close the station of this process."""
        station.leave()
