"""Optional work, such as explanations, the search for an edit, figures and reports. Only this module catches its
faults.

No verdict and no points depend on such work. If it fails, the fault is in grader: the traceback is logged, the student
reads which part is missing, and the grade stays the same. An interrupt still ends everything. The loss of a device or a
worker is handled like any other fault here, because the next request raises it again if the grading still needs the
device.
"""

import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from grader.common.errors import InterruptedGradingError
from grader.common.record import Record

TRACEBACK_CHARACTERS = 20_000
"""Number of characters kept from the end of a traceback, where the error is named."""

LOG = logging.getLogger(__name__)

T = TypeVar("T")

_noted: ContextVar[list["Fault"] | None] = ContextVar("faults that are noted", default=None)


class Fault(Record):
    """A part that is missing because the grader failed: its name, and the traceback for the developers."""

    lost: str
    traceback: str = ""

    @property
    def sentence(self) -> str:
        """The sentence for a student."""
        return f"{self.lost[:1].upper()}{self.lost[1:]} is missing: the grader failed. The grade is not affected."


def attempt(lost: str, work: Callable[[], T]) -> T | Fault:
    """Do the work and return its value, or the fault if it fails. `lost` names the part that would be missing, such as
    "the explanation".
    """
    try:
        return work()
    except InterruptedGradingError:
        raise
    except Exception as error:
        LOG.exception("%s is missing: a fault in grader", lost)
        fault = Fault(lost=lost, traceback="".join(traceback.format_exception(error))[-TRACEBACK_CHARACTERS:])
        noted = _noted.get()
        if noted is not None:
            noted.append(fault)
        return fault


@contextmanager
def noting() -> Iterator[list[Fault]]:
    """Collect the faults that are caught in the block, at any depth. A report is plain text and cannot carry its own
    faults.
    """
    faults: list[Fault] = []
    token = _noted.set(faults)
    try:
        yield faults
    finally:
        _noted.reset(token)
