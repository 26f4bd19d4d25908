"""Turns at what takes long: few at once, few more who wait, and all others are asked to come again.

Whoever waits keeps one of the threads that make everybody's pages, of which there are few (web/app.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from grader.service.errors import RefusalError


class ConcurrencyLimiter:
    """So many at once, and so many more who wait for so many seconds; `words` are for all others."""

    def __init__(self, at_once: int, words: str, *, waiting: int = 0, patience: float = 5.0) -> None:
        self._turns, self._places = BoundedSemaphore(at_once), BoundedSemaphore(at_once + waiting)
        self._words, self._patience = words, patience

    @contextmanager
    def one(self) -> Iterator[None]:
        """A turn until the end of the block. Raises RefusalError where there is none."""
        if not self._places.acquire(blocking=False):
            raise RefusalError(self._words)
        try:
            if not self._turns.acquire(timeout=self._patience):
                raise RefusalError(self._words)
            try:
                yield
            finally:
                self._turns.release()
        finally:
            self._places.release()
