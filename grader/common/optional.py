"""Optional work, such as explanations, the search for an edit, figures and reports. Only this module catches its
faults.

No verdict and no points depend on such work. If it fails, the fault is in grader: the traceback is logged, the student
reads which part is missing, and the grade stays the same. An interrupt still ends everything. The loss of a device or a
worker is handled like any other fault here, because the next request raises it again if the grading still needs the
device.
"""

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

from grader.common.record import Record

TRACEBACK_CHARACTERS = 20_000
"""Number of characters kept from the end of a traceback, where the error is named."""

LOG = logging.getLogger(__name__)

_noted: ContextVar[list["Fault"] | None] = ContextVar("faults that are noted", default=None)


class Fault(Record):
    """A part that is missing because the grader failed: its name, and the traceback for the developers."""

    lost: str
    traceback: str = ""

    @property
    def sentence(self) -> str:
        """The sentence for a student."""
        return f"{self.lost[:1].upper()}{self.lost[1:]} is missing: the grader failed. The grade is not affected."


class OptionalWork:
    """Runs optional work in its block. A fault ends only the block, and the code after it continues without the work.

        with OptionalWork("the explanation") as work:
            return explain(check)
        return work.fault

    The argument names the part of the result that is missing after a fault.
    """

    def __init__(self, lost: str) -> None:
        self._lost = lost
        self._fault: Fault | None = None

    @property
    def fault(self) -> Fault:
        """The fault that ended the block."""
        assert self._fault is not None, "the block did not fail"
        return self._fault

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception):
            return False
        LOG.error("%s is missing: a fault in grader", self._lost, exc_info=error)
        text = "".join(traceback.format_exception(error))
        self._fault = Fault(lost=self._lost, traceback=text[-TRACEBACK_CHARACTERS:])
        noted = _noted.get()
        if noted is not None:
            noted.append(self._fault)
        return True


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
