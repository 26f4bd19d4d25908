"""A list of the running workers of a sandbox."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, Protocol, TypeVar

from grader.common.interrupts import stop_if_told, uninterrupted


class Stoppable(Protocol):
    """A worker that can be stopped. Stopping it again has no effect."""

    @property
    def is_stopped(self) -> bool:
        """True if `stop` was called."""

    def let_go(self) -> None:
        """Begin to end the worker. Does not wait."""

    def stop(self) -> None:
        """End the worker, and remove its files."""


W = TypeVar("W", bound=Stoppable)


class Running(Generic[W]):
    """The running workers. A worker is in the list as soon as it exists, even if an interrupt follows immediately."""

    def __init__(self) -> None:
        self._workers: list[W] = []

    def start(self, make: Callable[[], W]) -> W:
        """Make a worker and add it to the list, unless this process has been asked to stop."""
        stop_if_told()
        with uninterrupted():
            worker = make()
            self._workers = [each for each in self._workers if not each.is_stopped] + [worker]
        return worker

    def stop(self) -> None:
        """Stop all workers in the list."""
        with uninterrupted(), ExitStack() as all_of_them:  # also stops the others if one of them fails to stop
            for worker in self._workers:
                worker.let_go()
                all_of_them.callback(worker.stop)
