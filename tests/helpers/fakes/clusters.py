"""Dask clusters whose scheduler and workers are threads of the test process, so that tests can replace gradings."""

from contextlib import contextmanager
from types import SimpleNamespace

from distributed import LocalCluster
from samples import DEVICE

from grader.batch.station import Facilities
from grader.batch.workforce import cluster as module

FACILITIES = Facilities(grader="1", device=DEVICE, simulated=True, sandbox="process")

CHOSEN = SimpleNamespace()
"""Functions that workers call instead of the real ones for finding devices and for grading."""


def look_as_chosen(_settings_json):
    return CHOSEN.look()


def grade_as_chosen(job):
    return CHOSEN.grade(job)


def stand_in(monkeypatch, grade):
    """Make workers call these functions instead of the real ones. A test can change them later."""
    CHOSEN.look, CHOSEN.grade = lambda: FACILITIES, grade
    monkeypatch.setattr(module, "look_around", look_as_chosen)
    monkeypatch.setattr(module, "grade", grade_as_chosen)
    return CHOSEN


@contextmanager
def dask_here(workers, threads=1, resources=module.NEEDS, port=0):
    """Yield a cluster with this number of workers."""
    theirs = LocalCluster(
        n_workers=workers,
        threads_per_worker=threads,
        processes=False,
        resources=resources,
        dashboard_address=":0",
        protocol="tcp",
        host="127.0.0.1",
        scheduler_port=port,
    )
    try:
        yield theirs
    finally:
        theirs.close(timeout=20)
