"""Backends of a station. A backend grades with the batch's station in the same process, or on a Dask cluster
(cluster.py). Gradings run one at a time in the main thread, or several, each in its own thread.
"""

import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from grader.batch import station
from grader.batch.station import Facilities, GradingJob
from grader.grading.progress import Progress
from grader.results.result import Result, Ungraded

LOOK = 0.5
"""Seconds between two checks of the queue, and between two checks for the end of a grading."""

MOST_THREADS = 256
"""Maximum number of gradings in progress in one process. A larger cluster needs a second station."""


def say(line: str) -> None:
    """Print a line for the operator on standard error, which is the journal if systemd has started the service."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - the process does not have another way to report


class Gradings:
    """The gradings in progress of a station: one at a time, in the main thread. Signals interrupt it at any point."""

    def has_room(self) -> bool:
        """True if another grading may begin now. Raises an unexpected error that ended one of them."""
        return True

    def begin(self, grade: Callable[[], None]) -> None:
        """Begin a grading by calling `grade`, which also stores the result. Raises an interruption of this process."""
        grade()

    def wait(self) -> None:
        """Wait until the queue should be checked again."""
        time.sleep(LOOK)

    def close(self) -> None:
        """No-op, because no grading is in progress."""


IN_TURN = Gradings()


class SideBySide(Gradings):
    """Gradings on other machines, at most `most()` at a time. A thread for each waits for its outcome and checks for an
    interruption (`stop_if_told`).
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._threads = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="grading")
        self._under_way: set[Future[None]] = set()

    def has_room(self) -> bool:
        """True if fewer gradings are in progress than allowed."""
        ended = {each for each in self._under_way if each.done()}
        self._under_way -= ended
        for each in ended:
            each.result()
        return len(self._under_way) < min(self._most(), MOST_THREADS)

    def begin(self, grade: Callable[[], None]) -> None:
        """Run the grading in a thread."""
        self._under_way.add(self._threads.submit(grade))

    def wait(self) -> None:
        """Wait until a grading has ended, or until the queue should be checked again."""
        if self._under_way:
            wait(self._under_way, timeout=LOOK, return_when=FIRST_COMPLETED)
        else:
            time.sleep(LOOK)

    def close(self) -> None:
        """Wait for the threads."""
        self._threads.shutdown()


class Backend:
    """The batch's station in this process, on a device of this machine, with the settings in `settings_json`."""

    def __init__(self, settings_json: str) -> None:
        self.settings_json = settings_json

    @property
    def facilities(self) -> Facilities:
        """Versions of the software, and the device. Raises a GraderError if the backend cannot grade."""
        return station.look_around(self.settings_json)

    @property
    def devices(self) -> int:
        """Number of gradings that the backend can run at a time now."""
        return 1

    def gradings(self) -> Gradings:
        """The object that runs gradings one after the other, or several at a time."""
        return IN_TURN

    def grade(self, job: GradingJob, progress: Progress) -> Result | Ungraded:
        """Grade one submission. Raises WorkerError or SchedulerLostError if the backend fails, or an interruption of
        this process.
        """
        return station.grade(job, progress)

    def close(self) -> None:
        """End all gradings and release the devices."""
        station.leave()
