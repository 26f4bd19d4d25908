"""Evidence for a check: errors that the simulator observed, and maps of wrong arrays."""

import re

from pydantic import Field

from grader.common.optional import Fault
from grader.common.record import Record
from grader.results.verdicts import Reason


class Place(Record):
    """A line of the submission, and what happens there, such as "work-item (3, 0) of group (1, 0) writes Ash"."""

    line: int
    text: str
    words: str


LINES = re.compile(r"\b[Ll]ines? (\d+(?:, \d+)*(?: and \d+)?)")
"""Matches the lines that a sentence mentions, such as "line 7" or "lines 3, 5 and 9"."""


def lines_named(words: str) -> tuple[int, ...]:
    """Return the lines of the source that a sentence mentions, in the same order."""
    return tuple(int(line) for named in LINES.findall(words) for line in re.findall(r"\d+", named))


class AdvisedBarrier(Record):
    """A barrier that a finding advises for this line, or after it. `race` is the message of the finding without the
    barrier. `needs_braces` is true if the barrier is the end of a loop body that does not have braces yet. `otherwise`
    is the advice if races remain with the barrier.
    """

    line: int
    race: str
    needs_braces: bool = False
    otherwise: str | None = Field(default=None, exclude_if=lambda value: value is None)


class Finding(Record):
    """An error that the simulator observed.

    `message` is a sentence that mentions the lines. `help` is the next step or the usual cause, and `barrier` is the
    barrier in it. `places` are the accesses of one instance, and `times` is the number of observed instances. `fault`
    is a fault of grader that prevented an explanation.
    """

    reason: Reason
    message: str
    help: str
    places: tuple[Place, ...]
    times: int
    barrier: AdvisedBarrier | None = Field(default=None, exclude_if=lambda value: value is None)
    fault: Fault | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines in the message, followed by the lines of the accesses in `places`."""
        return (*lines_named(self.message), *(place.line for place in self.places))


class ErrorMap(Record):
    """Wrong blocks of an array, as rows of cells. Each cell is a block of `block` (rows, columns) elements.

    A cell is "." if all of its elements are right, "+" if some are wrong, "#" if all are wrong, and "o" if none was
    ever written.
    """

    buffer: str
    shape: tuple[int, int]
    block: tuple[int, int]
    cells: tuple[str, ...]
