"""Being told to stop (Ctrl-C, SIGTERM) as an exception, which waits while something is made or removed.

Such an exception can come between any two instructions. Between a folder and the note that it must be removed it would
leave the folder; within a removal, the rest of it. Such stretches are `uninterrupted`: when one ends, what it has made
is known to something that will be closed. A library that catches all exceptions can lose one, so code that begins
something new asks first (`stop_if_told`).
"""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from grader.common.errors import InterruptedGradingError


@dataclass
class _Told:
    """The interruption that this process has received, if any, and the depth of uninterrupted stretches."""

    to_stop: InterruptedGradingError | None = None
    waiting: bool = False
    depth: int = 0


_told = _Told()


def interrupt_on(numbers: Iterable[int], error: Callable[[int], InterruptedGradingError]) -> None:
    """From now on, each of these signals raises its error in the main thread."""

    def told(number: int, _frame: object) -> None:
        _told.to_stop = error(number)
        if _told.depth:
            _told.waiting = True
        else:
            raise _told.to_stop

    for number in numbers:
        signal.signal(number, told)


def stop_if_told() -> None:
    """Raise the last interruption again, in case that it was lost on the way up."""
    if _told.to_stop is not None:
        raise _told.to_stop


@contextmanager
def uninterrupted() -> Iterator[None]:
    """The block runs to its end; what comes meanwhile is raised after it. Signals reach the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _told.depth += 1
    try:
        yield
    finally:
        _told.depth -= 1
        if _told.waiting and not _told.depth:
            _told.waiting = False
            stop_if_told()
