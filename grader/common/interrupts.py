"""Interrupts (Ctrl-C, SIGTERM) as exceptions, which can be delayed while something is created or removed.

Such an exception can arrive between any two instructions. If it arrived between the creation of a folder and the note
that the folder must be removed, the folder would remain. If it arrived during a removal, the rest of the folder would
remain. Such sections are therefore `uninterrupted`: when they end, an object that will be closed knows everything that
they have created. A library that catches all exceptions can lose an interrupt, so code that starts a new step first
calls `stop_if_told`.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from grader.common.errors import InterruptedGradingError


@dataclass
class _Told:
    """The interrupt that this process has received, if any, and the nesting depth of uninterrupted sections."""

    to_stop: InterruptedGradingError | None = None
    waiting: bool = False
    depth: int = 0


_told = _Told()


class _Stretch(threading.local):
    """The condition under which a thread other than the main thread is interrupted, and the error to raise then."""

    is_over: Callable[[], bool] | None = None
    error: InterruptedGradingError | None = None


_stretch = _Stretch()

STEP = 0.2
"""Seconds between two checks in `pause`."""


def interrupt_on(numbers: Iterable[int], error: Callable[[int], InterruptedGradingError]) -> None:
    """From now on, raise an error in the main thread for each of these signals."""
    for number in numbers:
        signal.signal(number, lambda number, _frame: _tell(error(number)))


def _tell(to_stop: InterruptedGradingError) -> None:
    """Raise an interrupt, either now or at the end of the current uninterrupted section."""
    _told.to_stop = to_stop
    if _told.depth:
        _told.waiting = True
    else:
        raise to_stop


@contextmanager
def interrupted_when(is_over: Callable[[], bool], error: InterruptedGradingError, every: float) -> Iterator[None]:
    """Within the block, call `is_over` every `every` seconds and raise the error once it returns True. Code that
    catches the error may continue. Signals reach only the main thread, so in other threads `stop_if_told` calls
    `is_over`.
    """
    if threading.current_thread() is not threading.main_thread():
        with _looked_at(is_over, error):
            yield
            stop_if_told()
        return
    kept = signal.getsignal(signal.SIGALRM)

    def look(_number: int, _frame: object) -> None:
        if _told.to_stop is None and is_over():
            _tell(error)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield
        stop_if_told()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)
        if _told.to_stop is error:
            _told.to_stop, _told.waiting = None, False


@contextmanager
def _looked_at(is_over: Callable[[], bool], error: InterruptedGradingError) -> Iterator[None]:
    kept = _stretch.is_over, _stretch.error
    _stretch.is_over, _stretch.error = is_over, error
    try:
        yield
    finally:
        _stretch.is_over, _stretch.error = kept


def stop_if_told() -> None:
    """Raise the last interrupt again, in case a library has swallowed it or it arrived in another thread."""
    if _told.to_stop is not None:
        raise _told.to_stop
    if _stretch.error is not None and _stretch.is_over is not None and _stretch.is_over():
        raise _stretch.error


def pause(seconds: float) -> None:
    """Sleep for this time, in any thread. An interrupt ends the sleep and is raised."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        stop_if_told()
        time.sleep(min(left, STEP))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Run the block to its end, and raise an interrupt that arrives meanwhile only afterwards. Other threads than the
    main one need no protection, because they receive no signals.
    """
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
