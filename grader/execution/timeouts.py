"""Timeouts of the requests to a worker."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from pydantic import Field

from grader.common.record import Record


class Timeouts(Record):
    """Seconds that each part of a grading may take.

    The first launch has a separate timeout, because a driver may compile then; this once took 15 s. `simulation`
    applies to a launch on the simulator, which itself ends a launch after a number of steps. This took 33 s on a
    machine with a load of six per processor. The timeout is much longer, so that the load never decides a verdict.

    A small launch that has not ended after `silence` seconds is examined in the simulator. If it does not end there
    either, it is stopped.
    """

    start: float = Field(default=30.0, gt=0)
    build: float = Field(default=30.0, gt=0)
    first_launch: float = Field(default=20.0, gt=0)
    launch: float = Field(default=10.0, gt=0)
    silence: float = Field(default=2.0, gt=0)
    transfer: float = Field(default=30.0, gt=0)
    simulation: float = Field(default=120.0, gt=0)


class CurrentTimeouts:
    """The timeouts that currently apply to a worker's requests. A block can shorten them."""

    def __init__(self, usual: Timeouts) -> None:
        self.now = usual

    def hurried(self, seconds: float) -> AbstractContextManager[None]:
        """Limit each request to this many seconds until the end of the block. The start of a worker is not limited."""
        return self._within(seconds, ("build", "first_launch", "launch", "transfer"))

    def impatient(self) -> AbstractContextManager[None]:
        """Limit each launch to `Timeouts.silence` until the end of the block. Small launches should end sooner than
        that.
        """
        return self._within(self.now.silence, ("first_launch", "launch"))

    @contextmanager
    def _within(self, seconds: float, parts: Sequence[str]) -> Iterator[None]:
        usual = self.now
        self.now = usual.model_copy(update={part: min(getattr(usual, part), seconds) for part in parts})
        try:
            yield
        finally:
            self.now = usual
