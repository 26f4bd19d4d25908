"""Faults of ours while a submission is graded. Its reports tell them, too; those that cost no grade come last."""

import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from grader.common.errors import InputError, InterruptedGradingError
from grader.common.optional import LOG
from grader.common.phrases import count
from grader.protocol.text import showable

if TYPE_CHECKING:
    from grader.results.result import Ungraded

SHOWN = 3
"""Tracebacks that are shown; more of them mostly have the same cause."""


class _Kept(logging.Handler):
    """Keeps the tracebacks of what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.tracebacks: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        if record.exc_info:
            self.tracebacks.append("".join(traceback.format_exception(*record.exc_info)))


@contextmanager
def told_at_the_end() -> Iterator[None]:
    """After the block, say which optional work has failed in it, on the error stream: not between the lines of a
    report.
    """
    kept = _Kept()
    LOG.addHandler(kept)
    try:
        yield
    finally:
        LOG.removeHandler(kept)
        for each in kept.tracebacks[:SHOWN]:
            sys.stderr.write(showable(each))
        if kept.tracebacks:
            times = count(len(kept.tracebacks), "fault")
            sys.stderr.write(f"grader: {times} in grader itself, no points lost; please report the lines above.\n")


@contextmanager
def noted(write: "Callable[[Ungraded], object]", assignment: str, path: Path) -> Iterator[None]:
    """In the block, a fault of ours is written to the files, too."""
    try:
        yield
    except (InputError, InterruptedGradingError):
        raise
    except Exception as error:
        from grader.grading.grade import ungraded  # noqa: PLC0415 - what it takes to grade may not be imported yet

        write(ungraded(assignment, path, error))
        raise
