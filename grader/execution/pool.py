"""Workers that are kept from one grading to the next, or started before it.

Those that are kept run nothing but our own kernels: starting one, and compiling for it, takes longer than what it does
in a grading. It never runs a submission, so nothing of one can stay in it; a worker that has run one is never kept.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from grader.execution.client import Worker
from grader.execution.plan import NOTHING
from grader.execution.probe import warm_up

GRADINGS = 20
"""Gradings after which a worker is replaced: its processor time is limited, and a grading takes some seconds of it."""


def _begun(worker: Worker) -> Worker:
    """The worker, which starts and makes itself known to the device; nobody waits for it yet."""
    worker.start()
    worker.warm_up(NOTHING, {})
    return worker


class OwnWorkers:
    """At most one worker for each name, for a bench on which one grading is made at a time."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Worker, int]] = {}
        """Each with the number of gradings that it has worked for."""

    def begin(self, name: str, worker: Worker) -> None:
        """Start a worker that will be borrowed by this name, and have it make itself known to the device."""
        self._kept[name] = _begun(worker), 0

    @contextmanager
    def borrow(self, name: str, make: Callable[[], Worker]) -> Iterator[Worker]:
        """The worker of this name, or a new one, until the end of the block. An error there ends it."""
        worker, gradings = self._kept.pop(name) if name in self._kept else (make(), 0)
        try:
            yield worker
            worker.rest()
        except BaseException:
            worker.stop()
            raise
        if gradings + 1 < GRADINGS:
            self._kept[name] = worker, gradings + 1
        else:
            worker.stop()

    def close(self) -> None:
        """Stop them all."""
        for worker, _ in self._kept.values():
            worker.let_go()
        while self._kept:
            _, (worker, _) = self._kept.popitem()
            worker.stop()


class Ahead:
    """The next submission's worker: it starts, and warms up, before there is a submission. It meets that one alone."""

    def __init__(self, make: Callable[[], Worker]) -> None:
        self._make = make
        self._worker: Worker | None = None

    def begin(self) -> None:
        """Start it, without waiting for it, unless that was done."""
        if self._worker is None:
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
        self._worker = _begun(worker)

    def begin(self) -> None:
        """Nothing: no other is to come."""

    def settle(self) -> None:
        """Nothing: it has been taken."""

    def take(self) -> Worker:
        """The worker, ready."""
        self._worker.settle()
        return self._worker

    def close(self) -> None:
        """Stop it."""
        self._worker.stop()
