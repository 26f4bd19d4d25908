"""The workers of a sandbox that still run."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, Protocol, TypeVar

from grader.common.interrupts import stop_if_told, uninterrupted


class Stoppable(Protocol):
    """What can be stopped, more than once."""

    @property
    def is_stopped(self) -> bool:
        """Whether it has been."""

    def let_go(self) -> None:
        """Let it begin to end."""

    def stop(self) -> None:
        """End it, and remove what it has left."""


W = TypeVar("W", bound=Stoppable)


class Running(Generic[W]):
    """Knows every worker from the moment that it exists, even if whoever asked for it is interrupted."""

    def __init__(self) -> None:
        self._workers: list[W] = []

    def start(self, make: Callable[[], W]) -> W:
        """A new worker, unless this process has been told to stop."""
        stop_if_told()
        with uninterrupted():
            worker = make()
            self._workers = [each for each in self._workers if not each.is_stopped] + [worker]
        return worker

    def stop(self) -> None:
        """Stop all that run."""
        with uninterrupted(), ExitStack() as all_of_them:  # also when one of them cannot be
            for worker in self._workers:
                worker.let_go()
                all_of_them.callback(worker.stop)
