"""Workers that are kept from one grading to the next, or started before it.

Those that are kept run nothing but our own kernels: starting one, and compiling for it, takes longer than what it does
in a grading. It never runs a submission, so nothing of one can stay in it; a worker that has run one is never kept.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

from grader.execution.client import Worker
from grader.execution.plan import NOTHING
from grader.execution.probe import warm_up

GRADINGS = 10
"""Gradings after which a worker is replaced: its processor time is limited, and a grading takes some seconds of it."""


class OwnWorkers:
    """Workers by name, at most one for each. One grading at a time uses them. A worker ends after a fixed number of
    gradings, at the same time as others that end: a GPU's driver takes a tenth of a second for each.
    """

    def __init__(self, gradings: int = GRADINGS) -> None:
        self._gradings = gradings
        self._kept: dict[str, tuple[Worker, int]] = {}
        """Each with the number of gradings that it has worked for."""
        self._leaving: list[Worker] = []

    def begin(self, name: str, worker: Worker) -> None:
        """Start a worker that will be borrowed by this name. It makes itself known to the device when it is asked for
        something: a GPU's driver takes longer over three processes at once, and the submission's should be first.
        """
        worker.start()
        self._kept[name] = worker, 0

    @contextmanager
    def borrow(self, name: str, make: Callable[[], Worker]) -> Iterator[Worker]:
        """The worker of this name, or a new one, until the end of the block. An error there ends it."""
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
        """The worker of this name, unless it has ended while nobody needed it."""
        kept = self._kept.pop(name, None)
        if kept is not None and not kept[0].is_there:
            kept[0].stop()
            return None
        return kept

    def close(self) -> None:
        """Stop them all."""
        while self._kept:
            _, (worker, _) = self._kept.popitem()
            self._let_go(worker)
        self._wait()

    def _let_go(self, worker: Worker) -> None:
        worker.let_go()
        self._leaving.append(worker)

    def _wait(self) -> None:
        """Until those that were let go have ended."""
        while self._leaving:
            self._leaving.pop().stop()


class Ahead:
    """The next submission's worker: it starts, and warms up, before there is a submission. It meets that one alone.

    `most` is the number of workers that are needed, if that is known.
    """

    def __init__(self, make: Callable[[], Worker], most: float = inf) -> None:
        self._make = make
        self._left = most
        self._worker: Worker | None = None

    def begin(self) -> None:
        """Start it, without waiting for it, unless it has been started or no more workers are needed."""
        if self._worker is None and self._left > 0:
            self._left -= 1
            self._worker = self._make()
            self._worker.start()
            warm_up(self._worker)

    def settle(self) -> None:
        """Wait until it rests, so that others can be timed."""
        if self._worker is not None:
            self._worker.settle()

    def take(self) -> Worker:
        """A worker for a submission."""
        worker, self._worker = self._worker, None
        if worker is not None and worker.is_there:
            worker.settle()
            return worker
        if worker is not None:
            worker.stop()
        return self._make()

    def close(self) -> None:
        """Stop it, if it waits."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


class Early:
    """The worker of the only submission that there is: it starts at once, and makes itself known to the device. What
    would be loaded for a first program comes with the submission's own, which may not need it.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        worker.start()
        worker.warm_up(NOTHING, {})

    def begin(self) -> None:
        """Nothing: no other is to come."""

    def settle(self) -> None:
        """Nothing: it has been taken."""

    def take(self) -> Worker:
        """The worker, which may still get ready."""
        return self._worker

    def close(self) -> None:
        """Stop it."""
        self._worker.stop()
