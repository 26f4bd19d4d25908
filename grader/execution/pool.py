"""Workers that run nothing but our own kernels, kept from one grading to the next.

To start one, and to compile for it, takes longer than what it does in a grading. It never meets a submission, so
nothing of one can stay in it; a worker that has met one is never kept.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from grader.execution.client import Worker

GRADINGS = 20
"""After which a worker is replaced: its processor time is limited, and a grading takes some seconds of it."""


@dataclass(kw_only=True)
class _Kept:
    worker: Worker
    gradings: int = 0


class OwnWorkers:
    """At most one worker for each name, for a bench on which one grading is made at a time."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    @contextmanager
    def borrow(self, name: str, make: Callable[[], Worker]) -> Iterator[Worker]:
        """The worker of this name, or a new one, until the end of the block. An error there ends it."""
        kept = self._kept.pop(name, None) or _Kept(worker=make())
        try:
            yield kept.worker
            kept.worker.rest()
        except BaseException:
            kept.worker.stop()
            raise
        kept.gradings += 1
        if kept.gradings < GRADINGS:
            self._kept[name] = kept
        else:
            kept.worker.stop()

    def close(self) -> None:
        """Stop them all."""
        while self._kept:
            _, kept = self._kept.popitem()
            kept.worker.stop()
