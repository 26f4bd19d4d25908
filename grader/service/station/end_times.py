"""Delays the end of a grading whose sanitizer or speed is hidden, so that its time does not reveal hidden outcomes.

A check that fails takes longer than one that passes because grader searches for an explanation. Students see when a
grading ends. Therefore it ends a whole number of slots after the last event that students see.

Hidden cases do not need slots because they run after the end that students see (submissions/queue.py).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from grader.course.rubric import Correctness, Kind
from grader.course.suite import Coursework
from grader.grading.progress import Decided, Progress

SLOT = 5.0
"""Length of a slot in seconds. An explanation takes 1 to 4 s."""

TOLD = {Kind.BUILD, *Correctness.kinds}
"""Kinds of checks that are decided before the sanitizer and the speed. Only the latter two may be hidden here."""


@dataclass(kw_only=True)
class Pace:
    """Passes on the progress of a grading that begins now, and delays its end. `clock` and `sleep` use seconds."""

    coursework: Coursework
    progress: Progress
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    told: float = field(init=False)
    """Time when the last event was passed on. The first event is the beginning of the grading."""

    def __post_init__(self) -> None:
        """Record the beginning of the grading."""
        self.told = self.clock()

    def note(self, event: str | Decided) -> None:
        """Pass on an event, unless its time may reveal a hidden outcome."""
        if _hides_runs(self.coursework) and not _is_early(event):
            return
        self.told = self.clock()
        self.progress(event)

    def wait(self) -> None:
        """Wait for the end of the slot if the time may reveal a hidden outcome."""
        if _hides_runs(self.coursework):
            self.sleep(SLOT - (self.clock() - self.told) % SLOT)


def _is_early(event: str | Decided) -> bool:
    return isinstance(event, Decided) and event.check.kind in TOLD


def _hides_runs(coursework: Coursework) -> bool:
    """True if the time of an event may reveal the outcome of a hidden check."""
    sections = (section for part in coursework.parts for section in part.sections)
    return any(section.time_tells and any(section.hides) for section in sections)
