"""Backend that grades on the workers of a Dask cluster. The workers can also grade batches.

The queue stays in the database. A grading is claimed only when a worker is free, and is queued again if the scheduler
is lost. Therefore the station, the scheduler and any worker may be killed at any moment.
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
from grader.service.station.backends import LOOK, Backend, Gradings, SideBySide, say

AWAY = 1.0
"""Seconds between two attempts to reach a scheduler that does not answer."""

WITHOUT_WORKERS = 60.0
"""Seconds that a grading waits if the cluster has no workers. A restarted worker returns sooner. A worker that waits in
the queue of a batch system may take hours, so the grading is given back for another station.
"""

ON_ITS_WAY = "being graded on a cluster; checks are shown at the end"


class ClusterBackend(Backend):
    """A Dask cluster. Waits for the scheduler and the first worker, and reconnects after the scheduler was
    unreachable.
    """

    def __init__(self, address: str, settings_json: str) -> None:
        super().__init__(settings_json)
        self._address = address
        self._cluster = self._connected()

    @cached_property
    def facilities(self) -> Facilities:
        """Versions and device of the workers, which are also logged. Raises WorkerError if the workers differ or cannot
        grade.
        """
        found = self._found()
        say(f"grading on {count(self.devices, 'worker')} of {self._address}: {found}.")
        return found

    @property
    def devices(self) -> int:
        """Number of workers now. Each grades one submission at a time."""
        return self._cluster.workers

    def gradings(self) -> Gradings:
        """Run as many gradings as there are workers, so that no grading waits in the scheduler's queue."""
        return SideBySide(self._connected_devices)

    def grade(self, job: GradingJob, progress: Progress) -> Result | Ungraded:
        """Grade one submission on a worker, and on another one if that worker dies. Checks are not reported before the
        end.
        """
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
        """Wait for the outcome. Raises WorkerError if there are no workers for too long, or an interruption of the
        grading.
        """
        seen = time.monotonic()
        while not wait([asked], timeout=LOOK).done:
            stop_if_told()
            if self.devices:
                seen = time.monotonic()
            elif time.monotonic() - seen > WITHOUT_WORKERS:
                raise WorkerError(f"the cluster has had no worker for {WITHOUT_WORKERS:.0f} s.")

    def _connected_devices(self) -> int:
        """Number of devices. Reconnects to the scheduler if necessary. Raises WorkerError if the workers
        have changed.
        """
        if not self._cluster.is_connected:
            say(f"the scheduler at {self._address} has gone; this station waits for it. Its gradings are queued again.")
            self._connect_again()
            found = self._found()
            if found != self.facilities:
                raise WorkerError(f"the workers have changed: {self.facilities} before, {found} now.")
            say(f"the scheduler at {self._address} answers again, with {count(self.devices, 'worker')}.")
        return self.devices

    def _found(self) -> Facilities:
        """Versions and device of the workers. Waits for the first worker."""
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
        """Connect to the scheduler, and wait as long as it does not answer. Reports this to the operator once."""
        while True:
            stop_if_told()
            try:
                return Cluster(self._address, self.settings_json, say)
            except SchedulerLostError as error:
                if not is_told:
                    say(f"{error} This station waits for it.")
                    is_told = True
                pause(AWAY)
