"""Overlaps the parts of a suite. While one part only waits for its simulators, the next part uses the device."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace

from grader.course.submissions.task import Task
from grader.grading.draft import Draft

Drafting = Generator[None, None, Draft]
"""A generator that works on a draft. It yields at most once, when it no longer needs the device."""


@dataclass(frozen=True)
class _Advanced:
    """The work on a draft, the draft if it is complete, and the seconds so far."""

    work: Drafting
    draft: Draft | None
    seconds: float


def overlapped(tasks: Sequence[Task], begin: Callable[[Task], Drafting]) -> list[Draft]:
    """Return a draft for each task. A task begins when all earlier tasks are complete or wait for simulators."""
    with ExitStack() as running:
        works = [running.enter_context(closing(begin(task))) for task in tasks]
        begun = [_advance(work) for work in works]
        return [_completed(each) for each in begun]


def _advance(work: Drafting) -> _Advanced:
    """Continue the work on a draft until it waits or is complete."""
    clock = time.perf_counter()
    try:
        next(work)
    except StopIteration as end:
        return _Advanced(work, end.value, time.perf_counter() - clock)
    return _Advanced(work, None, time.perf_counter() - clock)


def _completed(begun: _Advanced) -> Draft:
    """Complete the draft. Its seconds do not include the work on other parts."""
    if begun.draft is not None:
        return replace(begun.draft, seconds=begun.seconds)
    rest = _advance(begun.work)
    assert rest.draft is not None, "the work on a draft yields once"
    return replace(rest.draft, seconds=begun.seconds + rest.seconds)
