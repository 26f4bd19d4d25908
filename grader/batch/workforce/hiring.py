"""Which workforce a batch gets."""

import os
from collections.abc import Callable

from grader.batch.workforce import Workforce
from grader.batch.workforce.processes import Places, Processes
from grader.common.errors import InputError

DEFAULT_JOBS = min(8, len(os.sched_getaffinity(0)))
"""A grading keeps about one core busy while it is not timed; past eight, a GPU's timed sections are the bottleneck."""


def hire(orders: str, jobs: int, scheduler: str | None, places: Places, say: Callable[[str], None]) -> Workforce:
    """Stations on this machine, with a place each, or those of a cluster, of whose coming and going `say` is told."""
    if scheduler is None:
        return Processes(jobs, orders, places)
    try:
        from grader.batch.workforce.cluster import Cluster  # noqa: PLC0415 - an extra, which only this needs
    except ImportError as error:
        raise InputError("--scheduler needs Dask: pip install 'grader[cluster]'.") from error
    return Cluster(scheduler, orders, say)
