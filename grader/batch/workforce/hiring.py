"""Chooses the workforce of a batch."""

from collections.abc import Callable

from grader.batch.workforce import Workforce
from grader.batch.workforce.local import Places, Stations
from grader.common.errors import InputError


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
