"""Gradings under way: one at a time in the main thread, or several, each in a thread of its own."""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol

LOOK = 0.5
"""Seconds between two looks for work, and between two looks whether a grading is over."""

MOST_THREADS = 256
"""Gradings that one process has under way; a larger cluster needs a second station."""


class Gradings(Protocol):
    """Gradings that a station has begun."""

    def has_room(self) -> bool:
        """Whether another may begin now. Raises what has ended one of them, if that was not foreseen."""

    def begin(self, grade: Callable[[], None]) -> None:
        """Begin one, which `grade` makes and stores. Raises what interrupts this process."""

    def wait(self) -> None:
        """Wait until there may be something to do."""

    def close(self) -> None:
        """Wait until none is under way."""


class InTurn:
    """One grading at a time, in the thread that signals reach: they interrupt it wherever it is."""

    def has_room(self) -> bool:
        """Yes: `begin` has returned."""
        return True

    def begin(self, grade: Callable[[], None]) -> None:
        """Make it to its end."""
        grade()

    def wait(self) -> None:
        """Wait until the queue is worth a look."""
        time.sleep(LOOK)

    def close(self) -> None:
        """No-op: `begin` has returned."""


IN_TURN = InTurn()


class SideBySide:
    """Gradings that are made elsewhere, as many at a time as `most` says now. A thread of each waits for its outcome
    and looks whether it is interrupted (`stop_if_told`).
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._threads = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="grading")
        self._under_way: set[Future[None]] = set()

    def has_room(self) -> bool:
        """Whether fewer are under way than may be."""
        ended = {each for each in self._under_way if each.done()}
        self._under_way -= ended
        for each in ended:
            each.result()
        return len(self._under_way) < min(self._most(), MOST_THREADS)

    def begin(self, grade: Callable[[], None]) -> None:
        """Make it in a thread."""
        self._under_way.add(self._threads.submit(grade))

    def wait(self) -> None:
        """Wait until one has ended, or until the queue is worth a look."""
        if self._under_way:
            wait(self._under_way, timeout=LOOK, return_when=FIRST_COMPLETED)
        else:
            time.sleep(LOOK)

    def close(self) -> None:
        """Wait for the threads."""
        self._threads.shutdown()
