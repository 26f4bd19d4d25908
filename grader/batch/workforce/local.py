"""Stations on this machine, and the choice between them and a cluster. The stations share the processors of this
machine, unless a setting fixes the number of spare processors for each.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from itertools import cycle, islice
from typing import Any

from grader.batch.station import Facilities, GradingJob, grade, look_around
from grader.batch.workforce import Workforce
from grader.batch.workforce.processes import Processes
from grader.common.errors import InputError
from grader.execution.sandbox.limits import spare_processors
from grader.grading.settings import as_variables, load_settings
from grader.results.result import Result, Ungraded

Places = Sequence[Mapping[str, Any]]
"""Settings for the stations, assigned in rotation. Each place may be another device."""


def station_processes(jobs: int, places: Places = ({},)) -> Processes:
    """Return `jobs` processes, which share the processors of this machine and use the places in rotation."""
    share = {"spare": spare_processors(jobs)} if load_settings({}).spare is None else {}
    return Processes([as_variables({**place, **share}) for place in islice(cycle(places), jobs)])


class Stations:
    """Stations that are child processes."""

    def __init__(self, jobs: int, settings_json: str, places: Places = ({},)) -> None:
        self.capacity = jobs
        self._settings_json = settings_json
        self._places = min(jobs, len(places))
        self._processes = station_processes(jobs, places)

    def facilities(self) -> Facilities:
        """Return the facilities of the stations, after asking one station at each place. Raises InputError if they
        differ.
        """
        # Idle processes are taken in order, so these calls reach the first stations, which have different places.
        asked = [self._processes.submit(look_around, self._settings_json) for _ in range(self._places)]
        first, *others = (future.result() for future in asked)
        for other in others:
            if other != first:
                raise InputError(
                    f"the devices of this batch differ: {first}, and {other}. Choose devices of one kind: "
                    "otherwise, the results could not be compared."
                )
        found: Facilities = first
        return found

    def submit(self, job: GradingJob) -> "Future[Result | Ungraded]":
        """Make the next free station grade a job."""
        return self._processes.submit(grade, job)

    def dismiss(self) -> None:
        """Ask all stations to stop."""
        self._processes.dismiss()

    def close(self) -> None:
        """Stop all stations. Jobs that are running fail."""
        self._processes.close()


def hire(settings_json: str, jobs: int, scheduler: str | None, places: Places, say: Callable[[str], None]) -> Workforce:
    """Return stations on this machine at these places, or a cluster. `say` is called when a worker of the cluster joins
    or leaves. Raises InputError if a cluster is requested and Dask is not installed.
    """
    if scheduler is None:
        return Stations(jobs, settings_json, places)
    try:
        from grader.batch.workforce.cluster import Cluster  # Dask is an extra that only a cluster needs
    except ImportError as error:
        raise InputError(
            "--scheduler needs Dask: install it from a clone of grader with `pip install '.[cluster]'`."
        ) from error
    return Cluster(scheduler, settings_json, say)
