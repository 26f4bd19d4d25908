"""The end of a grading whose sanitizer or speed is hidden: its time shows students no hidden outcome.

A check that fails takes longer than one that passes: its failure is explained. Students see when a grading ends. So it
ends a whole number of slots after the last event that students see.

Hidden cases need no slots: they run after the end that students see (submissions/queue.py).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from grader.course.rubric import Correctness, Kind
from grader.course.suite import Coursework
from grader.grading.progress import Decided, Progress

SLOT = 5.0
"""Seconds. An explanation takes 1 to 4 s."""

TOLD = {Kind.BUILD, *Correctness.kinds}
"""Checks that are decided before the sanitizer and the speed, one of which may be hidden."""


@dataclass(kw_only=True)
class Pace:
    """Passes on the progress of a grading that begins now, and delays its end. `clock` and `sleep` are in seconds."""

    coursework: Coursework
    progress: Progress
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    told: float = field(init=False)
    """When the last event was passed on; the first one is that the grading begins."""

    def __post_init__(self) -> None:
        """Note the beginning."""
        self.told = self.clock()

    def note(self, event: str | Decided) -> None:
        """Pass on an event, unless its time may tell a hidden outcome."""
        if _hides_runs(self.coursework) and not _is_early(event):
            return
        self.told = self.clock()
        self.progress(event)

    def wait(self) -> None:
        """Wait for the end of the slot, if anything is hidden."""
        if _hides_runs(self.coursework):
            self.sleep(SLOT - (self.clock() - self.told) % SLOT)


def _is_early(event: str | Decided) -> bool:
    return isinstance(event, Decided) and event.check.kind in TOLD


def _hides_runs(coursework: Coursework) -> bool:
    """True if the time of an event may tell how a hidden check has ended."""
    sections = (section for part in coursework.parts for section in part.sections)
    return any(section.time_tells and any(section.hides) for section in sections)
