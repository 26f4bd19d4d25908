"""Server-sent events about one grading. What was told is kept in the database: a browser that comes back goes on there.

event note   a ProgressNote with its turn, numbered: what begins, or a check that is decided
event place  how many gradings come first, and how long that is likely to take, in words; none where nothing tells
event over   the grading has ended: the page is to be loaded again
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from grader.service.db.models import State
from grader.service.submissions.estimates import PlaceInQueue
from grader.service.submissions.progress import ProgressNote

BETWEEN = {State.RUNNING: 0.5, State.WAITING: 2.0}
"""Seconds between two looks into the database."""

CROWD, PATIENT = 10, 3
"""Who has so many gradings before their own looks half as often, with twice as many a third as often, up to so many
times: their place changes slowly.
"""

LONGEST = 600.0
"""Seconds of a stream; the browser then comes back by itself."""

SILENCE = 15.0
"""Seconds after which a line is sent that says nothing, so that no proxy takes the connection for dead."""

AT_ONCE = 6
"""Streams of one person; a browser opens no more to a host."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What is known of a grading, with the notes that are new."""

    state: State
    turn: int
    place: PlaceInQueue
    notes: tuple[tuple[int, ProgressNote], ...]


class Watchers:
    """Counts the streams of each person in this process."""

    def __init__(self) -> None:
        self._open: Counter[int] = Counter()

    def enter(self, person_id: int) -> bool:
        """Whether one more may be opened; then it is counted."""
        if self._open[person_id] >= AT_ONCE:
            return False
        self._open[person_id] += 1
        return True

    def leave(self, person_id: int) -> None:
        """One has been closed."""
        self._open[person_id] -= 1
        self._open += Counter()  # forgets those who have none


watchers = Watchers()


async def events(look: Callable[[int], Look | None], after: int, person_id: int) -> AsyncIterator[str]:
    """The events of a grading, until it ends or the stream has lasted long enough; `look` is asked for notes after a
    number, and returns None once the sign-in of whoever watches has ended. Who watches too much is told to come back
    later.
    """
    if not watchers.enter(person_id):
        yield "retry: 30000\n\n"
        return
    try:
        begun = spoke = time.monotonic()
        place: dict[str, object] | None = None
        yield "retry: 2000\n\n"
        while time.monotonic() - begun < LONGEST:
            seen = await run_in_threadpool(look, after)
            if seen is None:
                return
            told = [_note(number, seen.turn, note) for number, note in seen.notes]
            after = seen.notes[-1][0] if seen.notes else after
            if seen.state is State.WAITING and _place(seen) != place:
                place = _place(seen)
                told.append(_event("place", place))
            if not seen.state.open:
                told.append(_event("over", {"state": seen.state}))
            if not told and time.monotonic() - spoke > SILENCE:
                told.append(": still here\n\n")
            for each in told:
                spoke = time.monotonic()
                yield each
            if not seen.state.open:
                return
            await asyncio.sleep(BETWEEN[seen.state] * (1 + min(seen.place.ahead // CROWD, PATIENT)))
    finally:
        watchers.leave(person_id)


def _place(seen: Look) -> dict[str, object]:
    return {"ahead": seen.place.ahead, "wait": seen.place.wait_in_words}


def _note(number: int, turn: int, note: ProgressNote) -> str:
    return f"id: {number}\n" + _event("note", {"turn": turn, **note.model_dump()})


def _event(name: str, data: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
