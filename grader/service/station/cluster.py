"""The workers of a Dask cluster, which also grade batches, as the backend of a station of the service.

The queue stays in the database: a grading is claimed when a worker is free for it, and goes back if the scheduler is
lost. So a station, the scheduler and any worker may be killed at any moment.
"""

import math
import time
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import cached_property

from grader.batch.station import Facilities, GradingJob
from grader.batch.workforce import SchedulerLostError
from grader.batch.workforce.cluster import Cluster
from grader.common.errors import WorkerError
from grader.common.interrupts import pause, stop_if_told
from grader.common.phrases import count
from grader.grading.progress import Progress
from grader.results.result import Result, Ungraded
from grader.service.station.gradings import LOOK, Gradings, SideBySide
from grader.service.station.journal import say

AWAY = 1.0
"""Seconds between two calls at a scheduler that does not answer."""

WITHOUT_WORKERS = 60.0
"""Seconds for which a grading waits while there is no worker at all. A worker that is started again is there sooner; a
job of a queue may take hours, and any other station may then have the grading.
"""

ON_ITS_WAY = "being graded on a cluster; checks are shown at the end"


class ClusterBackend:
    """A cluster. Waits for the scheduler and for a first worker, and connects again if the scheduler was away."""

    def __init__(self, address: str, settings_json: str) -> None:
        self._address, self.settings_json = address, settings_json
        self._cluster = self._connected()

    @cached_property
    def facilities(self) -> Facilities:
        """Versions and device of the workers, which are logged. Raises WorkerError if they differ or cannot grade."""
        found = self._found()
        say(f"grading on {count(self.devices, 'worker')} of {self._address}: {found}.")
        return found

    @property
    def devices(self) -> int:
        """Number of workers now. Each grades one submission at a time."""
        return self._cluster.workers

    def gradings(self) -> Gradings:
        """One grading for each worker, so that no grading waits in the scheduler's queue."""
        return SideBySide(self._connected_devices)

    def grade(self, job: GradingJob, progress: Progress) -> Result | Ungraded:
        """Grade one submission on a worker; if that dies, on another one. No check is known before the end."""
        progress(ON_ITS_WAY)
        asked = self._cluster.submit(job)
        try:
            self._await(asked)
        finally:
            asked.cancel()
        return asked.result()

    def close(self) -> None:
        """Disconnect. Workers continue, and finish the gradings that they have begun."""
        self._cluster.close()

    def _await(self, asked: "Future[Result | Ungraded]") -> None:
        """Wait for an outcome as long as there are workers. Raises an interruption of the grading."""
        seen = time.monotonic()
        while not wait([asked], timeout=LOOK).done:
            stop_if_told()
            if self.devices:
                seen = time.monotonic()
            elif time.monotonic() - seen > WITHOUT_WORKERS:
                raise WorkerError(f"the cluster has had no worker for {WITHOUT_WORKERS:.0f} s.")

    def _connected_devices(self) -> int:
        """Number of devices, after connecting again if necessary. Raises WorkerError if the workers have changed."""
        if not self._cluster.is_connected:
            say(f"the scheduler at {self._address} has gone; this station waits for it. Its gradings are queued again.")
            self._connect_again()
            found = self._found()
            if found != self.facilities:
                raise WorkerError(f"the workers have changed: {self.facilities} before, {found} now.")
            say(f"the scheduler at {self._address} answers again, with {count(self.devices, 'worker')}.")
        return self.devices

    def _found(self) -> Facilities:
        """Versions and device of the workers. Waits for a first worker."""
        while True:
            try:
                self._cluster.await_worker(math.inf)
                return self._cluster.facilities()
            except WorkerError:
                if self._cluster.is_connected:
                    raise
            self._connect_again()

    def _connect_again(self) -> None:
        with suppress(OSError):
            self._cluster.close()
        self._cluster = self._connected(is_told=True)

    def _connected(self, *, is_told: bool = False) -> Cluster:
        """A new connection. Tells the operator once that the scheduler does not answer."""
        while True:
            stop_if_told()
            try:
                return Cluster(self._address, self.settings_json, say)
            except SchedulerLostError as error:
                if not is_told:
                    say(f"{error} This station waits for it.")
                    is_told = True
                pause(AWAY)
