"""Workers that run nothing but our own kernels, kept from one grading to the next.

Starting one, and compiling for it, takes longer than what it does in a grading. It never runs a submission, so nothing
of one can stay in it; a worker that has run one is never kept.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from grader.execution.client import Worker

GRADINGS = 20
"""Gradings after which a worker is replaced: its processor time is limited, and a grading takes some seconds of it."""


class OwnWorkers:
    """At most one worker for each name, for a bench on which one grading is made at a time."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Worker, int]] = {}
        """Each with the number of gradings that it has worked for."""

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
        while self._kept:
            _, (worker, _) = self._kept.popitem()
            worker.stop()
