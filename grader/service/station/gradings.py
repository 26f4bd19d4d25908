"""Gradings in progress: one at a time in the main thread, or several, each in its own thread."""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol

LOOK = 0.5
"""Seconds between two checks of the queue, and between two checks for the end of a grading."""

MOST_THREADS = 256
"""Maximum number of gradings in progress in one process. A larger cluster needs a second station."""


class Gradings(Protocol):
    """The gradings in progress of a station."""

    def has_room(self) -> bool:
        """True if another grading may begin now. Raises an unexpected error that ended one of them."""

    def begin(self, grade: Callable[[], None]) -> None:
        """Begin a grading by calling `grade`, which also stores the result. Raises an interruption of this process."""

    def wait(self) -> None:
        """Wait until another grading may be able to begin."""

    def close(self) -> None:
        """Wait until no grading is in progress."""


class InTurn:
    """One grading at a time, in the main thread. Signals interrupt it at any point."""

    def has_room(self) -> bool:
        """Always true, because `begin` returns only at the end of the grading."""
        return True

    def begin(self, grade: Callable[[], None]) -> None:
        """Run the whole grading."""
        grade()

    def wait(self) -> None:
        """Wait until the queue should be checked again."""
        time.sleep(LOOK)

    def close(self) -> None:
        """No-op, because no grading is in progress."""


IN_TURN = InTurn()


class SideBySide:
    """Gradings on other machines, at most `most()` at a time. A thread for each waits for its outcome and checks for an
    interruption (`stop_if_told`).
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._threads = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="grading")
        self._under_way: set[Future[None]] = set()

    def has_room(self) -> bool:
        """True if fewer gradings are in progress than allowed."""
        ended = {each for each in self._under_way if each.done()}
        self._under_way -= ended
        for each in ended:
            each.result()
        return len(self._under_way) < min(self._most(), MOST_THREADS)

    def begin(self, grade: Callable[[], None]) -> None:
        """Run the grading in a thread."""
        self._under_way.add(self._threads.submit(grade))

    def wait(self) -> None:
        """Wait until a grading has ended, or until the queue should be checked again."""
        if self._under_way:
            wait(self._under_way, timeout=LOOK, return_when=FIRST_COMPLETED)
        else:
            time.sleep(LOOK)

    def close(self) -> None:
        """Wait for the threads."""
        self._threads.shutdown()
