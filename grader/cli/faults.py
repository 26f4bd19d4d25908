"""Faults of grader during a grading. The reports mention them, too. Faults that do not affect the grade are printed
last.
"""

import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from grader.common.errors import InputError
from grader.common.optional import LOG
from grader.common.phrases import count
from grader.protocol.text import showable

if TYPE_CHECKING:
    from grader.results.result import Ungraded

SHOWN = 3
"""Number of tracebacks that are shown. Further ones usually have the same cause."""


class _Kept(logging.Handler):
    """Keeps the tracebacks of log records."""

    def __init__(self) -> None:
        super().__init__()
        self.tracebacks: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the traceback of a record, if it has one."""
        if record.exc_info:
            self.tracebacks.append("".join(traceback.format_exception(*record.exc_info)))


@contextmanager
def told_at_the_end() -> Iterator[None]:
    """After the block, print the tracebacks of optional work that failed in it on the error stream. This keeps them
    from appearing between the lines of a report.
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
            sys.stderr.write(f"grader: {times} in grader itself; no points were lost. Please report the lines above.\n")


@contextmanager
def noted(write: "Callable[[Ungraded], object]", assignment: str, path: Path) -> Iterator[None]:
    """If grader fails in the block, write the fault to the report files, too."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        from grader.grading.refusal import ungraded  # noqa: PLC0415 - the modules for grading may not be imported yet

        write(ungraded(assignment, path, error))
        raise
