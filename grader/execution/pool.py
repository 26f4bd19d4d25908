"""Workers that are kept for the next grading, or that start before it.

A worker that is kept runs only the grader's own kernels. Its start and its builds take longer than its work in a
grading. It never runs a submission, so a submission can leave nothing in it. A worker that has run a submission is
never kept.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

from grader.execution.client import Worker
from grader.execution.plan import NOTHING
from grader.execution.probe import warm_up

GRADINGS = 10
"""Number of gradings after which a worker is replaced. Its processor time is limited, and a grading takes some seconds
of it.
"""


class OwnWorkers:
    """Workers that are kept by name, at most one for each name. Only one grading at a time uses them.

    A worker ends after a fixed number of gradings. Workers end at the same time, because a GPU's driver takes a tenth
    of a second for each.
    """

    def __init__(self, gradings: int = GRADINGS) -> None:
        self._gradings = gradings
        self._kept: dict[str, tuple[Worker, int]] = {}
        """Each worker with the number of gradings that it has served."""
        self._leaving: list[Worker] = []

    def begin(self, name: str, worker: Worker) -> None:
        """Start a worker that will be borrowed by this name. It connects to the device only at its first request: a
        GPU's driver takes longer for three processes at once, and the submission's process should be first.
        """
        worker.start()
        self._kept[name] = worker, 0

    @contextmanager
    def borrow(self, name: str, make: Callable[[], Worker]) -> Iterator[Worker]:
        """The worker of this name, or a new one, until the end of the block. An error in the block ends the worker."""
        self._wait()
        worker, gradings = self._take(name) or (make(), 0)
        try:
            yield worker
            worker.rest()
        except BaseException:
            worker.stop()
            raise
        if gradings + 1 < self._gradings:
            self._kept[name] = worker, gradings + 1
        else:
            self._let_go(worker)

    def _take(self, name: str) -> tuple[Worker, int] | None:
        """The kept worker of this name; None if it does not exist, or has ended since its last use."""
        kept = self._kept.pop(name, None)
        if kept is not None and not kept[0].is_there:
            kept[0].stop()
            return None
        return kept

    def close(self) -> None:
        """Stop all workers."""
        while self._kept:
            _, (worker, _) = self._kept.popitem()
            self._let_go(worker)
        self._wait()

    def _let_go(self, worker: Worker) -> None:
        worker.let_go()
        self._leaving.append(worker)

    def _wait(self) -> None:
        """Wait until the leaving workers have ended."""
        while self._leaving:
            self._leaving.pop().stop()


class Ahead:
    """The worker of the next submission. It starts and warms up before there is a submission, and runs only one.

    `most` is the number of workers that are needed, if it is known.
    """

    def __init__(self, make: Callable[[], Worker], most: float = inf) -> None:
        self._make = make
        self._left = most
        self._worker: Worker | None = None

    def begin(self) -> None:
        """Start the worker, unless it has started or no more workers are needed. Does not wait."""
        if self._worker is None and self._left > 0:
            self._left -= 1
            self._worker = self._make()
            self._worker.start()
            warm_up(self._worker)

    def settle(self) -> None:
        """Wait for the end of the warm-up, which would disturb timed launches of other workers."""
        if self._worker is not None:
            self._worker.settle()

    def take(self) -> Worker:
        """The worker for a submission: the prepared one if it still runs, else a new one."""
        worker, self._worker = self._worker, None
        if worker is not None and worker.is_there:
            worker.settle()
            return worker
        if worker is not None:
            worker.stop()
        return self._make()

    def close(self) -> None:
        """Stop the worker if it was not taken."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


class Early:
    """The worker of the only submission. It starts at once, and connects to the device.

    It does not build a program in advance. The driver loads its libraries with the submission's program, which may not
    need all of them.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        worker.start()
        worker.warm_up(NOTHING, {})

    def begin(self) -> None:
        """No-op: there is no next submission."""

    def settle(self) -> None:
        """No-op: the worker has been taken."""

    def take(self) -> Worker:
        """The worker, which may not be ready yet."""
        return self._worker

    def close(self) -> None:
        """Stop the worker."""
        self._worker.stop()
